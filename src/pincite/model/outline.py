"""The outline of a document: all that the text around a result needs to know of chunks that are not
shown. A search that has it reads only the chunks that it shows."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Final, NamedTuple

import msgspec

from pincite.model.chunks import Chunk
from pincite.model.spans import between
from pincite.support.token_estimate import estimate_tokens

#: Of stored outlines. Raise it with every change of their form, of `between` or of
#: `estimate_tokens`; outlines of another version count as missing, and are made again.
OUTLINE_VERSION: Final = 1

_ROW: Final = Struct("<5Ii2IB")
_MOST: Final = 2**31 - 1
_UNKNOWN: Final = -1  # a space between chunks that is unknown
_OTHERS: Final = -2  # the first of `other_spaces`, the next one is -3
_BEGINS, _ENDS = 1, 2  # inside a line
_decode: Final = msgspec.msgpack.Decoder(tuple[str, ...]).decode


class OutlinedChunk(NamedTuple):
    """A chunk in an outline. `start` and `end` are characters, `first_line` and `last_line` count
    from 1. `tokens` is an estimate of its text. `space` is the number of newlines before the next
    chunk, or negative: the text there is unknown, or one of `Outline.other_spaces`. Its heading
    path has `path_size` bytes of `Outline.paths`, from `path_at`. `inside` says whether it begins
    or ends inside a line."""

    start: int
    end: int
    first_line: int
    last_line: int
    tokens: int
    space: int
    path_at: int
    path_size: int
    inside: int

    @property
    def begins_inside(self) -> bool:
        """Does it begin inside a line?"""
        return bool(self.inside & _BEGINS)

    @property
    def ends_inside(self) -> bool:
        """Does it end inside a line?"""
        return bool(self.inside & _ENDS)


class Outline(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The chunks of a document in the order of the file, packed: a search looks at a few of
    many."""

    rows: bytes
    paths: bytes
    other_spaces: tuple[str, ...] = ()

    def chunk(self, place: int) -> OutlinedChunk:
        """Return the chunk at a place, from 0."""
        return OutlinedChunk._make(_ROW.unpack_from(self.rows, _ROW.size * place))

    def headings(self, chunk: OutlinedChunk) -> tuple[str, ...]:
        """Return the heading path of a chunk."""
        return _decode(self.paths[chunk.path_at : chunk.path_at + chunk.path_size])

    def space_after(self, chunk: OutlinedChunk) -> str | None:
        """Return the text between a chunk and the next one, None if it is unknown."""
        if chunk.space >= 0:
            return "\n" * chunk.space
        return None if chunk.space == _UNKNOWN else self.other_spaces[_OTHERS - chunk.space]


class OutlinedDocument(NamedTuple):
    """The outline of a document, the hash of its content, and the ids of its chunks, 16 bytes
    each."""

    content_hash: str
    ids: bytes
    outline: Outline


def outline_of(chunks: Sequence[Chunk]) -> Outline | None:
    """Return the outline of a document with these chunks, in the order of the file. None if it has
    no chunks, if they are on pages, because their lines are counted in the text, or if it has
    2**31 characters."""
    if not chunks or any(one.on_page is not None or one.end > _MOST for one in chunks):
        return None
    paths, places = bytearray(), dict[tuple[str, ...], tuple[int, int]]()
    spaces: dict[str, int] = {}
    rows = bytearray()
    for chunk, after in zip(chunks, (*chunks[1:], None), strict=True):
        if chunk.headings not in places:
            path = msgspec.msgpack.encode(chunk.headings)
            places[chunk.headings] = len(paths), len(path)
            paths += path
        inside = _BEGINS if chunk.start_column not in (None, 1) else 0
        inside += _ENDS if chunk.end_column is not None else 0
        rows += _ROW.pack(
            chunk.start,
            chunk.end,
            chunk.start_line,
            chunk.end_line,
            estimate_tokens(chunk.text),
            _UNKNOWN if after is None else _space(between(chunk, after), spaces),
            *places[chunk.headings],
            _BEGINS * (chunk.start_column not in (None, 1))
            + _ENDS * (chunk.end_column is not None),
        )
    return Outline(bytes(rows), bytes(paths), tuple(spaces))


def _space(space: str | None, others: dict[str, int]) -> int:
    if space is None:
        return _UNKNOWN
    if not space.strip("\n"):
        return len(space)
    return _OTHERS - others.setdefault(space, len(others))
