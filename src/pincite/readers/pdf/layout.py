"""The parts of a page: glyphs, runs of glyphs, lines, and blocks of lines. All positions are in
points from the upper left corner of the displayed page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pincite.model import Box, ElementKind

#: Times the size: type beside which two lines fit. Footnote marks are this small too.
_LARGE: Final = 1.5
_SHARED: Final = 0.5  # of the lower one's height


class Style(NamedTuple):
    """The look of a glyph. `size` is in points as printed. `turn` is the direction of writing in
    degrees clockwise; None if it is not a multiple of 90."""

    size: float
    bold: bool
    mono: bool
    turn: int | None


class Glyph(NamedTuple):
    """A character and the box that its font gives it, in points from the upper left corner.
    `spaced` means that there is a space to its left, painted or as the library sees it."""

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
        """Return the rectangle as (left, top, right, bottom), rounded to a tenth of a point."""
        return (
            round(self.left, 1),
            round(self.top, 1),
            round(self.right, 1),
            round(self.bottom, 1),
        )

    @property
    def middle(self) -> float:
        """Return the vertical position of its middle, in points from the top."""
        return (self.top + self.bottom) / 2


@dataclass(slots=True)
class Run(Placed):
    """Adjacent glyphs, without a gap that could separate two columns."""

    glyphs: list[Glyph] = field(default_factory=list)

    @property
    def size(self) -> float:
        """Return the type size of its first glyph, in points."""
        return self.glyphs[0].style.size


@dataclass(slots=True)
class Line(Placed):
    """A line of a column in reading order, with the style of most of its glyphs. `entry` means that
    it has a wide gap, as between a term and its definition, or ends in a leader and a page number.
    """

    text: str
    style: Style
    entry: bool = False


@dataclass(slots=True)
class Block(Placed):
    """A future element. `lines` are those of a paragraph or heading, `rows` those of a table, and
    `columns` the left edges of its columns in points. `picture` is the SHA-256 of an image."""

    kind: ElementKind
    text: str
    lines: tuple[Line, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    columns: tuple[float, ...] = ()
    header: str = ""
    level: int = 0
    marginal: bool = False
    picture: str = ""


def is_large(size: float, other: float) -> bool:
    """Return whether type of the first size may be as high as two lines of the second one."""
    return size >= _LARGE * other


def level_with(one: Glyph | Placed, other: Glyph | Placed) -> bool:
    """Return whether two things are beside each other: they share half the height of the lower."""
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared >= _SHARED * min(one.bottom - one.top, other.bottom - other.top)


def around(some: Sequence[Placed]) -> tuple[float, float, float, float]:
    """Return the bounding box as (left, top, right, bottom). At least one part is needed."""
    return (
        min(one.left for one in some),
        min(one.top for one in some),
        max(one.right for one in some),
        max(one.bottom for one in some),
    )


def within(one: Placed, outer: Placed, slack: float = 1.0) -> bool:
    """Return whether the centre of one is inside the other, with `slack` in points."""
    across = (one.left + one.right) / 2
    return (
        outer.left - slack <= across <= outer.right + slack
        and outer.top - slack <= one.middle <= outer.bottom + slack
    )
