"""How much is shown around a passage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pincite.errors import ConfigError

Around = Literal["none", "unit", "neighbours", "section"]


@dataclass(frozen=True, slots=True)
class ContextConfig:
    """`around`: nothing; the function, class, section or list that a passage is part of; the
    passages before and after; or all with the same heading path.

    A unit has at most `max_tokens` by an estimate from above, unless the passage alone has more,
    and at least `least_lines` where the file and the budget have them. Neighbours and sections have
    at most `max_chars` characters; what is farther away is left out first.

    Unless it is nothing, results of one file that overlap or touch become one, of up to twice the
    size, and one file has no more than `file_share` of the results while others wait. What was
    tried is in docs/decisions/0023.
    """

    around: Around = "unit"
    max_tokens: int = 450
    least_lines: int = 8
    file_share: float = 0.4
    max_chars: int = 8_000

    def __post_init__(self) -> None:
        for name in ("max_tokens", "max_chars"):
            if getattr(self, name) < 1:
                raise ConfigError(f"context.{name} is {getattr(self, name)}; it must be at least 1")
        if self.least_lines < 0:
            raise ConfigError(f"context.least_lines is {self.least_lines}; it is negative")
        if not 0 < self.file_share <= 1:
            raise ConfigError(
                f"context.file_share is {self.file_share}; it must be above 0 and at most 1"
            )
