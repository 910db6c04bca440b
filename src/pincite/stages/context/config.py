"""The settings for the text shown around a passage."""

from __future__ import annotations

from typing import Literal

import msgspec

from pincite.support.ranges import require_range

Around = Literal["none", "unit", "neighbours", "section"]


class ContextConfig(msgspec.Struct, frozen=True):
    """The kind and size of the text around a passage.

    `around`: nothing; the enclosing function, class, section or list; the neighbouring passages; or
    all passages with the same heading path.

    A unit has at most `max_tokens` by a conservative estimate, unless the passage itself has more,
    and at least `least_lines` if file and budget allow. Neighbours and sections have at most
    `max_chars` characters; the most distant text is left out first.

    Unless `around` is nothing, results of one file that overlap or touch become one, of up to twice
    the size. One file has at most `file_share` of the results while others wait that have at least
    `file_share_from` of the score. Measurements are in docs/decisions/0023 and 0073.
    """

    around: Around = "unit"
    max_tokens: int = 450
    least_lines: int = 8
    file_share: float = 0.4
    file_share_from: float = 0.5
    max_chars: int = 8_000

    def __post_init__(self) -> None:
        require_range(self, "context", "max_tokens", "max_chars", least=1)
        require_range(self, "context", "least_lines", least=0)
        require_range(self, "context", "file_share", above=0, most=1)
        require_range(self, "context", "file_share_from", least=0, most=1)
