"""Documents with an outline: only their results are read, until the ranges to show are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from pincite.model import Chunk
from pincite.model.outline import OutlinedDocument
from pincite.stages.context.document import DocumentChunks
from pincite.support.remembered import Remembered

_BYTES = 16  # of an id
_ROWS = 10_000  # chunks of a document that are decoded and kept


class PackedIds(Sequence[str]):
    """The ids of the chunks of a document, decoded when they are needed."""

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    def __len__(self) -> int:
        return len(self._packed) // _BYTES

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self._packed[_BYTES * place : _BYTES * (place + 1)].hex()

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed.hex(" ", _BYTES).split())

    def index(self, id_: str, start: int = 0, stop: int | None = None) -> int:
        """Return the place of an id. Raises ValueError."""
        wanted, end = bytes.fromhex(id_), None if stop is None else _BYTES * stop
        if len(wanted) != _BYTES:
            raise ValueError(f"{id_!r} is not a complete id")
        found = self._packed.index(wanted, _BYTES * start, end)
        while found % _BYTES:  # a match that begins in one id and ends in the next
            found = self._packed.index(wanted, found + 1, end)
        return found // _BYTES


class OutlinedChunks(DocumentChunks):
    """The chunks of a document with an outline. The outline has all that is needed of a chunk,
    except for `text` and `shown`: these need all chunks of their range."""

    def __init__(self, document: OutlinedDocument) -> None:
        super().__init__(PackedIds(document.ids))
        self._content_hash = document.content_hash
        self._outline = document.outline
        self._rows = Remembered(document.outline.chunk, _ROWS)

    def take(self, chunk: Chunk) -> bool:
        """Add a result, which is already read. Return False, and do not add it, if it does not fit
        the outline: it has another content hash or place."""
        place = self.place_of(chunk)
        if place is None or chunk.content_hash != self._content_hash:
            return False
        row = self._rows[place]
        if (row.start, row.end) != (chunk.start, chunk.end):
            return False
        self.add({place: chunk})
        return True

    def unread(self, first: int, last: int) -> list[int]:
        """Return the places of a range that have not been read."""
        return [place for place in range(first, last + 1) if place not in self._read]

    def headings(self, place: int) -> tuple[str, ...]:
        return self._outline.headings(self._rows[place])

    def characters(self, first: int, last: int) -> int:
        return self._rows[last].end - self._rows[first].start

    def lines(self, first: int, last: int) -> int:
        return self._rows[last].last_line - self._rows[first].first_line + 1

    def begins_line(self, place: int) -> bool:
        return not self._rows[place].begins_inside

    def _is_on_page(self, place: int) -> bool:  # noqa: ARG002 - such documents have no outline
        return False

    def _ends_inside(self, place: int) -> bool:
        return self._rows[place].ends_inside

    def _space_after(self, place: int) -> str | None:
        return self._outline.space_after(self._rows[place])

    def _own_tokens(self, place: int) -> int:
        return self._rows[place].tokens
