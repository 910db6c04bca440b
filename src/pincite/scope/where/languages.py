"""Names of languages in filters: what people call them, and what is no language."""

from __future__ import annotations

from difflib import get_close_matches

from pincite.readers.languages import LANGUAGES, language_called


def also_called(values: tuple[str, ...]) -> tuple[str, ...]:
    """The values, and behind each the language that it means if that has another name. The value
    itself stays: collections of other programs have names of their own."""
    meant = (each for one in values for each in (one, language_called(one)) if each is not None)
    return tuple(dict.fromkeys(meant))


def is_language(value: str) -> bool:
    """Is this a language, or what one is called?"""
    return language_called(value) is not None


def near_languages(value: str) -> str:
    """The languages of similar names; all of them if none is similar."""
    near = get_close_matches(value.lower(), sorted(LANGUAGES), n=3)
    return ", ".join(near or sorted(LANGUAGES))
