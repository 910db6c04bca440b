"""The text of one document, assembled from its chunks as far as it is known exactly. Extracted
documents have no lines in their file; the lines counted here are those of the extracted text.

Only the chunks around the results are read. A method that needs another chunk raises `NotRead`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from pincite.model import Chunk, Context, OnPage
from pincite.model.citation import cite
from pincite.model.spans import between, match_of
from pincite.support.fields import replace
from pincite.support.token_estimate import estimate_tokens

#: Chunks to find by a linear search. Building a table takes as long as four to eight searches.
_FEW = 8
#: Cached, because the questions of a conversation show many chunks again.
_estimate = lru_cache(2_048)(estimate_tokens)


class NotRead(Exception):
    """The chunk at a `place` of a document is needed and has not been read yet. It is not lost."""

    def __init__(self, document: DocumentChunks, place: int) -> None:
        super().__init__(place)
        self.document = document
        self.place = place


class DocumentChunks:
    """The chunks of a document in the order of the file. Places count from 0; ranges include their
    last place. A chunk that cannot be read, or may not be shown, is `lost`: nothing is joined to
    it."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = ids
        self._places: dict[str, int | None] = {}  # of the chunks asked for, or of all
        self._has_all = False
        self._read: dict[int, Chunk] = {}
        self._lost: set[int] = set()
        self._spaces: dict[int, str | None] = {}
        self._tokens: dict[tuple[int, int], int] = {}

    def add(self, read: Mapping[int, Chunk], asked: Iterable[int] = ()) -> None:
        """Add chunks that have been read, by place. Chunks at the places `asked` that could not be
        read are lost."""
        self._read |= read
        self._lost.update(place for place in asked if place not in self._read)

    @property
    def lost(self) -> bool:
        """Whether a chunk is lost."""
        return bool(self._lost)

    def around(self, place: int, reach: int) -> list[int]:
        """Return the places within `reach` of a place that have not been read."""
        near = range(max(0, place - reach), min(len(self.ids), place + reach + 1))
        return [one for one in near if one not in self._read and one not in self._lost]

    def chunk(self, place: int) -> Chunk:
        """Return the chunk at a place. Raises NotRead."""
        try:
            return self._read[place]
        except KeyError:
            raise NotRead(self, place) from None

    def _between(self, place: int) -> str | None:
        """Return the text between a chunk and the next one, None if it is unknown."""
        if place not in self._spaces:
            known = place not in self._lost and place + 1 not in self._lost
            self._spaces[place] = self._space_after(place) if known else None
        return self._spaces[place]

    def _space_after(self, place: int) -> str | None:
        return between(self.chunk(place), self.chunk(place + 1))

    def place_of(self, chunk: Chunk) -> int | None:
        """Return the place of a chunk, None for a chunk of another revision or a lost one."""
        place = self._place_of(chunk.id)
        return None if place in self._lost else place

    def places_of(self, ids: Iterable[str]) -> list[int]:
        """Return the places of these chunks. Chunks that are not in the document are left out."""
        return [place for id_ in ids if (place := self._place_of(id_)) is not None]

    def _place_of(self, id_: str) -> int | None:
        """Return the place of a chunk. The first few are found by a linear search, then a table is
        built, because a file can have thousands of chunks."""
        places = self._places
        if id_ in places or self._has_all:
            return places.get(id_)
        if len(places) == _FEW:
            self._has_all = True
            places |= {one: place for place, one in enumerate(self.ids)}
            return places.get(id_)
        try:
            places[id_] = self.ids.index(id_)
        except ValueError:
            places[id_] = None
        return places[id_]

    def joined(self, place: int) -> bool:
        """Return whether the text between this chunk and the next one is known, and both are on one
        page."""
        return 0 <= place < len(self.ids) - 1 and self._between(place) is not None

    def tokens(self, first: int, last: int) -> int:
        """Estimate the tokens of a range, conservatively. Ranges grow by one chunk at a time."""
        known = self._tokens
        reach = (first, last)
        if reach not in known:
            if first == last:
                known[reach] = self._own_tokens(first)
            elif (first + 1, last) in known:
                rest = self._space(first) + known[first + 1, last]
                known[reach] = self.tokens(first, first) + rest
            elif (first, last - 1) in known:
                rest = self._space(last - 1) + self.tokens(last, last)
                known[reach] = known[first, last - 1] + rest
            else:
                whole = self.tokens(first, first)
                for place in range(first, last):
                    whole += self._space(place) + self.tokens(place + 1, place + 1)
                    known[first, place + 1] = whole
        return known[reach]

    def _own_tokens(self, place: int) -> int:
        """Estimate the tokens of a chunk."""
        return _estimate(self.chunk(place).text)

    def _space(self, place: int) -> int:
        """Estimate the tokens of the text between this chunk and the next one."""
        return _estimate(self._between(place) or "")

    def headings(self, place: int) -> tuple[str, ...]:
        """Return the heading path of a chunk."""
        return self.chunk(place).headings

    def characters(self, first: int, last: int) -> int:
        """Count the characters of a range."""
        return self.chunk(last).end - self.chunk(first).start

    def lines(self, first: int, last: int) -> int:
        """Count the lines of a range, blank ones included."""
        if self.chunk(first).on_page is not None:
            return self.text(first, last).count("\n") + 1
        return self.chunk(last).end_line - self.chunk(first).start_line + 1

    def begins_line(self, place: int) -> bool:
        """Return whether this chunk begins at the beginning of a line."""
        if self.chunk(place).on_page is not None:
            return not self.joined(place - 1) or self._breaks(place - 1)
        return self.chunk(place).start_column in (None, 1)

    def ends_line(self, place: int) -> bool:
        """Return whether this chunk ends at the end of a line, as far as is known."""
        if self._is_on_page(place):
            return not self.joined(place) or self._breaks(place)
        if not self._ends_inside(place):
            return True
        if place + 1 == len(self.ids):
            return False
        space = self._between(place)
        return space is not None and space.startswith(("\n", "\r\n"))

    def _is_on_page(self, place: int) -> bool:
        return self.chunk(place).on_page is not None

    def _ends_inside(self, place: int) -> bool:
        return self.chunk(place).end_column is not None

    def _breaks(self, place: int) -> bool:
        """Return whether a line ends after this chunk, which is joined to the next one."""
        return "\n" in (self._between(place) or "")

    def text(self, first: int, last: int) -> str:
        """Return the text of a range in which all chunks are `joined`."""
        parts = [self.chunk(first).text]
        for place in range(first, last):
            parts.append(self._between(place) or "")
            parts.append(self.chunk(place + 1).text)
        return "".join(parts)

    def _place(self, first: int, last: int) -> OnPage | None:
        """Return the position of a range: that of its first chunk, with the rows of all."""
        place = self.chunk(first).on_page
        parts = [self.chunk(one) for one in range(first, last + 1)]
        rows = [one.on_page.rows for one in parts if one.on_page and one.on_page.rows]
        if place is None or not rows:
            return place
        return replace(place, rows=(rows[0][0], rows[-1][1]))

    def shown(self, first: int, last: int, found: Sequence[int]) -> Context:
        """Return a range of whole lines, with the chunks that the search found in it if there are
        several."""
        begin, end = self.chunk(first), self.chunk(last)
        span = replace(
            begin,
            end=end.end,
            end_line=end.end_line,
            start_column=None,
            end_column=None,
            on_page=self._place(first, last),
        )
        marked = tuple(match_of(self.chunk(place)) for place in sorted(found))
        return Context(
            start_line=begin.start_line,
            end_line=end.end_line,
            text=self.text(first, last),
            citation=cite(span),
            matches=marked if len(marked) > 1 else (),
        )
