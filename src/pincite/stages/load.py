"""Load the chunks of the best candidates."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pincite.model import Candidate, Fused, Notice, Pool, Ranking
from pincite.ports import Searchable, Stored
from pincite.ports.failures import split_failures
from pincite.support.concurrency import gather_outcomes, store_turn, with_timeout
from pincite.support.counted import counted
from pincite.support.fields import replace
from pincite.support.ranges import require_range


class LoadConfig(msgspec.Struct, frozen=True):
    """`pool`: the number of best fused hits to load. `vectors`: whether to load their vectors.

    nDCG@10 over ten collections with 60, 40, 30: .7566 .7568 .7563, within noise
    (docs/decisions/0004).

    `share`: the maximum share of the pool for one collection while others have candidates left.
    `alone`: the share of the pool that is loaded if there is no reranker. nDCG@10 with 30 hits a
    side and 30 or 24 of them, ten collections .7550 .7539, five pairs .6261 .6273, within noise.
    """

    pool: int = 30
    vectors: bool = True
    share: float = 1.0
    alone: float = 0.8

    def __post_init__(self) -> None:
        require_range(self, "load", "pool", least=1)
        require_range(self, "load", "alone", "share", above=0, most=1)


async def load(
    fused: Sequence[Fused],
    collections: Sequence[Searchable],
    config: LoadConfig,
    *,
    timeout_s: float = 10.0,
) -> Pool:
    """Load the candidates in the order of `fused`. Chunks removed meanwhile are left out.

    A collection that fails or takes longer than `timeout_s` is left out and named in a notice.
    Raises its error if there is no other.
    """
    wanted = _pool(fused, config.pool, config.share)
    by_name = {collection.spec.name: collection for collection in collections}
    ids: dict[str, list[str]] = {}
    for hit in wanted:
        ids.setdefault(hit.collection, []).append(hit.id)
    async with store_turn("load"):
        answers = await gather_outcomes(
            [
                with_timeout(
                    name, by_name[name].index.load(name, keys, vectors=config.vectors), timeout_s
                )
                for name, keys in ids.items()
            ]
        )
    answered, failed = split_failures(ids, answers)
    stored: dict[tuple[str, str], Stored] = {
        (name, one.chunk.id): one for name, found in answered.items() for one in found
    }
    candidates = tuple(
        Candidate(hit.collection, one.chunk, hit.signals, one.vector)
        for hit in wanted
        if (one := stored.get((hit.collection, hit.id))) is not None
    )
    return Pool(candidates, notices=tuple(failed.values()))


def within_reach(
    fused: Sequence[Fused], wanted: frozenset[tuple[str, str]], config: LoadConfig
) -> tuple[Fused, ...]:
    """Return the same list, with the hits in `wanted` (collection, id) moved up so that they are
    loaded. They replace the last ones of the pool, at most half of it."""
    places = [n for n, hit in enumerate(fused) if (hit.collection, hit.id) in wanted]
    moved = [place for place in places if place >= config.pool][: config.pool // 2]
    if not moved:
        return tuple(fused)
    there = frozenset(places)
    leaving = sorted(range(config.pool), key=lambda place: (place in there, -place))[: len(moved)]
    loaded = frozenset(range(config.pool)) - frozenset(leaving) | frozenset(moved)
    return tuple(fused[n] for n in sorted(range(len(fused)), key=lambda n: (n not in loaded, n)))


def besides(
    fused: Sequence[Fused], wanted: frozenset[tuple[str, str]], config: LoadConfig
) -> tuple[tuple[Fused, ...], LoadConfig]:
    """Return the same list, with the hits in `wanted` that lie behind the pool moved next to it,
    and a pool that contains them as well. No other hit leaves the pool."""
    late = [
        place
        for place, hit in enumerate(fused)
        if place >= config.pool and (hit.collection, hit.id) in wanted
    ]
    if not late:
        return tuple(fused), config
    moved = frozenset(late)
    behind = (n for n in range(config.pool, len(fused)) if n not in moved)
    order = (*range(config.pool), *late, *behind)
    return tuple(fused[n] for n in order), replace(config, pool=config.pool + len(late))


def best_by_words(
    rankings: Sequence[Ranking], collections: frozenset[str], most: int
) -> frozenset[tuple[str, str]]:
    """Return the `most` best hits of keyword search in each of these collections, as (collection,
    id). Hits of rephrasings do not count, nor hits of a keyword filter, which does not rank."""
    return frozenset(
        (ranking.collection, hit.id)
        for ranking in rankings
        if ranking.signal == "sparse"
        and ranking.kind != "share"
        and not ranking.wording
        and ranking.collection in collections
        for hit in ranking.hits[: min(most, ranking.depth)]
    )


def overtaken(
    fused: Sequence[Fused],
    loaded: Pool,
    collections: Sequence[Searchable],
    config: LoadConfig,
) -> tuple[Notice, ...]:
    """Return a notice if documents were replaced or removed between the search for `fused` and
    `load`, so that another search is worthwhile. There is no notice for collections of other
    programs, which may lack texts at any time, and none if a collection failed."""
    if loaded.notices or len(loaded.candidates) == min(len(fused), config.pool):
        return ()
    ours = {one.spec.name for one in collections if not one.foreign}
    wanted = sum(hit.collection in ours for hit in _pool(fused, config.pool, config.share))
    gone = wanted - sum(one.collection in ours for one in loaded.candidates)
    if not gone:
        return ()
    were = "was" if gone == 1 else "were"
    said = f"{counted(gone, 'passage')} {were} replaced or removed during the search: search again"
    return (Notice("index_changed", said),)


def _pool(fused: Sequence[Fused], size: int, share: float) -> Sequence[Fused]:
    """Return the best hits in the order of `fused`, at most the given share from one collection.
    Places that the others cannot fill go to further hits of that collection."""
    if share == 1:
        return fused[:size]
    most = max(1, int(size * share))
    taken: dict[str, int] = {}
    within: list[int] = []
    beyond: list[int] = []
    for place, hit in enumerate(fused):
        taken[hit.collection] = taken.get(hit.collection, 0) + 1
        (within if taken[hit.collection] <= most else beyond).append(place)
    chosen = within[:size]
    chosen += beyond[: size - len(chosen)]
    return [fused[place] for place in sorted(chosen)]
