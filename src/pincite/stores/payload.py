"""Payload keys, vector names and point ids. They are the same in every Qdrant store, except for the
coarse vectors and packed fields of the embedded one.

A point's id is its chunk's. While a staged chunk waits for an id that another revision still has,
it is kept under an alias, with its own id in the payload.

Attributes are stored under their own names beside the fields of the chunk: every name that is not
in `KEPT` is an attribute.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from pincite.model import AttributeValue, Chunk, OnPage, Point
from pincite.support.decodable import ready
from pincite.support.fields import replace

DENSE, SPARSE = "dense", "sparse"
REVISION = "revision"
LENGTH = "length"
ALIASED = "aliased"  # the revision, on points under an alias only
OWN_ID = "own_id"

COARSE = "coarse"  # a copy of the dense vector, in Qdrant Edge
CONTROL, HIDDEN_REVISION = "control", "hidden_revision"  # of control points

_TUPLES = ("headings", "symbols")
#: Fields that no filter reads, as one text, in Qdrant Edge. Attributes begin with a letter.
PACKED = "_packed"
#: Names in a payload that are not attributes. No attribute may have one of these names.
KEPT = frozenset(
    {
        *(*Chunk.__struct_fields__, REVISION, LENGTH, ALIASED, OWN_ID, COARSE, PACKED),
        *(CONTROL, HIDDEN_REVISION),
    }
)

#: Attributes that are stored as null beside another attribute, because other programs expect both.
_NULL = {"isVisual": "imageUrl"}
#: The key of a second copy of the text, on servers. Programs that work with workspaces read and
#: search it under this name.
CONTENT = "content"
_OF_WORKSPACES = frozenset({"chunk_index", "start_char", "end_char"})


def to_payload(point: Point, revision: str, *, aliased: bool) -> dict[str, Any]:
    """Return the payload of a chunk, without empty fields."""
    chunk = point.chunk
    payload: dict[str, Any] = {REVISION: revision, LENGTH: point.length}
    fields = structs.asdict(chunk)  # takes a quarter of the time of reading each field
    payload |= {name: value for name, value in fields.items() if value or value == 0}
    del payload["id"]
    payload.pop("attributes", None)
    if not chunk.named_values:
        del payload["named_values"]
    payload |= {name: list(payload[name]) for name in _TUPLES if name in payload}
    if chunk.on_page is not None:
        payload["on_page"] = _on_page(chunk.on_page)
    payload |= of_attributes(chunk.attributes)
    return payload | alias_of(chunk, revision) if aliased else payload


def of_attributes(attributes: Mapping[str, AttributeValue]) -> dict[str, Any]:
    """Return the attributes of a chunk as values of its payload."""
    held = changed(attributes)
    return held | {null: None for one, null in _NULL.items() if one in held and null not in held}


def alias_of(chunk: Chunk, revision: str) -> dict[str, str]:
    """Return the values that a point has only while it is under an alias."""
    return {ALIASED: revision, OWN_ID: chunk.id}


def with_content(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the payload of a point on a server. For a workspace, the text is also in `content`."""
    is_ours = payload.keys() >= _OF_WORKSPACES and CONTENT not in payload
    return {**payload, CONTENT: payload.get("text", "")} if is_ours else payload


def _on_page(place: OnPage) -> dict[str, Any]:
    values = ((name, getattr(place, name)) for name in place.__struct_fields__)
    kept = {name: value for name, value in values if value not in (None, "", False)}
    lists = ((name, kept[name]) for name in ("box", "rows") if name in kept)
    return kept | {name: list(value) for name, value in lists}


def to_chunk(point_id: UUID, payload: Mapping[str, Any]) -> Chunk:
    """Return the chunk of a stored point."""
    return chunk_of(payload, point_id.hex, payload.get("text", ""))


def chunk_of(payload: Mapping[str, Any], chunk_id: str, text: str) -> Chunk:
    """Return the chunk of a payload, with lists as tuples again."""
    own = {**payload, "id": chunk_id, "text": text, "attributes": attributes_of(payload)}
    return msgspec.convert(own, ready(Chunk))


def attributes_of(payload: Mapping[str, Any]) -> dict[str, AttributeValue]:
    """Return the attributes in a payload, with lists as tuples again."""
    if KEPT.issuperset(payload):  # most have none; this check takes half of the time
        return {}
    is_copied = payload.keys() >= _OF_WORKSPACES and payload.get(CONTENT) == payload.get("text")
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in payload.items()
        if name not in KEPT and value is not None and not (name == CONTENT and is_copied)
    }


def changed(attributes: Mapping[str, AttributeValue | None]) -> dict[str, Any]:
    """Return attributes as payload values; stores use None for a missing value."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in attributes.items()
    }


def equal_changes(
    changes: Mapping[str, Mapping[str, AttributeValue | None]],
) -> list[list[str]]:
    """Group revisions by their new attributes. Revisions without any are left out."""
    together: dict[bytes, list[str]] = {}
    for revision, attributes in changes.items():
        if attributes:
            key = msgspec.msgpack.encode(sorted(changed(attributes).items()))
            together.setdefault(key, []).append(revision)
    return list(together.values())


def with_attributes(chunk: Chunk, attributes: Mapping[str, AttributeValue | None]) -> Chunk:
    """Return the chunk with these attributes in place of the old ones; None removes one."""
    held = {**chunk.attributes, **attributes}
    own = {name: value for name, value in held.items() if value is not None}
    return replace(chunk, attributes=own)


def key_of(point: Point, revision: str, *, aliased: bool) -> UUID:
    """Return the id of a point."""
    chunk = point.chunk
    return alias(chunk.id, revision) if aliased else UUID(hex=chunk.id)


def alias(chunk_id: str, revision: str) -> UUID:
    """Return the alias of a staged chunk that waits for its own id."""
    return UUID(bytes=blake2b(f"{revision}\0{chunk_id}".encode(), digest_size=16).digest())


def without_alias(payload: Mapping[str, Any]) -> tuple[UUID, dict[str, Any]]:
    """Return id and payload that an aliased point gets when it is published."""
    own = dict(payload)
    own.pop(ALIASED)
    return UUID(hex=own.pop(OWN_ID)), own
