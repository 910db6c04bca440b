"""Cut plain text, reStructuredText, and code without a grammar: paragraphs and indentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.chunkers.pieces import Path, Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pincite.chunkers.lines import Lines

_MARKS = frozenset("=-~^\"'`*+#:._<>")


def text_pieces(lines: Lines) -> Iterator[Piece]:
    """Yield paragraphs (see `paragraphs`)."""
    return paragraphs(lines, 0, len(lines), ())


def paragraphs(lines: Lines, first: int, last: int, path: Path) -> Iterator[Piece]:
    """Yield blocks between blank lines. A block that is indented more than the previous one belongs
    to it: the body of a function, of a directive, of a list item."""
    margin = -1
    for line in range(first, last):
        if lines.blank[line]:
            continue
        if margin < 0:
            margin = lines.indent(line)
        elif lines.blank[line - 1] and lines.indent(line) <= margin:
            yield Piece(first, line, path)
            first, margin = line, lines.indent(line)
    if first < last:
        yield Piece(first, last, path)


def rst_pieces(lines: Lines, room: Callable[[Path], float]) -> Iterator[Piece]:
    """Yield sections by underlined headings; levels follow the order in which their marks
    appear."""
    path: Path = ()
    levels: list[int] = []
    styles: list[tuple[str, bool]] = []
    first = title = 0
    for top, text_line, style in _rst_headings(lines):
        yield from _rst_section(lines, first, top, title, path, room)
        if style not in styles:
            styles.append(style)
        level = styles.index(style)
        while levels and levels[-1] >= level:
            levels.pop()
        path = (*path[: len(levels)], " ".join(lines.lines[text_line].split())[:120])
        levels.append(level)
        first, title = top, text_line + 2
    yield from _rst_section(lines, first, len(lines), title, path, room)


def _rst_section(
    lines: Lines, first: int, last: int, title: int, path: Path, room: Callable[[Path], float]
) -> Iterator[Piece]:
    if first >= last:
        return
    if lines.cost(first, last) <= room(path):
        yield Piece(first, last, path)
        return
    if title > first:
        yield Piece(first, min(title, last), path, forward=True)
    yield from paragraphs(lines, max(first, min(title, last)), last, path)


def _rst_headings(lines: Lines) -> Iterator[tuple[int, int, tuple[str, bool]]]:
    """Yield (first line, line of the text, style) of each heading."""
    after = 0
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
        yield line - 2 if over else line - 1, line - 1, (mark, over)


def _mark_of(line: str) -> str:
    """Return the character that the whole line repeats, if it may underline a heading; else ""."""
    bare = line.rstrip()
    mark = bare[:1]
    return mark if mark in _MARKS and len(bare) > 1 and bare == mark * len(bare) else ""
