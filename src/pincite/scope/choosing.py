"""Search within documents that a callback selects, if they are too many for a filter.

A filter for a feed of 100,000 documents would send 100,000 values with every request. Instead, the
store is first asked for more hits than are needed, without that filter. The callback selects from
the documents of these hits. Then the store is asked again, with a filter for the selected
documents. The result is the same as with the complete filter: each of the best selected hits was
among the first hits, because the store returned fewer hits than requested, or because enough
selected hits score higher than the last one.

If hardly any of the first hits are selected, a filter of a few thousand documents costs less than
so many more hits. It is used if the list of all selected documents is that short.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from pincite.model import Attributes, Chunk, DocumentRecord, Ranking
from pincite.ports import AnyOf, Condition, Ids, Readable, SearchRequest, Stored
from pincite.support.fields import replace

DOCUMENT_ID: Final = "document_id"  #: the attribute that names the document of a chunk
_FIRST: Final = 2  # times the limits; guess: often, all documents are selected
_MORE: Final = 4  # times as many hits again, if these were not enough; guess
_MOST: Final = 4_000  # hits of a side; loading more costs as much as the whole list; guess
#: The number of documents in a filter that cost as much as one more hit: measured in SQLite, where
#: 3,072 hits of a side cost 1.5 s, and 20,000 documents 0.4 s. See docs/decisions/0061.
_WORTH: Final = 16
#: Takes ids of documents and returns the ids that the caller may see. An exception ends the search.
Admit: TypeAlias = Callable[[frozenset[str]], Awaitable[frozenset[str]]]


class Choice(msgspec.Struct, frozen=True):
    """The callbacks that select documents. `among` returns the selected ones of these documents.
    `all_of` returns all selected documents, or None if they are more than its argument (None for no
    limit). It is called if the best hits are nearly all of other documents."""

    among: Admit
    all_of: Callable[[int | None], Awaitable[tuple[str, ...] | None]]


class ChosenIndex(msgspec.Struct, frozen=True):
    """A `Readable` for one search, whose hits are restricted to selected documents. `load`,
    `document`, `chunk_ids` and `page` are not restricted; their callers must check the
    documents."""

    index: Readable
    choice: Choice
    _chosen: dict[str, bool] = msgspec.field(default_factory=dict)
    _documents: dict[str, str] = msgspec.field(default_factory=dict)  # by chunk id

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """See `Readable.search`."""
        within = await self._within(collection, request)
        return await self.index.search(collection, request.only(*within))

    async def _within(self, collection: str, request: SearchRequest) -> tuple[Condition, ...]:
        """Return conditions with which the request finds the same as in all selected documents."""
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
        """Select from the documents of these hits that are not known yet."""
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
        """Return whether these hits include the best hits of all selected documents, also if scores
        are equal."""
        hits = ranking.hits[: ranking.depth]
        limit = limits.get(ranking.signal, max(limits.values()))
        if len(hits) < times * limit:
            return True
        chosen = [hit for hit in hits if self._is_chosen(self._document(hit.id))]
        return len(chosen) >= limit and chosen[limit - 1].score > hits[-1].score

    def _is_scarce(self, ranking: Ranking, limits: Mapping[str, int]) -> bool:
        """Return whether so few hits are selected that the next, deeper request would probably not
        have enough either."""
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
        """See `Readable.documents`; only selected documents are returned."""
        found = await self.index.documents(collection, source)
        names = frozenset(map(_named, found)) - {""}
        chosen = await self.choice.among(names) if names else names
        return tuple(one for one in found if _named(one) in chosen)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        """See `Readable.load`."""
        return await self.index.load(collection, ids, vectors=vectors)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        """See `Readable.document`."""
        return await self.index.document(collection, source, path)

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        """See `Readable.chunk_ids`."""
        return await self.index.chunk_ids(collection, documents)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """See `Readable.page`."""
        return await self.index.page(collection, after, limit)


async def admitted_records(
    records: Iterable[DocumentRecord], admit: Admit
) -> dict[DocumentRecord, bool]:
    """Return the documents that `admit` allows: True if their records tell so, False if only their
    chunks do, because these have the ids that it is asked for."""
    ids = {one: _named(one) for one in records}
    asked = frozenset(ids.values()) - {""}
    allowed = await admit(asked) if asked else asked
    open_ = {one for one in ids if DOCUMENT_ID in one.chunk_attributes.split("\n")}
    return {one: one not in open_ for one, id_ in ids.items() if one in open_ or id_ in allowed}


async def any_admitted(records: Sequence[DocumentRecord], admit: Admit) -> bool:
    """Return whether `admit` allows one of these documents. It is asked about one, then about more
    at a time, until it allows one."""
    start, some = 0, 1
    while page := records[start : start + some]:
        if await admitted_records(page, admit):
            return True
        start, some = start + some, _MORE * some
    return False


def _named(record: DocumentRecord) -> str:
    attributes: Attributes = record.all_attributes
    return str(attributes.get(DOCUMENT_ID, ""))


def _of_documents(ids: Iterable[str]) -> tuple[Condition, ...]:
    """Return the condition that restricts hits to these documents; without documents, nothing
    matches."""
    found = tuple(sorted(set(ids)))
    return (AnyOf(DOCUMENT_ID, found),) if found else (Ids(()),)
