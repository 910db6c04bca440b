"""Find out which terms the chunks within a filter have. The counts of a search are those of whole
collections, and would reveal the words of documents that a caller may not read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pincite.model import SparseVector
from pincite.ports import Filter, Searchable, SearchRequest
from pincite.support.concurrency import gather, gather_outcomes, store_turn, with_timeout

#: Terms to look up in a collection. Each is a request for one hit, and a question has fewer.
MOST_TERMS: Final = 24


async def find_present(
    terms: Mapping[str, Sequence[int]],
    collections: Sequence[Searchable],
    filters: Mapping[str, Filter],
    timeout_s: float,
) -> Mapping[str, Mapping[int, bool]]:
    """Return for each collection whether a chunk within its filter has each of these `terms`, which
    are ids by collection. Terms after the first `MOST_TERMS` count as present. A collection that
    fails or takes longer than `timeout_s` seconds is left out."""
    asked = [one for one in collections if terms.get(one.spec.name)]
    async with store_turn("search"):
        outcomes = await gather_outcomes(
            [
                with_timeout(
                    one.spec.name,
                    _present(one, terms[one.spec.name], filters[one.spec.name]),
                    timeout_s,
                )
                for one in asked
            ]
        )
    return {
        one.spec.name: found
        for one, found in zip(asked, outcomes, strict=True)
        if not isinstance(found, BaseException)
    }


async def _present(
    collection: Searchable, terms: Sequence[int], filter_: Filter
) -> Mapping[int, bool]:
    first = terms[:MOST_TERMS]
    found = await gather([has_any(collection, (one,), filter_) for one in first])
    return dict.fromkeys(terms, True) | dict(zip(first, found, strict=True))


async def has_any(collection: Searchable, terms: Collection[int], filter_: Filter) -> bool:
    """Return whether a chunk within the filter has one of these terms. Raises StoreError."""
    ids = tuple(sorted(terms))
    vector = SparseVector(ids, (1.0,) * len(ids))
    request = SearchRequest(sparse=vector, sparse_limit=1, filter=filter_)
    rankings = await collection.index.search(collection.spec.name, request)
    return any(ranking.hits for ranking in rankings)
