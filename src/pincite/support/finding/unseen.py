"""The placeholder for characters that a document does not display; it keeps offsets."""

from __future__ import annotations

from typing import Final

#: Replaces each character that is not displayed.
UNSEEN: Final = "\0"
