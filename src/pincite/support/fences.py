"""Fence untrusted text in Markdown so that nothing in it can close the block."""

from __future__ import annotations

import re

_FENCE = re.compile("`+")
_SHORTEST = 3  # of a block; that of a code span is 1


def fence_for(*texts: str, shortest: int = _SHORTEST) -> str:
    """Return more backticks than occur in a row in any of these texts, and at least `shortest`."""
    runs = (len(found[0]) for text in texts for found in _FENCE.finditer(text))
    return "`" * max(shortest, max(runs, default=0) + 1)
