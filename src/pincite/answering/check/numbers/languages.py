"""The number format of a text: decimal point, decimal comma, or unknown."""

from __future__ import annotations

import re
from typing import Final, Literal

#: English; German, French, Spanish, Italian or Dutch; another or an unknown language.
Language = Literal["english", "comma", "unknown"]

_WORD: Final = re.compile(r"[^\W\d_]+")
_ENGLISH: Final = frozenset(
    "the is are of and to with for by this that it from has or you not be which will".split()
)
#: Words of other languages that are not English words.
_COMMA: Final = frozenset(
    (
        "der das und ein eine im von auf für nicht sich zu sind ist bei gibt beträgt la le les du"
        " une dans est pour sur avec pas que el los las un una por para es della sono nel il di"
        " het een voor niet zijn bij aan nie"
    ).split()
)
_OTHER: Final = frozenset("och att det av til ikke dos uma não é em och på jest nie się".split())
_LETTERS: Final = frozenset("äöüßàâæçéèêëîïôœùûÿáíóúñìòĳÄÖÜÀÂÆÇÉÈÊËÎÏÔŒÙÛÁÍÓÚÑÌÒ")
_MICRO: Final = ("µ", "μ", "µs", "μs")


def language_of(text: str) -> Language:
    """Return the number format of the language to which most typical words belong, English if there
    are none."""
    english = comma = other = 0
    for match in _WORD.finditer(text):
        word = match[0].lower()
        if word in _OTHER:
            other += 1
        elif word in _ENGLISH:
            english += 1
        elif word in _COMMA:
            comma += 1
        elif not (word.isascii() or word in _MICRO):
            foreign = any(not (one.isascii() or one in _LETTERS) for one in word)
            other, comma = other + foreign, comma + (not foreign)
    if english > max(comma, other) or not (comma or other):
        return "english"
    return "comma" if comma > other else "unknown"
