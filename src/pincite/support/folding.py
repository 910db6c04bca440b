"""Remove marks from letters. Keyword search treats letters with and without them as equal."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

#: Marks that belong to the preceding letter but are not letters to `re`, for a class of characters;
#: soft hyphen, joiners.
MARKS: Final = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0"
    "\u0816-\u082d\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09d7"
    "\u0a01-\u0a03\u0a3c-\u0a51\u0a70-\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57"
    "\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3e-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03"
    "\u0d3b-\u0d4d\u0d57\u0d81-\u0d83\u0dca-\u0ddf\u0f18\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f87"
    "\u0f8d-\u0fbc\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe20-\ufe2f"
)
_PLAIN: Final = {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"}
_IGNORED: Final = dict.fromkeys(map(ord, "\u00ad\u200c\u200d"))


def same_letters(text: str) -> str:
    """Return a text in lower case without marks, compatibility forms, soft hyphens and joiners, so
    that spellings that keyword search treats as equal become equal. Accepts any string."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text.translate(_IGNORED))
    return fold_marks(plain.casefold())


def fold_marks(text: str) -> str:
    """Remove accents from the letters of a text in lower case: Latin, Greek, Cyrillic ё, Hebrew and
    Arabic. Other letters keep their marks, as й does."""
    if text.isascii():
        return text
    return text.translate({ord(letter): _folded(letter) for letter in set(text)})


@lru_cache(maxsize=4096)  # letters of most texts; 65 bytes each
def _folded(character: str) -> str:
    """Return the letter without marks, "" for a mark alone."""
    if plain := _PLAIN.get(character):
        return plain
    base = unicodedata.normalize("NFD", character)[0]
    if base < "\u0400" or "\u1e00" <= base < "\u2000" or character == "ё":
        return "" if unicodedata.combining(base) else base
    return "" if "\u0590" <= base < "\u0700" and unicodedata.combining(base) else character
