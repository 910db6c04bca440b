"""Guess the language of a text, to choose a stemmer and to detect text unfit for an English
model."""

from __future__ import annotations

from collections import Counter
from typing import Final

from pincite.providers.sparse.function_words import FUNCTION_WORDS
from pincite.support.late_patterns import late_pattern

UNKNOWN: Final = "unknown"

# Scripts of one language, or scripts for which one language stands.
_SCRIPTS: Final = (
    ("greek", "\u0370-\u03ff\u1f00-\u1fff"),
    ("cyrillic", "\u0400-\u052f"),
    ("armenian", "\u0530-\u058f"),
    ("hebrew", "\u0590-\u05ff"),
    ("arabic", "\u0600-\u06ff\u0750-\u077f"),
    ("hindi", "\u0900-\u097f"),
    ("bengali", "\u0980-\u09ff"),
    ("tamil", "\u0b80-\u0bff"),
    ("thai", "\u0e00-\u0e7f"),
    ("lao", "\u0e80-\u0eff"),
    ("burmese", "\u1000-\u109f"),
    ("georgian", "\u10a0-\u10ff"),
    ("khmer", "\u1780-\u17ff"),
    ("kana", "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9d"),
    ("korean", "\u1100-\u11ff\uac00-\ud7af"),
    ("han", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"),
)
_SCRIPT: Final = late_pattern("|".join(f"(?P<{name}>[{chars}])" for name, chars in _SCRIPTS))
_WORD: Final = late_pattern(r"[^\W\d_]+")
_LATIN: Final = late_pattern(r"[A-Za-z\u00c0-\u024f]+")
_CODE: Final = late_pattern(r"[(){}\[\]=<>;`]|\w_\w|\w\.\w")

# In code and in questions about it, single consonants are variable names; some are Czech words.
_VARIABLES: Final = frozenset("bcdfghjklmnpqrstvwxz")

#: Characters examined. The guess for a collection needs a few hundred words, not all of it.
_LOOK: Final = 20_000

# Letters that almost no other language of the same script uses.
_TELLING: Final = {
    "german": "ß",
    "spanish": "ñ¿¡",
    "portuguese": "ãõ",
    "polish": "łąęśźż",
    "czech": "řěů",
    "hungarian": "őű",
    "turkish": "ışğ",
    "romanian": "țșăţ",
    "french": "œêû",
}
_CYRILLIC: Final = {"ukrainian": "іїєґ", "serbian": "ђћџљњј"}
_PERSIAN: Final = "پچژگ"

#: A script decides from this share of the letters on; an ideograph counts as two letters.
_SCRIPT_SHARE: Final = 0.3  # guess: a Chinese manual may be half English terms
#: Function words must make up this share of the words. English questions and prose have .3 to
#: .5, the wrong language of a pair of neighbours .05 to .15; lists of names have none.
_SURE: Final = 0.15


def guess_language(text: str) -> str:
    """Return a stemmer name such as `english` or `german`, the language that a script stands for
    such as `chinese`, `japanese` or `thai`, or `unknown` if there is no evidence.

    A script decides if it has enough of the letters. Otherwise the share of function words decides;
    a word of several languages counts partly for each. Code and bare identifiers count as English.
    """
    text = text[:_LOOK]
    if not text.isascii() and (language := _by_script(text)):
        return language
    words = [word.casefold() for word in _WORD.findall(text)]
    scores: dict[str, float] = {}
    for word, times in Counter(words).items():
        owners = () if word in _VARIABLES else _OWNERS.get(word, ())
        for language in owners:
            scores[language] = scores.get(language, 0.0) + times / len(owners)
    if not text.isascii():
        lower = text.casefold()
        for language, letters in _TELLING.items():
            scores[language] = scores.get(language, 0.0) + sum(map(lower.count, letters))
    score, best = max(((score, language) for language, score in scores.items()), default=(0.0, ""))
    if score > 0 and score >= _SURE * len(words):
        return best
    return "english" if _CODE.search(text) else UNKNOWN


def stemmer_for(language: str) -> str:
    """Return the analyser language for a guess: `english` if the guess is unknown."""
    return "english" if language == UNKNOWN else language


def _by_script(text: str) -> str | None:
    found = Counter(match.lastgroup or "" for match in _SCRIPT.finditer(text))
    if not found:
        return None
    latin = sum(map(len, _LATIN.findall(text)))
    found["han"] *= 2
    east = found["han"] + found["kana"]
    script, letters = max(found.items(), key=lambda item: (item[1], item[0]))
    letters = max(letters, east) if script in ("han", "kana") else letters
    if letters < _SCRIPT_SHARE * (latin + sum(found.values())):
        return None
    if script in ("han", "kana"):
        # Japanese prose is half kana; Chinese has none.
        return "japanese" if found["kana"] > 0.1 * east else "chinese"
    if script == "cyrillic":
        lower = text.casefold()
        marks = {name: sum(map(lower.count, chars)) for name, chars in _CYRILLIC.items()}
        name, most = max(marks.items(), key=lambda item: (item[1], item[0]))
        return name if most > 0.01 * letters else "russian"
    if script == "arabic":
        return "persian" if sum(map(text.count, _PERSIAN)) > 0.01 * letters else "arabic"
    return script


_OWNERS: Final[dict[str, list[str]]] = {}
for _language, _function_words in FUNCTION_WORDS.items():
    for _word in _function_words:
        _OWNERS.setdefault(_word, []).append(_language)
