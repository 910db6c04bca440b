"""Cut manual pages (man and mdoc) into sections by headings, and keep terms with their text."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pincite.chunkers.budget import cumulative_cost
from pincite.chunkers.lines import Lines
from pincite.chunkers.pieces import Piece
from pincite.chunkers.text import Heading, headed_pieces
from pincite.support.fields import replace
from pincite.support.finding.unseen import UNSEEN
from pincite.support.roff.reader import shown_of, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pincite.chunkers.pieces import Path
    from pincite.model import Section
    from pincite.support.roff.reader import Line

#: Share of the cost of the source, for requests and escapes, as in HTML.  # guess, unmeasured
_HIDDEN_SHARE = 0.1
_LEVELS = {"section": 1, "subsection": 2}
_DEEPEST = 6  # levels of indentation; guess, unmeasured
_LONGEST = 120  # characters of a term above its text, as of headings
_WORDS = frozenset(("text", "code", "row"))


def roff_lines(text: str, page: Sequence[Line]) -> Lines:
    """Return lines with the cost of their displayed text, plus a tenth of that of their source."""
    displayed = cumulative_cost(words_of(page).replace(UNSEEN, " "))
    return Lines(text, displayed + _HIDDEN_SHARE * cumulative_cost(text))


def roff_pieces(
    lines: Lines, page: Sequence[Line], room: Callable[[Path], float]
) -> Iterator[Piece]:
    """Yield sections by headings (`.SH`, `.SS`, `.Sh`, `.Ss`). A section that does not fit is
    divided into items and paragraphs, and so is an item. Terms stay with the text below them."""
    reader = _Reader(lines)
    for number, line in enumerate(page[: len(lines)]):
        reader.read(number, line)
    starts = reader.starts

    def divide(first: int, last: int, path: Path) -> Iterator[Piece]:
        inside = starts[_before(starts, first) : _before(starts, last)]
        return _pieces(lines, inside, (first, last), "", path, room)

    return headed_pieces(lines, reader.headings, room, divide=divide)


class _Start(NamedTuple):
    """The first line of an item or a paragraph, its depth, and the term of the item. A deeper one
    belongs to the one above it."""

    line: int
    depth: int
    term: str = ""


def _before(starts: Sequence[_Start], line: int) -> int:
    return bisect_left(starts, (line,))


def _pieces(
    lines: Lines,
    starts: Sequence[_Start],
    span: tuple[int, int],
    term: str,
    path: Path,
    room: Callable[[Path], float],
) -> Iterator[Piece]:
    """Yield the pieces of a span of lines, which begin at `starts`. A span that does not fit is
    divided at the starts of least depth. Later parts of an item have its term in their heading
    path. For each depth, of which there are few, this takes time linear in the starts."""
    first, last = span
    if not starts or lines.cost(first, last) <= room(path):
        if first < last:
            yield Piece(first, last, path, note=term, definition=bool(term))
        return
    least = min(start.depth for start in starts)
    edges = [at for at, start in enumerate(starts) if start.depth == least]
    head = edges[0]
    yield from _pieces(lines, starts[:head], (first, starts[head].line), term, path, room)
    later = (*path, term) if term else path
    for at, following in pairwise((*edges, len(starts))):
        end = starts[following].line if following < len(starts) else last
        inner = starts[at + 1 : following]
        yield from _pieces(lines, inner, (starts[at].line, end), starts[at].term, later, room)


class _Reader:
    """Finds headings and starts, one line after the other."""

    def __init__(self, lines: Lines) -> None:
        self.headings: list[Heading] = []
        self.starts: list[_Start] = []
        self._lines = lines
        self._open = [False]  # for each level: whether an item is open
        self._said = ""  # the last line with words since the last start
        self._count = 0  # lines with words since the last start
        self._is_term = False  # whether only terms have followed the last start
        self._next: tuple[int, int] | None = None  # line and depth of the next start

    def read(self, number: int, line: Line) -> None:
        kind = line.kind
        if level := _LEVELS.get(kind, 0):
            named_below = number > 0 and self._lines.lines[number][:1] not in (".", "'")
            first = number - 1 if named_below else number
            self.headings.append(Heading(first, number + 1, level, shown_of(line)))
            self._open, self._said, self._next, self._is_term = [False], "", None, False
        elif kind in ("indent", "list"):
            self._indent(kind == "list")
        elif kind in ("outdent", "end", "close"):
            if kind != "close" and len(self._open) > 1:
                self._open.pop()
            self._next = (number + 1, self._depth())
        elif kind in ("tag", "item", "term", "paragraph", "break") or self._lines.blank[number]:
            if kind in ("tag", "item", "term", "paragraph"):
                self._open[-1] = kind != "paragraph"
            depth = self._depth() - (kind in ("tag", "item", "term"))
            self._next = (self._next[0] if self._next else number, depth)
            if kind == "term":
                self._term(shown_of(line).strip())
        elif kind in _WORDS and (said := shown_of(line).strip()):
            if self._next and not self._is_term:
                first, depth = self._next
                self.starts.append(_Start(first, depth + self._said.endswith(":")))
                self._count = 0
            self._said, self._next, self._is_term = said, None, False
            self._count += 1

    def _depth(self) -> int:
        return 2 * len(self._open) + self._open[-1]

    def _indent(self, is_list: bool) -> None:
        if len(self._open) < _DEEPEST:
            self._open.append(False)
        if is_list:
            return
        if self._said:
            self._next = None
        if self._count == 1 and self.starts and not self.starts[-1].term and self._said:
            self.starts[-1] = self.starts[-1]._replace(term=self._said[:_LONGEST])  # of a paragraph

    def _term(self, term: str) -> None:
        if self._next is None:
            return
        if not self._is_term:
            self.starts.append(_Start(*self._next, term[:_LONGEST]))
        self._said, self._next, self._count, self._is_term = "", None, 0, True


def with_shown(section: Section, words: str) -> Section:
    """Return the section with its displayed text as `plain`; unchanged if it displays nothing.
    `words` is the displayed text of the whole page."""
    said = words[section.start : section.end].replace(UNSEEN, "")
    kept = (line.rstrip() for line in said.split("\n"))
    plain = "\n".join(line for line in kept if line)
    return replace(section, plain=plain) if plain else section
