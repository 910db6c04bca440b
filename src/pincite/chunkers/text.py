"""Cut plain text, reStructuredText, and code without a grammar, by paragraphs and indentation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from pincite.chunkers.pieces import Path, Piece

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pincite.chunkers.lines import Lines

#: Yields the pieces of lines `first` to `last` (exclusive) below a heading path.
Divide = Callable[[int, int, Path], Iterator[Piece]]

_MARKS = frozenset("=-~^\"'`*+#:._<>")


def text_pieces(lines: Lines) -> Iterator[Piece]:
    """Yield the paragraphs of all lines; see `paragraphs`."""
    return paragraphs(lines, 0, len(lines), ())


def paragraphs(
    lines: Lines, first: int, last: int, path: Path, whole: Iterable[tuple[int, int]] = ()
) -> Iterator[Piece]:
    """Yield blocks between blank lines. A block that is indented more than the previous one belongs
    to it, such as the body of a function, a directive or a list item. Ranges of lines in `whole`,
    in order, are not divided."""
    margin = -1
    ranges = iter(whole)
    begin, end = next(ranges, (last, last))
    for line in range(first, last):
        while end <= line:
            begin, end = next(ranges, (last, last + 1))
        if lines.blank[line]:
            continue
        if margin < 0:
            margin = lines.indent(line)
        elif lines.blank[line - 1] and lines.indent(line) <= margin and not begin < line:
            yield Piece(first, line, path)
            first, margin = line, lines.indent(line)
    if first < last:
        yield Piece(first, last, path)


class Heading(NamedTuple):
    """A heading in lines `first` to `last` (exclusive). Top headings have the smallest `level`."""

    first: int
    last: int
    level: int
    title: str


def headed_pieces(
    lines: Lines,
    headings: Iterable[Heading],
    room: Callable[[Path], float],
    whole: Sequence[tuple[int, int]] = (),
    divide: Divide | None = None,
) -> Iterator[Piece]:
    """Yield a section for each heading, if it fits. `divide` yields the pieces of one that does
    not; by default, these are paragraphs. Headings and the ranges in `whole` are in order."""
    path: Path = ()
    levels: list[int] = []
    before = Heading(0, 0, 0, "")
    for heading in headings:
        yield from _section(lines, before, heading.first, path, room, whole, divide)
        while levels and levels[-1] >= heading.level:
            levels.pop()
        path = (*path[: len(levels)], " ".join(heading.title.split())[:120])
        levels.append(heading.level)
        before = heading
    yield from _section(lines, before, len(lines), path, room, whole, divide)


def _section(
    lines: Lines,
    heading: Heading,
    last: int,
    path: Path,
    room: Callable[[Path], float],
    whole: Sequence[tuple[int, int]],
    divide: Divide | None,
) -> Iterator[Piece]:
    first = heading.first
    if first >= last:
        return
    body = min(heading.last, last)
    heads = body > first
    if lines.cost(first, last) <= room(path):
        start, end = lines.trim(body, last)
        yield Piece(first, last, path, forward=heads and start == end, heads=heads)
        return
    if heads:
        yield Piece(first, body, path, forward=True, heads=True)
    if divide is not None:
        yield from divide(body, last, path)
    else:
        yield from paragraphs(lines, body, last, path, whole[bisect_right(whole, (body,)) :])


def rst_pieces(lines: Lines, room: Callable[[Path], float]) -> Iterator[Piece]:
    """Yield sections by underlined headings. The order in which the styles of underlines first
    appear gives the levels."""
    return headed_pieces(lines, _rst_headings(lines), room)


def _rst_headings(lines: Lines) -> Iterator[Heading]:
    after = 0
    styles: list[tuple[str, bool]] = []
    for line in range(1, len(lines)):
        mark = _mark_of(lines.lines[line])
        if not mark or line - 1 < after or lines.blank[line - 1]:
            continue
        text = lines.lines[line - 1].rstrip()
        if _mark_of(text) or len(lines.lines[line].rstrip()) < min(len(text), 4):
            continue
        over = line >= 2 and line - 2 >= after and _mark_of(lines.lines[line - 2]) == mark
        if not over and (text[0].isspace() or (line >= 2 and not lines.blank[line - 2])):
            continue
        after = line + 1
        style = (mark, over)
        if style not in styles:
            styles.append(style)
        yield Heading(line - 2 if over else line - 1, line + 1, styles.index(style), text)


def _mark_of(line: str) -> str:
    """Return the character that the line repeats, if it may underline a heading; else ""."""
    bare = line.rstrip()
    mark = bare[:1]
    return mark if mark in _MARKS and len(bare) > 1 and bare == mark * len(bare) else ""
