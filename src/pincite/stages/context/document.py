"""The text of one document, put together from its chunks where it is known exactly. Extracted
documents have no lines in their file; the lines counted here are those of the extracted text."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pincite.model import Chunk, Context, OnPage
from pincite.model.citation import cite
from pincite.model.spans import between, match_of
from pincite.support.token_estimate import estimate_tokens


class Document:
    """The chunks of a document in the order of the file. Places count from 0; ranges include their
    last place."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self.chunks = chunks
        self._places = {chunk.id: place for place, chunk in enumerate(chunks)}
        self._tokens: dict[int, int] = {}

    def place_of(self, chunk: Chunk) -> int | None:
        """Return the place of a chunk, None for a chunk of another revision."""
        return self._places.get(chunk.id)

    def joined(self, place: int) -> bool:
        """Is the text between this chunk and the next one known, and are both on one page?"""
        return (
            0 <= place < len(self.chunks) - 1
            and between(self.chunks[place], self.chunks[place + 1]) is not None
        )

    def tokens(self, first: int, last: int) -> int:
        """Estimate the tokens of a range, conservatively."""
        spaces = sum(self._space(place) for place in range(first, last))
        return sum(self._estimate(place) for place in range(first, last + 1)) + spaces

    def _estimate(self, place: int) -> int:
        known = self._tokens.get(place)
        if known is None:
            known = self._tokens[place] = estimate_tokens(self.chunks[place].text)
        return known

    def _space(self, place: int) -> int:
        """Estimate the tokens of the text between this chunk and the next one."""
        return estimate_tokens(between(self.chunks[place], self.chunks[place + 1]) or "")

    def characters(self, first: int, last: int) -> int:
        """Count the characters of a range."""
        return self.chunks[last].end - self.chunks[first].start

    def lines(self, first: int, last: int) -> int:
        """Count the lines of a range, blank ones included."""
        if self.chunks[first].on_page is not None:
            return self.text(first, last).count("\n") + 1
        return self.chunks[last].end_line - self.chunks[first].start_line + 1

    def begins_line(self, place: int) -> bool:
        """Does this chunk begin at the beginning of a line?"""
        if self.chunks[place].on_page is not None:
            return not self.joined(place - 1) or self._breaks(place - 1)
        return self.chunks[place].start_column in (None, 1)

    def ends_line(self, place: int) -> bool:
        """Does this chunk end at the end of a line, as far as is known?"""
        if self.chunks[place].on_page is not None:
            return not self.joined(place) or self._breaks(place)
        if self.chunks[place].end_column is None:
            return True
        if place + 1 == len(self.chunks):
            return False
        space = between(self.chunks[place], self.chunks[place + 1])
        return space is not None and space.startswith(("\n", "\r\n"))

    def _breaks(self, place: int) -> bool:
        """Is there a line end after this chunk, which is joined to the next?"""
        return "\n" in (between(self.chunks[place], self.chunks[place + 1]) or "")

    def text(self, first: int, last: int) -> str:
        """Return the text of a range in which all chunks are `joined`."""
        parts = [self.chunks[first].text]
        for place in range(first, last):
            parts.append(between(self.chunks[place], self.chunks[place + 1]) or "")
            parts.append(self.chunks[place + 1].text)
        return "".join(parts)

    def _place(self, first: int, last: int) -> OnPage | None:
        """Return the position of a range: that of its first chunk, with the rows of all."""
        place = self.chunks[first].on_page
        parts = self.chunks[first : last + 1]
        rows = [one.on_page.rows for one in parts if one.on_page and one.on_page.rows]
        if place is None or not rows:
            return place
        return msgspec.structs.replace(place, rows=(rows[0][0], rows[-1][1]))

    def shown(self, first: int, last: int, found: Sequence[int]) -> Context:
        """Return a range of whole lines, with the chunks that the search found in it if there are
        several."""
        begin, end = self.chunks[first], self.chunks[last]
        span = msgspec.structs.replace(
            begin,
            end=end.end,
            end_line=end.end_line,
            start_column=None,
            end_column=None,
            on_page=self._place(first, last),
        )
        marked = tuple(match_of(self.chunks[place]) for place in sorted(found))
        return Context(
            start_line=begin.start_line,
            end_line=end.end_line,
            text=self.text(first, last),
            citation=cite(span),
            matches=marked if len(marked) > 1 else (),
        )
