"""Decode bytes to text without loss: encoding the text again gives the bytes."""

from __future__ import annotations

import re

from pincite.readers.declared_encodings import declared_encoding
from pincite.readers.legacy_encodings import guessed_encoding

# UTF-32's little-endian mark begins with UTF-16's, so it is tried first
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


_BROKEN = re.compile("[\udc80-\udcff]")  # what `surrogateescape` makes of bytes
_MARKUP = frozenset({"html", "xml"})


def decode(raw: bytes, language: str = "") -> tuple[str, str]:
    """Return (text, encoding) with `raw.decode(encoding) == text`; a byte order mark stays in the
    text.

    The encoding is UTF-8, or that of the mark, or the one that HTML or XML declares (`language`).
    Otherwise it is a guess: an older encoding of Chinese, Japanese, Korean or Cyrillic, or
    Windows-1252, or (never failing) Latin-1.
    """
    marked = (encoding for mark, encoding in _MARKS if raw.startswith(mark))
    for encoding in (*marked, "utf-8"):
        try:
            return raw.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    if language in _MARKUP and (declared := declared_encoding(raw)):
        return raw.decode(declared), declared
    if guess := guessed_encoding(raw):
        return raw.decode(guess), guess
    try:
        return raw.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return raw.decode("latin-1"), "latin-1"


def encoding_of_head(head: bytes) -> str:
    """Return the encoding of a text that begins with these bytes, as `decode` finds it. The last
    character may be cut. The encoding is also UTF-8 if some bytes are invalid, but not more than
    there are valid characters beyond ASCII."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    lines = head[: head.rfind(b"\n") + 1] or head
    text = lines.decode("utf-8", "surrogateescape")
    broken = len(_BROKEN.findall(text))
    letters = len(text) - len(text.encode("ascii", "ignore")) - broken
    return "utf-8" if letters >= broken else decode(lines)[1]


def is_guessed(raw: bytes, language: str, encoding: str) -> bool:
    """Return whether this encoding, which `decode` returned, is a guess."""
    if encoding.startswith("utf"):
        return False
    return language not in _MARKUP or declared_encoding(raw) != encoding
