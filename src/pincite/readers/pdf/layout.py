"""What stands on a page: glyphs, runs of them, lines, and blocks of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pincite.model import Box, ElementKind


class Style(NamedTuple):
    """How glyphs look. `size` is in points as printed; `turn` is the direction of writing, in
    degrees clockwise, None where it is not a multiple of 90."""

    size: float
    bold: bool
    mono: bool
    turn: int | None


class Glyph(NamedTuple):
    """A character, and the place that its font gives it: points from the upper left corner.
    `spaced` says that the library sees a space to its left."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    style: Style
    spaced: bool = False


@dataclass(slots=True)
class Placed:
    """Anything with a position on a page."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def box(self) -> Box:
        """Its rectangle, to a tenth of a point."""
        return (
            round(self.left, 1),
            round(self.top, 1),
            round(self.right, 1),
            round(self.bottom, 1),
        )

    @property
    def middle(self) -> float:
        """How far down its middle is."""
        return (self.top + self.bottom) / 2


@dataclass(slots=True)
class Run(Placed):
    """Glyphs side by side, without a gap that could part two columns."""

    glyphs: list[Glyph] = field(default_factory=list)

    @property
    def size(self) -> float:
        """That of its first glyph."""
        return self.glyphs[0].style.size


@dataclass(slots=True)
class Line(Placed):
    """A line of a column as it is read, and the style of most of its glyphs. `entry` says that it
    has a wide gap, as between a word and what it means, or leads to the number of a page."""

    text: str
    style: Style
    entry: bool = False


@dataclass(slots=True)
class Block(Placed):
    """What becomes an element. `lines` are those of a paragraph or heading; `rows` are the rows of
    a table. `columns` are where these begin. `picture` is the SHA-256 of a picture."""

    kind: ElementKind
    text: str
    lines: tuple[Line, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    columns: tuple[float, ...] = ()
    header: str = ""
    level: int = 0
    marginal: bool = False
    picture: str = ""


def around(some: Sequence[Placed]) -> tuple[float, float, float, float]:
    """Return the smallest rectangle around all of them."""
    return (
        min(one.left for one in some),
        min(one.top for one in some),
        max(one.right for one in some),
        max(one.bottom for one in some),
    )


def within(one: Placed, outer: Placed, slack: float = 1.0) -> bool:
    """Return whether the middle of one is inside the other."""
    across = (one.left + one.right) / 2
    return (
        outer.left - slack <= across <= outer.right + slack
        and outer.top - slack <= one.middle <= outer.bottom + slack
    )
