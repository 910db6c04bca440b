"""The text of the code points of a PDF."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

#: Bullets of Symbol and Wingdings, which have places in the private area, and ligatures.
_LETTERS: Final = {
    0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF0FC: "✓", 0xF0A8: "◻", 0xF02D: "-",
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st",
    0xFB06: "st", 0x00A0: " ", 0x2010: "-", 0x2011: "-",
}  # fmt: skip


@lru_cache(maxsize=4096)
def letter_of(code: int) -> str:
    """Return the text of a code point; "" for control, format and unassigned characters."""
    if code in _LETTERS:
        return _LETTERS[code]
    if code in {0x09, 0x0A, 0x0D}:
        return " "
    if code == 0x02:  # the library's code for a hyphen at the end of a line
        return "-"
    if not 0 < code <= 0x10FFFF:
        return ""
    letter = chr(code)
    if unicodedata.category(letter) in {"Cc", "Cs", "Co", "Cn"} or 0x202A <= code <= 0x202E:
        return ""
    if code in {0x200E, 0x200F, 0x2060, 0xFEFF, 0x200B} or 0x2066 <= code <= 0x2069:
        return ""
    if 0xFB50 <= code <= 0xFDFF or 0xFE70 <= code <= 0xFEFC:  # shapes of Arabic letters
        return unicodedata.normalize("NFKC", letter)
    return " " if letter.isspace() else letter


def letters_of(text: str) -> str:
    """Return the text without control and direction characters."""
    return "".join(letter_of(ord(letter)) for letter in text)
