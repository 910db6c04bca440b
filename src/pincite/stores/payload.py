"""Payload keys, vector names and point ids: the same on every Qdrant store, but for the coarse
vectors of the embedded one.

A point's id is its chunk's. While a staged chunk waits for an id that another revision still has,
it is kept under an alias, with its own id in the payload.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from uuid import UUID

import msgspec

from pincite.model import Chunk, Point

DENSE, SPARSE = "dense", "sparse"
REVISION = "revision"
LENGTH = "length"
ALIASED = "aliased"  # the revision, on points under an alias only
OWN_ID = "own_id"

_CHUNK_FIELDS = tuple(name for name in Chunk.__struct_fields__ if name != "id")
_TUPLES = ("headings", "symbols")


def to_payload(point: Point, revision: str, *, aliased: bool) -> dict[str, Any]:
    """What is kept beside the vectors. Fields without a value are left out."""
    chunk = point.chunk
    payload: dict[str, Any] = {REVISION: revision, LENGTH: point.length}
    for name in _CHUNK_FIELDS:
        value = getattr(chunk, name)
        if value not in (None, "", ()):
            payload[name] = list(value) if name in _TUPLES else value
    if aliased:
        payload |= {ALIASED: revision, OWN_ID: chunk.id}
    return payload


def to_chunk(point_id: UUID, payload: Mapping[str, Any]) -> Chunk:
    """The chunk of a stored point."""
    return msgspec.convert({"text": "", **payload, "id": point_id.hex}, Chunk)


def key_of(point: Point, revision: str, *, aliased: bool) -> UUID:
    """Where a point is kept."""
    chunk = point.chunk
    return alias(chunk.id, revision) if aliased else UUID(hex=chunk.id)


def alias(chunk_id: str, revision: str) -> UUID:
    """Where a chunk of a staged revision waits for its own id."""
    return UUID(bytes=blake2b(f"{revision}\0{chunk_id}".encode(), digest_size=16).digest())


def without_alias(payload: Mapping[str, Any]) -> tuple[UUID, dict[str, Any]]:
    """Id and payload of an aliased point as it is to be from now on."""
    own = dict(payload)
    own.pop(ALIASED)
    return UUID(hex=own.pop(OWN_ID)), own
