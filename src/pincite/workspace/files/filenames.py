"""Names of uploaded files. They are shown and searched, and never used as a path."""

from __future__ import annotations

import unicodedata

from pincite.errors import UsageError
from pincite.support.terminal import hidden_in
from pincite.workspace.checks import is_blank

_MOST_BYTES = 255  # the limit of file systems


def checked_filename(name: str) -> str:
    """Return a name in normal form (NFC). Raise UsageError for a path and for invisible
    characters."""
    found = unicodedata.normalize("NFC", name)
    if is_blank(found) or found in (".", ".."):
        raise UsageError(f"filename {name!r} is not a file name")
    if "/" in found or "\\" in found:
        raise UsageError("filename: give a name, not a path", hint="remove the folders")
    if hidden := hidden_in(found):
        raise UsageError(f"filename: {hidden} is not allowed in it", hint="remove the character")
    if len(found.encode("utf-8", "surrogatepass")) > _MOST_BYTES:
        raise UsageError(f"filename: it has more than {_MOST_BYTES} bytes")
    return found
