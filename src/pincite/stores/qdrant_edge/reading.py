"""Read chunks from Qdrant Edge, and cache those that were read last.

To read a hundred candidates takes 1.2 ms: Qdrant Edge decodes each payload and builds Python's
objects of it. The questions of a conversation have many candidates in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

import qdrant_edge as edge

from pincite.model import Chunk, Vector
from pincite.ports import Filter, Stored
from pincite.stores import payload
from pincite.stores.payload import COARSE, REVISION
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.coarse import from_coarse
from pincite.stores.qdrant_edge.shard import Shard
from pincite.stores.qdrant_edge.writing import exact_vectors
from pincite.stores.validate import is_id

_MOST_BYTES = 8_000_000  # of chunks in the cache, by an estimate; about 4,000 chunks
_BYTES = 1_500  # of a chunk besides its text


class _Read(NamedTuple):
    """A point as it was read at the `state` of its shard."""

    state: object
    revision: str
    chunk: Chunk
    coarse: str | None


class Recent:
    """The points that were read last, of all collections of a store, emptied when full. A point
    counts only until the next write to its shard."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._known: dict[tuple[str, str], _Read] = {}

    def clear(self) -> None:
        """Release the memory."""
        self._known.clear()
        self._bytes = 0

    def load(self, shard: Shard, ids: Sequence[str], *, vectors: bool) -> tuple[Stored, ...]:
        """As `Store.load`."""
        name, state = shard.root.name, shard.state
        found: dict[str, _Read] = {}
        for key in ids:
            known = self._known.get((name, key))
            if known is not None and known.state is state:
                found[key] = known
        missing = [key for key in ids if key not in found and is_id(key)]
        if missing:
            read = _read(shard, missing)
            self._keep(name, read)
            found |= read
        seen = [one for key in ids if (one := found.get(key)) and one.revision not in shard.hidden]
        known_vectors = _vectors(shard, seen) if vectors else {}
        return tuple(Stored(one.chunk, known_vectors.get(one.chunk.id)) for one in seen)

    def _keep(self, name: str, read: Mapping[str, _Read]) -> None:
        self._bytes += sum(_BYTES + len(one.chunk.text) for one in read.values())
        if self._bytes > self._most:
            self.clear()
        else:
            self._known.update({(name, key): one for key, one in read.items()})


def _read(shard: Shard, ids: list[str]) -> dict[str, _Read]:
    state = shard.state
    records = shard.ask(lambda s: [(r.id, r.payload) for r in s.retrieve(ids, True, False)])
    return {
        key.hex: _Read(state, held[REVISION], payload.to_chunk(key, held), held.get(COARSE))
        for key, held in records
    }


def _vectors(shard: Shard, points: Sequence[_Read]) -> dict[str, Vector]:
    """Return the dense vectors of these points: the coarse copies, or the exact vectors for points
    that were written before there were copies."""
    coarse = {one.chunk.id: one.coarse for one in points if one.coarse is not None}
    found = dict(zip(coarse, from_coarse(tuple(coarse.values())), strict=True))
    if others := [UUID(hex=one.chunk.id) for one in points if one.coarse is None]:
        found |= {key.hex: vector for key, vector in exact_vectors(shard, others).items()}
    return found


def next_page(shard: Shard, after: str | None, limit: int, *, vectors: bool) -> list[edge.Record]:
    """Return the next points by id that are not hidden, with their payloads."""
    request = edge.ScrollRequest(
        offset=None if after is None else UUID(hex=after.ljust(32, "0")),
        limit=limit + 1,  # the first may be `after` itself
        filter=translate.to_filter(Filter(), shard.hidden),
        with_payload=True,
        with_vector=vectors,
    )
    records, _ = shard.ask(lambda s: s.scroll(request))
    return [record for record in records if record.id.hex != after][:limit]
