"""Decode bytes to text without loss: encoding the text again gives the bytes."""

from __future__ import annotations

# UTF-32's little-endian mark begins with UTF-16's, so it is tried first
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


def decode(raw: bytes) -> tuple[str, str]:
    """Return (text, encoding) with `raw.decode(encoding) == text`; a byte order mark stays in the
    text.

    The encoding is UTF-8, or that of the mark, or Windows-1252, or (never failing) Latin-1.
    """
    marked = (encoding for mark, encoding in _MARKS if raw.startswith(mark))
    for encoding in (*marked, "utf-8", "cp1252"):
        try:
            return raw.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1"), "latin-1"
