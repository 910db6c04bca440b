"""Which chunks of an index count for which expected items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pincite.evals.golden import Expected, GoldenQuery
from pincite.model import Chunk
from pincite.ports import Readable, Searchable

Key = tuple[str, str]  #: collection, chunk id
_PAGE = 512


@dataclass(frozen=True, slots=True)
class Targets:
    """`items[query][chunk]` are the places in `query.expected` that the chunk counts for.
    `missing` names, by query, the expected items that no chunk of the index counts for: the
    golden set speaks of something that is not indexed."""

    items: Mapping[str, Mapping[Key, tuple[int, ...]]]
    missing: Mapping[str, tuple[str, ...]]


def counts_for(chunk: Chunk, item: Expected) -> bool:
    """Same candidate; or same file and at least half of the lines of the shorter one in common;
    or same file, where no lines are named."""
    if item.candidate_id:
        return item.candidate_id in (chunk.candidate_id, chunk.id)
    if item.repo and item.repo != chunk.repo:
        return False
    if item.source_type and item.source_type != chunk.source_type:
        return False
    if chunk.path != item.path:
        return False
    if not item.start_line:
        return True
    first = max(chunk.start_line, item.start_line)
    last = min(chunk.end_line, item.end_line)
    shorter = min(chunk.end_line - chunk.start_line, item.end_line - item.start_line) + 1
    return 2 * (last - first + 1) >= shorter


async def find_targets(
    queries: Sequence[GoldenQuery], collections: Iterable[Searchable]
) -> Targets:
    """Look at every chunk of the collections once."""
    known: dict[str, list[tuple[str, int, Expected]]] = {}
    for query in queries:
        for place, item in enumerate(query.expected):
            known.setdefault(item.path or _chunk_id(item), []).append((query.id, place, item))
    items: dict[str, dict[Key, list[int]]] = {q.id: defaultdict(list) for q in queries}
    for collection in collections:
        name = collection.spec.name
        async for chunk in every_chunk(collection.index, name):
            for query_id, place, item in (*known.get(chunk.path, ()), *known.get(chunk.id, ())):
                if counts_for(chunk, item):
                    items[query_id][name, chunk.id].append(place)
    missing = {}
    for query in queries:
        found = {place for places in items[query.id].values() for place in places}
        lost = [
            item.name
            for place, item in enumerate(query.expected)
            if place not in found and item.grade > 0
        ]
        if lost:
            missing[query.id] = tuple(lost)
    return Targets(
        {
            key: {chunk: tuple(places) for chunk, places in found.items()}
            for key, found in items.items()
        },
        missing,
    )


async def every_chunk(index: Readable, collection: str) -> AsyncIterator[Chunk]:
    """Every chunk that searches of the collection can see, by id."""
    after: str | None = None
    while chunks := await index.page(collection, after, _PAGE):
        for chunk in chunks:
            yield chunk
        after = chunks[-1].id


def _chunk_id(item: Expected) -> str:
    """The last part of a candidate's id."""
    return item.candidate_id.rpartition(":")[2]
