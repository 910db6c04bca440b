"""Cut extracted documents by their elements: no section is on two pages.

Headings give the heading path, across pages. Paragraphs are packed to the budget, tables are cut
between rows, and each part is encoded with the header of its table. Running headers and footers are
not indexed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pincite.chunkers.limits import limited
from pincite.chunkers.lines import Lines
from pincite.chunkers.packing import Packer
from pincite.chunkers.pieces import Path, common_path, related
from pincite.chunkers.splitting import split_lines, split_span
from pincite.model import Box, OnPage, Section
from pincite.readers.extraction.result import PICTURE

if TYPE_CHECKING:
    from pincite.chunkers.config import ChunkerConfig
    from pincite.model import Document, Element, PageSpan
    from pincite.model.documents import Rows

_HEADING_CHARS = 120
_DEEPEST = 6  # headings in a path
_TINY_SHARE = 0.25  # of the target, as in `packing`
_HEADER_SHARE = 0.5  # of the room: a longer header row is shortened


@dataclass(slots=True)
class _Group:
    """Elements of one page that are cited together. `bare`: all of them are headings. `plain` is
    encoded instead of the text. Mutable, and used only in this module."""

    start: int
    end: int
    page: int
    path: Path
    boxes: list[Box] = field(default_factory=list)
    visual: bool = False
    bare: bool = False
    plain: str | None = None
    note: str = ""
    rows: Rows | None = None


#: Whether the first group may absorb the second, which follows it.
_Joins = Callable[[_Group, _Group], bool]


def chunk_elements(document: Document, config: ChunkerConfig) -> tuple[Section, ...]:
    """Return sections in order, each on one page."""
    cutting = _Cutting(document, config)
    groups = cutting.join(cutting.groups(), cutting.small)
    pages = {page.number: page for page in document.pages}
    cut = cutting.join(groups, cutting.left_over)
    return tuple(limited(_section(group, pages[group.page]) for group in cut))


class _Cutting:
    """The state while one document is cut. All costs are estimated word pieces."""

    def __init__(self, document: Document, config: ChunkerConfig) -> None:
        self._text = document.text
        self._elements = document.elements
        self._lines = Lines(document.text)
        self._packer = Packer(document, self._lines, config)
        self._tiny = config.target_tokens * _TINY_SHARE
        self._path: list[tuple[int, str]] = []

    def groups(self) -> Iterator[_Group]:
        """Yield the elements with text, each with the headings directly above it if both fit."""
        waiting: _Group | None = None
        for element in self._elements:
            start, end = self._trimmed(element.start, element.end)
            if element.marginal or start == end or self._says_nothing(element, start, end):
                continue
            if waiting is not None and not self._meet(waiting, start, element.page):
                yield waiting
                waiting = None
            if element.kind == "heading":
                path = self._below(element, start, end)
                if waiting is None:
                    waiting = _Group(start, end, element.page, path, bare=True)
                waiting.end, waiting.path = end, path
                waiting.boxes += [element.box] if element.box else []
                continue
            parts = list(self._parts(element, start, end))
            if waiting is not None and not self._headed(waiting, parts[0]):
                yield waiting
            waiting = None
            yield from parts
        if waiting is not None:
            yield waiting

    def _says_nothing(self, element: Element, start: int, end: int) -> bool:
        """Return whether the element is a picture without text and without a description."""
        return element.kind == "image" and not element.note and self._text[start:end] == PICTURE

    def _below(self, element: Element, start: int, end: int) -> Path:
        """Return the heading path of the elements below this heading."""
        name = " ".join(self._text[start:end].split()).lstrip("#").strip()
        level = max(1, element.level)
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        if name:
            self._path.append((level, name[:_HEADING_CHARS]))
        del self._path[:-_DEEPEST]
        return self._here()

    def _here(self) -> Path:
        return tuple(name for _, name in self._path)

    def _headed(self, heading: _Group, part: _Group) -> bool:
        """Put the headings before the part if both fit; return whether they do."""
        if self._cost(heading.start, part.end) > self._packer.room(part.path):
            return False
        part.start = heading.start
        part.boxes[:0] = heading.boxes
        return True

    def _parts(self, element: Element, start: int, end: int) -> Iterator[_Group]:
        """Yield the element as one group, or as several if it is too long."""
        path, boxes = self._here(), [element.box] if element.box else []
        room, target = self._packer.room(path), self._packer.target(path)
        visual = element.kind in ("table", "image")
        header = ""
        if element.kind == "table":
            header, paid = self._header(element.header, room)
            room, target = room - paid, max(target - paid, 16.0)
        for first, last in self._spans(start, end, room=room, target=target):
            group = _Group(first, last, element.page, path, list(boxes), visual)
            group.note = element.note
            group.rows = self._rows(element, first, last)
            if header and not self._text.startswith(element.header, first):
                group.plain = f"{header}\n{self._text[first:last]}"
            yield group

    def _rows(self, element: Element, first: int, last: int) -> Rows | None:
        """Return the first and the last row of a span of the element, None if the element has no
        rows. Equal to `rows_within`, but the lines before the span are not counted again: a table
        may have very many parts."""
        if not element.row:
            return None
        row_at = self._lines.line_at
        top = element.row + row_at(first) - row_at(element.start)
        return top, top + row_at(last - 1) - row_at(first)

    def _header(self, header: str, room: float) -> tuple[str, float]:
        """Return the header for later parts of a table, shortened if necessary, and its cost."""
        cost = Lines(header).cost_until if header else [0.0]
        most = int(len(header) * min(1.0, room * _HEADER_SHARE / max(float(cost[-1]), 1.0)))
        return header[:most], float(cost[most])

    def _spans(
        self, start: int, end: int, *, room: float, target: float
    ) -> Iterator[tuple[int, int]]:
        """Yield the span, or parts of it that fit: whole lines if possible."""
        if self._cost(start, end) <= room:
            yield start, end
            return
        lines = self._lines
        first, last = lines.line_at(start), lines.line_at(end - 1) + 1
        whole = lines.starts[first] == start and lines.end_of(last - 1) == end
        ranges = split_lines(lines, first, last, target=target, limit=room) if whole else ()
        spans = [(lines.starts[a], lines.end_of(b - 1)) for a, b in ranges] or [(start, end)]
        for one in spans:
            begin, stop = self._trimmed(*one)
            if begin == stop:
                continue
            if self._cost(begin, stop) <= room:
                yield begin, stop
            else:
                yield from split_span(lines, begin, stop, limit=min(room, target))

    def join(self, groups: Iterable[_Group], joins: _Joins) -> Iterator[_Group]:
        """Merge greedily from the front: each group absorbs the following ones while it `joins`
        them."""
        current: _Group | None = None
        for group in groups:
            if current is None:
                current = group
            elif self._may_join(current, group) and joins(current, group):
                current.path = group.path if current.bare else common_path(current.path, group.path)
                current.end, current.bare = group.end, current.bare and group.bare
                current.boxes += group.boxes
            else:
                yield current
                current = group
        if current is not None:
            yield current

    def _may_join(self, a: _Group, b: _Group) -> bool:
        return self._meet(a, b.start, b.page) and not a.visual and not b.visual

    def _meet(self, a: _Group, start: int, page: int) -> bool:
        """Return whether the next group is on the same page, with only white space between them."""
        return a.page == page and not self._text[a.end : start].strip()

    def small(self, a: _Group, b: _Group) -> bool:
        """Return whether two neighbours with related paths fit into the target together."""
        return related(a.path, b.path) and self._cost(a.start, b.end) <= self._packer.target(a.path)

    def left_over(self, a: _Group, b: _Group) -> bool:
        """Return whether one of the groups is tiny, their paths are related, and both fit into the
        room."""
        tiny = min(self._cost(a.start, a.end), self._cost(b.start, b.end)) < self._tiny
        shared = common_path(a.path, b.path)
        akin = related(a.path, b.path) or len(shared) == min(len(a.path), len(b.path))
        return tiny and akin and self._cost(a.start, b.end) <= self._packer.room(shared)

    def _cost(self, start: int, end: int) -> float:
        until = self._lines.cost_until
        return float(until[end] - until[start])

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        while start < end and self._text[start].isspace():
            start += 1
        while end > start and self._text[end - 1].isspace():
            end -= 1
        return start, end


def _section(group: _Group, page: PageSpan) -> Section:
    is_record = bool(page.attributes)  # pages of files have none
    boxes = group.boxes
    box = None
    if boxes:
        left, top, right, bottom = zip(*boxes, strict=True)
        box = (min(left), min(top), max(right), max(bottom))
    return Section(
        group.start,
        group.end,
        group.path,
        plain=group.plain,
        attributes=page.attributes,
        on_page=OnPage(
            *(group.page, group.visual, box, group.note, page.recognised, group.rows, is_record)
        ),
    )
