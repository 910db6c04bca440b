"""Read the structure of another program's collection, and check that it can be searched as
configured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from qdrant_client import models

from pincite.errors import UsageError
from pincite.model import SignalKind
from pincite.stores.fields import Foreign, at
from pincite.stores.qdrant.connection import Connection

_SAMPLE = 8
_UNIT = 1e-2  # float16 and int8 copies of unit vectors are off by less
_OURS = "pincite"


@dataclass(frozen=True, slots=True)
class Shape:
    """The structure of a collection. `vector` is None for a vector without a name. `unit` is true
    if all vectors of a sample have norm 1. `words` are the keys with a full-text index."""

    vector: str | None
    dimensions: int
    distance: models.Distance
    unit: bool
    idf: bool
    words: frozenset[str]
    points: int

    @property
    def kind(self) -> SignalKind:
        """Return the kind of score that `similarity` returns."""
        if self.distance == models.Distance.COSINE:
            return "cosine"
        if self.distance == models.Distance.DOT:
            return "cosine" if self.unit else "dot"
        return "cosine" if self.unit and self.distance == models.Distance.EUCLID else "normalised"

    def similarity(self, score: float) -> float:
        """Convert the server's score so that more is better: cosines and products unchanged, a
        Euclidean distance d of unit vectors to the cosine 1 - d^2 / 2, any other distance to 1 / (1
        + d)."""
        if self.distance in (models.Distance.COSINE, models.Distance.DOT):
            return score
        if self.kind == "cosine":
            return 1 - score * score / 2
        return 1 / (1 + score)


async def look(connection: Connection, foreign: Foreign) -> Shape:
    """Read the structure, in three requests. Raises StoreError, and UsageError with the setting to
    change."""
    name = foreign.collection
    if not await connection.ask(f"look for {name}", lambda c: c.collection_exists(name)):
        raise _wrong(foreign, f"no collection is named {name!r} at {connection.where}")
    info = await connection.ask(f"look at {name}", lambda c: c.get_collection(name))
    if _OURS in (info.config.metadata or {}):
        raise _wrong(
            foreign,
            f"{name} belongs to an index of Pincite and can only be read through that index",
        )
    params = info.config.params
    vector, dense = _dense(foreign, params.vectors)
    sparse = params.sparse_vectors or {}
    if foreign.sparse and foreign.sparse not in sparse:
        raise _wrong(foreign, f"{name} has no sparse vector {foreign.sparse!r}; {_named(sparse)}")
    if foreign.dimensions not in (0, dense.size):
        raise _wrong(
            foreign,
            f"the vectors of {name} have {dense.size} dimensions, but {foreign.model} makes"
            f" {foreign.dimensions}: the collection was made with another model",
        )
    records, _ = await connection.ask(
        f"read {name}",
        lambda client: client.scroll(
            name, limit=_SAMPLE, with_payload=True, with_vectors=[vector] if vector else True
        ),
    )
    _require_texts(foreign, records)
    norms = [_norm(vector_of(record, vector)) for record in records]
    modifier = sparse[foreign.sparse].modifier if foreign.sparse else None
    return Shape(
        vector=vector,
        dimensions=dense.size,
        distance=dense.distance,
        unit=all(abs(norm - 1) < _UNIT for norm in norms if norm),
        idf=modifier == models.Modifier.IDF,
        words=frozenset(
            key
            for key, index in (info.payload_schema or {}).items()
            if index.data_type == models.PayloadSchemaType.TEXT
        ),
        points=info.points_count or 0,
    )


def vector_of(record: models.Record, vector: str | None) -> Sequence[float]:
    """Return the dense vector of a record, empty if it has none."""
    held: Any = record.vector
    if isinstance(held, Mapping):
        held = held.get(vector or "")
    return held if isinstance(held, list) else ()


def _dense(foreign: Foreign, given: Any) -> tuple[str | None, models.VectorParams]:
    name = foreign.collection
    known: Mapping[str, models.VectorParams] = given if isinstance(given, Mapping) else {}
    if isinstance(given, models.VectorParams):
        if foreign.vector:
            raise _wrong(foreign, f"{name} has one vector without a name: remove `vector`")
        chosen, found = None, given
    elif foreign.vector in known:
        chosen, found = foreign.vector or None, known[foreign.vector]
    elif len(known) == 1 and not foreign.vector:
        ((chosen, found),) = known.items()
    else:
        asked = f"no vector {foreign.vector!r}" if foreign.vector else "several vectors or none"
        raise _wrong(foreign, f"{name} has {asked}; {_named(known)}: set `vector` to one of them")
    if found.multivector_config is not None:
        raise _wrong(foreign, f"{name} has several vectors for each point, which is not supported")
    return chosen, found


def _require_texts(foreign: Foreign, records: Sequence[models.Record]) -> None:
    key = foreign.fields.keys["text"]
    payloads = [record.payload or {} for record in records]
    if payloads and not any(at(payload, key) for payload in payloads):
        held = sorted({path for payload in payloads for path in _paths(payload)})
        raise _wrong(
            foreign,
            f"none of the first {len(payloads)} points of {foreign.collection} has a text at"
            f" {key!r}; they have {', '.join(held) or 'nothing'}",
        )


def _paths(payload: Mapping[str, Any]) -> list[str]:
    found = []
    for key, value in payload.items():
        inner = _paths(value) if isinstance(value, Mapping) else []
        found += [f"{key}.{one}" for one in inner] or [key]
    return found


def _norm(vector: Sequence[float]) -> float:
    return math.sqrt(math.fsum(value * value for value in vector))


def _named(known: Mapping[str, object]) -> str:
    return f"known vectors: {', '.join(sorted(map(repr, known))) or 'none'}"


def _wrong(foreign: Foreign, said: str) -> UsageError:
    return UsageError(
        f"the collection {foreign.name}: {said}",
        hint=f"fix [collections.{foreign.name}] in pincite.toml",
    )
