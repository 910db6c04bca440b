"""Payloads of Qdrant Edge: the fields that no filter reads are one text.

Qdrant Edge tries each value of a payload as a boolean, an integer and a decimal number before it
tries a text, and does so for each item of a list. With all fields as values of their own, a point
takes 133 us instead of 95 to write, and 12 us instead of 10 to read (docs/decisions/0062). Earlier
versions wrote such points. Both forms are read; a point gets the new form when it is written again.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from pincite.model import Chunk, CitedIn, OnPage, Point
from pincite.stores.payload import (
    COARSE,
    LENGTH,
    PACKED,
    REVISION,
    alias_of,
    attributes_of,
    of_attributes,
)
from pincite.stores.payload import chunk_of as chunk_of_payload
from pincite.support.decodable import ready

_TEXTS: Final = ("repo", "path", "source_type", "language", "text", "title", "url")
_texts_of: Final = attrgetter(*_TEXTS)


class _Rest(msgspec.Struct, array_like=True, gc=False):
    """The fields that no filter reads. Their order is part of the format: new ones come last."""

    length: int
    ref: str
    start: int
    end: int
    content_hash: str
    headings: tuple[str, ...] = ()
    start_column: int | None = None
    end_column: int | None = None
    plain: str | None = None
    cited_in: CitedIn = ""
    space_before: str = ""
    on_page: OnPage | None = None
    coarse: str | None = None
    named_values: int = 0


_decode: Final = msgspec.json.Decoder(ready(_Rest)).decode


class Unpacked(NamedTuple):
    """A stored point without its vectors. `length` is as in `Point`, `coarse` is the copy of its
    dense vector, None if it has none."""

    revision: str
    chunk: Chunk
    length: int
    coarse: str | None


def pack(
    point: Point, revision: str, *, aliased: bool = False, coarse: str | None = None
) -> dict[str, Any]:
    """Return the payload of a point, without empty fields."""
    chunk = point.chunk
    rest = _Rest(
        length=point.length,
        ref=chunk.ref,
        start=chunk.start,
        end=chunk.end,
        content_hash=chunk.content_hash,
        headings=chunk.headings,
        start_column=chunk.start_column,
        end_column=chunk.end_column,
        plain=chunk.plain,
        cited_in=chunk.cited_in,
        space_before=chunk.space_before,
        on_page=chunk.on_page,
        coarse=coarse,
        named_values=chunk.named_values,
    )
    held: dict[str, Any] = {
        REVISION: revision,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        PACKED: msgspec.json.encode(rest).decode(),
    }
    held |= {name: text for name, text in zip(_TEXTS, _texts_of(chunk), strict=True) if text}
    if chunk.symbols:
        held["symbols"] = list(chunk.symbols)
    if chunk.attributes:
        held |= of_attributes(chunk.attributes)
    return held | alias_of(chunk, revision) if aliased else held


def unpack(chunk_id: str, held: Mapping[str, Any]) -> Unpacked:
    """Return the point of a payload in either form. `chunk_id` is the id of the point in 32
    hexadecimal digits."""
    packed = held.get(PACKED)
    if packed is None:
        chunk = chunk_of_payload(held, chunk_id, held.get("text", ""))
        return Unpacked(held[REVISION], chunk, held[LENGTH], held.get(COARSE))
    rest, get = _decode(packed), held.get
    symbols = get("symbols")
    chunk = Chunk(  # by position, 1.8 us; by name, 3.1 us
        chunk_id,
        get("repo", ""),
        rest.ref,
        get("path", ""),
        get("source_type", ""),
        get("language", ""),
        rest.start,
        rest.end,
        held["start_line"],
        held["end_line"],
        get("text", ""),
        rest.content_hash,
        get("title", ""),
        rest.headings,
        tuple(symbols) if symbols else (),
        get("url"),
        rest.start_column,
        rest.end_column,
        rest.plain,
        attributes_of(held),
        rest.cited_in,
        rest.space_before,
        rest.on_page,
        rest.named_values,
    )
    return Unpacked(held[REVISION], chunk, rest.length, rest.coarse)


def chunk_of(point_id: UUID, held: Mapping[str, Any]) -> Chunk:
    """Return the chunk of a payload in either form."""
    return unpack(point_id.hex, held).chunk
