"""Cut extracted documents by their elements: no section is on two pages.

Headings give the heading path, across pages. Paragraphs are packed to the budget, tables are cut
between rows, and each part is encoded with the header of its table. Running headers and footers are
not indexed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pincite.chunkers.limits import limited
from pincite.chunkers.lines import Lines
from pincite.chunkers.packing import Packer
from pincite.chunkers.pieces import Path, below, common_path, related
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
_MOST_HEADER = 0.75  # of the room, for a header whose beginning costs more than its end


@dataclass(slots=True)
class _Group:
    """Elements of one page that are cited together. `bare`: all of them are headings. `plain` is
    encoded instead of the text. `heading` is the start of its last heading, -1 if it has none;
    `goes_on`: the section below that heading goes on in the next group. `mixed`: it has text of
    several sections. Mutable, and used only in this module."""

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
    heading: int = -1
    goes_on: bool = False
    mixed: bool = False


#: Whether the first group may absorb the second, which follows it.
_Joins = Callable[[_Group, _Group], bool]


def chunk_elements(document: Document, config: ChunkerConfig) -> tuple[Section, ...]:
    """Return sections in order, each on one page."""
    cutting = _Cutting(document, config)
    whole = cutting.join(cutting.groups(), cutting.of_one_section)
    groups = cutting.join(cutting.marked(whole), cutting.small)
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
        """Yield the elements with text. Headings wait for the text below them, and with little text
        for more of it."""
        waiting: _Group | None = None
        for element in self._elements:
            start, end = self._trimmed(element.start, element.end)
            if element.marginal or start == end or self._says_nothing(element, start, end):
                continue
            is_heading = element.kind == "heading"
            if waiting is not None and not (
                self._meet(waiting, start, element.page)
                and (waiting.bare or element.kind == "paragraph")
            ):
                yield waiting
                waiting = None
            if is_heading:
                path = self._below(element, start, end)
                if waiting is None:
                    waiting = _Group(start, end, element.page, path, bare=True, heading=start)
                waiting.end, waiting.path, waiting.heading = end, path, start
                waiting.boxes += [element.box] if element.box else []
                continue
            parts = list(self._parts(element, start, end, waiting))
            if waiting is not None and not self._headed(waiting, parts[0]):
                yield waiting
            waiting = None
            if len(parts) == 1 and self._is_bare(parts[0]):
                waiting = parts[0]
            else:
                yield from parts
        if waiting is not None:
            yield waiting

    def _is_bare(self, group: _Group) -> bool:
        """Return whether the group ends with a heading that has little or nothing below it."""
        if group.heading < 0 or group.visual:
            return False
        return self._cost(group.heading, group.end) < self._tiny

    def marked(self, groups: Iterable[_Group]) -> Iterator[_Group]:
        """Yield the groups, with `goes_on`. A little of a section at the end of a page does not
        count: what follows is in another group anyway."""
        last: _Group | None = None
        for group in groups:
            if last is not None:
                deeper = len(group.path) > len(last.path) and below(group.path, last.path)
                last.goes_on = group.heading < 0 or (deeper and self._is_bare(last))
                if group.page != last.page and self._cost(last.start, last.end) < self._tiny:
                    last.goes_on = False
                yield last
            last = group
        if last is not None:
            yield last

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
        """Put the headings before the part if both fit; return whether they are there."""
        if part.start > heading.start:
            if self._cost(heading.start, part.end) > self._packer.room(part.path):
                return False
            part.start = heading.start
        part.boxes[:0] = heading.boxes
        part.heading = heading.heading
        return True

    def _parts(
        self, element: Element, start: int, end: int, head: _Group | None
    ) -> Iterator[_Group]:
        """Yield the element as one group, or as several if it is too long. The first part of a long
        paragraph begins with the headings above it."""
        path, boxes = self._here(), [element.box] if element.box else []
        room, target = self._packer.room(path), self._packer.target(path)
        visual = element.kind in ("table", "image")
        header, above = "", 0
        if element.kind == "table":
            header, paid = self._header(element.header, room)
            room, target = room - paid, max(target - paid, 16.0)
        elif head is not None and self._cost(head.start, end) > room:
            above = self._lines.line_at(start) - self._lines.line_at(head.start)
            start = head.start
        for first, last in self._spans(start, end, room=room, target=target, head=above):
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
        most = min(most, bisect_right(cost, room * _MOST_HEADER) - 1)  # its beginning may cost most
        return header[:most], float(cost[most])

    def _spans(
        self, start: int, end: int, *, room: float, target: float, head: int = 0
    ) -> Iterator[tuple[int, int]]:
        """Yield the span, or parts of it that fit: whole lines if possible. The first `head` lines
        stay with the line after them."""
        if self._cost(start, end) <= room:
            yield start, end
            return
        lines = self._lines
        first, last = lines.line_at(start), lines.line_at(end - 1) + 1
        whole = lines.starts[first] == start and lines.end_of(last - 1) == end
        ranges = (
            split_lines(lines, first, last, target=target, limit=room, head=head) if whole else ()
        )
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
                _absorb(current, group)
            else:
                yield current
                current = group
        if current is not None:
            yield current

    def _may_join(self, a: _Group, b: _Group) -> bool:
        """Return whether two neighbours may be cited together. The beginning of a section that goes
        on is joined only with the text of its parents, as in `packing`."""
        if not self._meet(a, b.start, b.page) or a.visual or b.visual:
            return False
        if b.heading < 0 or not b.goes_on:
            return True
        return not a.mixed and len(a.path) < len(b.path) and below(b.path, a.path)

    def _meet(self, a: _Group, start: int, page: int) -> bool:
        """Return whether the next group is on the same page, with only white space between them."""
        return a.page == page and not self._text[a.end : start].strip()

    def of_one_section(self, a: _Group, b: _Group) -> bool:
        """Return whether the second group goes on with the section of the first, and both fit into
        the target together."""
        return b.heading < 0 and self.small(a, b)

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


def _absorb(into: _Group, group: _Group) -> None:
    """Add a group to the one before it."""
    shared = common_path(into.path, group.path)
    if group.heading >= 0 and not into.bare:
        into.mixed = True
    into.path = group.path if into.bare else shared
    into.end, into.bare = group.end, into.bare and group.bare
    into.heading, into.goes_on = max(into.heading, group.heading), group.goes_on
    into.boxes += group.boxes


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
