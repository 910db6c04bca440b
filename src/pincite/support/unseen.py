"""The sign for what a document does not display: a text and what it displays have one length."""

from __future__ import annotations

from typing import Final

#: In place of each character that is not displayed.
UNSEEN: Final = "\0"
