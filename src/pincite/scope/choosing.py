"""Search within documents that a callback selects, if they are too many for a filter.

A feed with 100,000 documents as a filter is 100,000 values with every request. Instead, the store
is asked for more hits than are wanted, without that filter; of the documents that they belong to
some are chosen; and the store is asked again, within these alone. That finds the same: each hit
among the best of all that are chosen was among those looked at, as fewer than were asked for came,
or enough of them were chosen whose score is above that of the last.

Where hardly any of the best hits are chosen, a filter of a few thousand documents costs less than
to look at so many more hits. It is taken where the list is that short.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pincite.model import Attributes, Chunk, DocumentRecord, Ranking
from pincite.ports import AnyOf, Condition, Ids, Readable, SearchRequest, Stored
from pincite.support.fields import replace

DOCUMENT_ID: Final = "document_id"  #: the attribute that names the document of a chunk
_FIRST: Final = 2  # times the limits: guess; what is chosen is often all that there is
_MORE: Final = 4  # times as deep, where that was not enough: guess
_MOST: Final = 4_000  # hits of a side; loading more costs as much as the whole list; guess
#: Documents in a filter that cost as much as one hit more: measured in SQLite, where 3,072 hits of
#: a side cost 1.5 s, and 20,000 documents 0.4 s. See docs/decisions/0061.
_WORTH: Final = 16


@dataclass(frozen=True, slots=True)
class Choice:
    """`among`: those of the documents that are chosen now. `all_of`: all that are, for a question
    whose best hits are nearly all of others; None where they are more than so many."""

    among: Callable[[frozenset[str]], Awaitable[frozenset[str]]]
    all_of: Callable[[int | None], Awaitable[tuple[str, ...] | None]]


@dataclass(frozen=True, slots=True)
class ChosenIndex:
    """`Readable` for one search: its hits are of documents that are chosen. Whoever reads by id or
    path checks that themselves."""

    index: Readable
    choice: Choice
    _chosen: dict[str, bool] = field(default_factory=dict)
    _documents: dict[str, str] = field(default_factory=dict)  # of each chunk that was looked at

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """As `Readable.search`."""
        within = await self._within(collection, request)
        asked = replace(request.filter, must=(*request.filter.must, *within))
        return await self.index.search(collection, replace(request, filter=asked))

    async def _within(self, collection: str, request: SearchRequest) -> tuple[Condition, ...]:
        """Conditions under which the request finds what it would find in all that is chosen."""
        limits = {"dense": request.dense_limit, "sparse": request.sparse_limit}
        times = _FIRST
        while times * max(limits.values()) <= _MOST:
            deep = replace(
                request,
                complete=False,
                fusion="none",
                dense_limit=times * request.dense_limit,
                sparse_limit=times * request.sparse_limit,
            )
            rankings = await self.index.search(collection, deep)
            await self._look(collection, rankings)
            left = [one for one in rankings if not self._is_enough(one, limits, times)]
            if not left:
                ids = {hit.id for one in rankings for hit in one.hits}
                return _of_documents(d for d in map(self._document, ids) if self._is_chosen(d))
            times *= _MORE
            if any(self._is_scarce(one, limits) for one in left):
                most = _WORTH * times * max(limits.values())
                if (every := await self.choice.all_of(most)) is not None:
                    return _of_documents(every)
        return _of_documents(await self.choice.all_of(None) or ())

    async def _look(self, collection: str, rankings: Sequence[Ranking]) -> None:
        """Ask for the documents that are not known yet."""
        hits = dict.fromkeys(hit.id for one in rankings for hit in one.hits)
        if new := [id_ for id_ in hits if id_ not in self._documents]:
            for stored in await self.index.load(collection, new):
                named = stored.chunk.attributes.get(DOCUMENT_ID, "")
                self._documents[stored.chunk.id] = str(named)
        asked = frozenset(map(self._document, hits)) - self._chosen.keys() - {""}
        if asked:
            chosen = await self.choice.among(asked)
            self._chosen.update((id_, id_ in chosen) for id_ in asked)

    def _is_enough(self, ranking: Ranking, limits: Mapping[str, int], times: int) -> bool:
        """Are the best of what is chosen among these hits, also where scores are equal?"""
        hits = ranking.hits[: ranking.depth]
        limit = limits.get(ranking.signal, max(limits.values()))
        if len(hits) < times * limit:
            return True
        chosen = [hit for hit in hits if self._is_chosen(self._document(hit.id))]
        return len(chosen) >= limit and chosen[limit - 1].score > hits[-1].score

    def _is_scarce(self, ranking: Ranking, limits: Mapping[str, int]) -> bool:
        """Would so few of the hits that are next be chosen that these were not enough either?"""
        limit = limits.get(ranking.signal, max(limits.values()))
        chosen = sum(self._is_chosen(self._document(hit.id)) for hit in ranking.hits)
        return _MORE * chosen < limit

    def _document(self, chunk_id: str) -> str:
        return self._documents.get(chunk_id, "")

    def _is_chosen(self, document_id: str) -> bool:
        return self._chosen.get(document_id, False)

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        """As `Readable.documents`: those that are chosen."""
        found = await self.index.documents(collection, source)
        names = frozenset(map(_named, found)) - {""}
        chosen = await self.choice.among(names) if names else names
        return tuple(one for one in found if _named(one) in chosen)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        """As `Readable.load`."""
        return await self.index.load(collection, ids, vectors=vectors)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        """As `Readable.document`."""
        return await self.index.document(collection, source, path)

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        """As `Readable.chunk_ids`."""
        return await self.index.chunk_ids(collection, documents)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """As `Readable.page`."""
        return await self.index.page(collection, after, limit)


def _named(record: DocumentRecord) -> str:
    attributes: Attributes = record.all_attributes
    return str(attributes.get(DOCUMENT_ID, ""))


def _of_documents(ids: Iterable[str]) -> tuple[Condition, ...]:
    """Of none nothing is found."""
    found = tuple(sorted(set(ids)))
    return (AnyOf(DOCUMENT_ID, found),) if found else (Ids(()),)
