"""The outline of a document: its chunks without their texts. With it, a search chooses the text
around a result and reads only the chunks that it shows."""

from __future__ import annotations

from struct import Struct
from typing import Final, NamedTuple

import msgspec

#: The version of stored outlines. Raise it with every change of their form, of `between` or of
#: `estimate_tokens`; outlines of another version count as missing, and are made again.
OUTLINE_VERSION: Final = 1

#: How an `OutlinedChunk` is packed.
ROW: Final = Struct("<5Ii2IB")
UNKNOWN: Final = -1  # a space between chunks that is unknown
OTHERS: Final = -2  # the first of `other_spaces`, the next one is -3
BEGINS, ENDS = 1, 2  # bits of `inside`
_decode: Final = msgspec.msgpack.Decoder(tuple[str, ...]).decode


class OutlinedChunk(NamedTuple):
    """A chunk in an outline. `start` and `end` are characters, `first_line` and `last_line` count
    from 1. `tokens` is an estimate for its text. `space` is the number of newlines before the next
    chunk; if it is negative, the text there is unknown, or one of `Outline.other_spaces`. The
    heading path has `path_size` bytes of `Outline.paths`, from `path_at`. `inside` has the bits
    `BEGINS` and `ENDS` if the chunk begins or ends inside a line."""

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
        """Whether the chunk begins inside a line."""
        return bool(self.inside & BEGINS)

    @property
    def ends_inside(self) -> bool:
        """Whether the chunk ends inside a line."""
        return bool(self.inside & ENDS)


class Outline(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The chunks of a document in the order of the file. They are packed, because a search unpacks
    only a few of them."""

    rows: bytes
    paths: bytes
    other_spaces: tuple[str, ...] = ()

    def chunk(self, place: int) -> OutlinedChunk:
        """Return the chunk at this place, from 0."""
        return OutlinedChunk._make(ROW.unpack_from(self.rows, ROW.size * place))

    def headings(self, chunk: OutlinedChunk) -> tuple[str, ...]:
        """Return the heading path of a chunk."""
        return _decode(self.paths[chunk.path_at : chunk.path_at + chunk.path_size])

    def space_after(self, chunk: OutlinedChunk) -> str | None:
        """Return the text between a chunk and the next one, None if it is unknown."""
        if chunk.space >= 0:
            return "\n" * chunk.space
        return None if chunk.space == UNKNOWN else self.other_spaces[OTHERS - chunk.space]


class OutlinedDocument(NamedTuple):
    """The outline of a document, the hash of its content, and the ids of its chunks, 16 bytes
    each."""

    content_hash: str
    ids: bytes
    outline: Outline
