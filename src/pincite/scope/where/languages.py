"""Names of languages in filters, including other names that people use for them."""

from __future__ import annotations

from difflib import get_close_matches

from pincite.readers.languages import LANGUAGES, language_called


def also_called(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values, each followed by the name that Pincite has for this language if it is
    another one. The value itself is kept, because collections of other programs may use it."""
    meant = (each for one in values for each in (one, language_called(one)) if each is not None)
    return tuple(dict.fromkeys(meant))


def is_language(value: str) -> bool:
    """Return whether a text is the name of a language, or another name for one."""
    return language_called(value) is not None


def near_languages(value: str) -> str:
    """Return the languages with similar names; all of them if none is similar."""
    near = get_close_matches(value.lower(), sorted(LANGUAGES), n=3)
    return ", ".join(near or sorted(LANGUAGES))
