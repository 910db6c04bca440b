"""Names of uploaded files: shown and searched, never used as a path."""

from __future__ import annotations

import unicodedata

from pincite.errors import UsageError

_MOST_BYTES = 255  # as file systems


def checked_filename(name: str) -> str:
    """A name in its normal form (NFC). Raises UsageError for a path and for what cannot be seen."""
    found = unicodedata.normalize("NFC", name)
    if not found.strip() or found in (".", ".."):
        raise UsageError(f"filename {name!r} is no name")
    if "/" in found or "\\" in found:
        raise UsageError("filename: a name, not a path", hint="leave the folders out")
    if not found.isprintable():
        raise UsageError("filename: it has characters that nobody can see")
    if len(found.encode("utf-8", "surrogatepass")) > _MOST_BYTES:
        raise UsageError(f"filename: it has more than {_MOST_BYTES} bytes")
    return found
