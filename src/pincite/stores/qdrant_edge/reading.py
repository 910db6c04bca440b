"""Read chunks from Qdrant Edge, and cache those that were read last.

Reading a hundred candidates takes a millisecond: Qdrant Edge decodes each payload and builds
Python's objects of it. The questions of a conversation have many candidates in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from sys import getsizeof
from uuid import UUID

import qdrant_edge as edge

from pincite.model import Chunk, Vector
from pincite.ports import Filter, Stored
from pincite.stores.payload import REVISION
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.coarse import from_coarse
from pincite.stores.qdrant_edge.packed import Unpacked, chunk_of, unpack
from pincite.stores.qdrant_edge.shard import Shard
from pincite.stores.qdrant_edge.writing import ALL, exact_vectors
from pincite.stores.validate import complete_ids

_MOST_BYTES = 16_000_000  # of chunks in the cache, by an estimate; about 8,000 chunks
_BYTES = 1_500  # of a chunk besides its texts and attributes
_NAME_BYTES = 80  # of a heading or a symbol: to measure each takes as long as to read it


@dataclass(slots=True)
class _Held:
    """Points of one shard at one `state` of it, and their estimated bytes."""

    state: object
    points: dict[str, Unpacked] = field(default_factory=dict)
    size: int = 0


class Recent:
    """The points that were read last, of all collections of a store. A point is used only until the
    next write to its shard.

    There are two halves. Points that are read or used go into the newer one. When it is full, it
    becomes the older one, and the previous older one is dropped. So points that are used often
    stay.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes / 2
        self._newer: dict[str, _Held] = {}
        self._older: dict[str, _Held] = {}

    def clear(self) -> None:
        """Release the memory."""
        self._newer, self._older = {}, {}

    def __len__(self) -> int:
        halves = (*self._newer.values(), *self._older.values())
        return len({(id(held.state), key) for held in halves for key in held.points})

    def load(self, shard: Shard, ids: Sequence[str], *, vectors: bool) -> tuple[Stored, ...]:
        """See `Store.load`."""
        name, state = shard.root.name, shard.state
        newer, older = _known(self._newer, name, state), _known(self._older, name, state)
        found = {key: newer[key] for key in ids if key in newer}
        if others := [key for key in ids if key not in found]:
            fresh = {key: older[key] for key in others if key in older}
            if missing := [key for key in others if key not in fresh]:
                fresh |= _read(shard, complete_ids(missing))
            if fresh:
                self._keep(name, state, fresh)
                found |= fresh
        hidden = shard.hidden
        seen = [found[key] for key in ids if key in found]
        if hidden:
            seen = [one for one in seen if one.revision not in hidden]
        if not vectors:
            return tuple([Stored(one.chunk) for one in seen])
        known_vectors = _vectors(shard, seen)
        return tuple([Stored(one.chunk, known_vectors.get(one.chunk.id)) for one in seen])

    def _keep(self, name: str, state: object, fresh: Mapping[str, Unpacked]) -> None:
        """Keep these points; those of another state of their shard are dropped."""
        size = sum(map(_size, fresh.values()))
        if size > self._most:
            return
        for half in (self._newer, self._older):
            if (held := half.get(name)) is not None and held.state is not state:
                half.pop(name, None)
        if size + sum(one.size for one in tuple(self._newer.values())) > self._most:
            self._newer, self._older = {}, self._newer
        held = self._newer.get(name)
        if held is None or held.state is not state:
            held = self._newer[name] = _Held(state)
        held.size += size
        held.points.update(fresh)


def _known(half: Mapping[str, _Held], name: str, state: object) -> Mapping[str, Unpacked]:
    held = half.get(name)
    return held.points if held is not None and held.state is state else {}


def _size(read: Unpacked) -> int:
    chunk = read.chunk
    size = _BYTES + getsizeof(chunk.text) + getsizeof(chunk.plain) + getsizeof(read.coarse)
    size += _NAME_BYTES * (len(chunk.headings) + len(chunk.symbols))
    if chunk.attributes:
        size += sum(getsizeof(name) + getsizeof(str(one)) for name, one in chunk.attributes.items())
    return size


def _read(shard: Shard, ids: list[str]) -> dict[str, Unpacked]:
    """Return these points by their ids, which are all different. Qdrant Edge keeps their order; it
    takes as long to make an id of a record as to decode the record."""
    records = shard.ask(lambda s: [record.payload for record in s.retrieve(ids, True, False)])
    if len(records) < len(ids):  # some are gone
        keys = shard.ask(lambda s: [record.id.hex for record in s.retrieve(ids, False, False)])
    else:
        keys = ids
    return {key: unpack(key, held) for key, held in zip(keys, records, strict=True)}


def _vectors(shard: Shard, points: Sequence[Unpacked]) -> dict[str, Vector]:
    """Return the dense vectors of these points: the coarse copies, or the exact vectors for points
    that were written before there were copies."""
    coarse = {one.chunk.id: one.coarse for one in points if one.coarse is not None}
    found = dict(zip(coarse, from_coarse(tuple(coarse.values())), strict=True))
    if others := [UUID(hex=one.chunk.id) for one in points if one.coarse is None]:
        found |= {key.hex: vector for key, vector in exact_vectors(shard, others).items()}
    return found


def points_of(shard: Shard, revision: str) -> list[UUID]:
    """Return the ids of the points of a revision, none of a hidden one."""
    if revision in shard.hidden:
        return []
    request = edge.ScrollRequest(
        limit=ALL, filter=translate.among(REVISION, [revision]), with_payload=False
    )
    return shard.ask(lambda s: [record.id for record in s.scroll(request)[0]])


def read_chunks(shard: Shard, ids: Sequence[UUID]) -> list[Chunk]:
    """Return the chunks of these points."""
    wanted = list(ids)
    records = shard.ask(lambda s: [(r.id, r.payload) for r in s.retrieve(wanted, True, False)])
    return [chunk_of(key, held) for key, held in records]


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
