"""Text that others wrote, inside of Markdown, where nothing in it can end the block."""

from __future__ import annotations

import re

_FENCE = re.compile("`+")
_SHORTEST = 3


def fence_for(*texts: str) -> str:
    """Backticks, more than stand beside each other in any of these texts."""
    runs = (len(found[0]) for text in texts for found in _FENCE.finditer(text))
    return "`" * max(_SHORTEST, max(runs, default=0) + 1)
