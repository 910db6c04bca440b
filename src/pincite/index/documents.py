"""Read the records of an index, and check the records and points that one call gives it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Final

from pincite.errors import InvalidPoint, UsageError
from pincite.model import DocumentRecord, IndexedDocument
from pincite.ports import Paged

_PAGE = 1_000
_LAST: Final = chr(0x10FFFF)
_SURROGATES: Final = (0xD800, 0xDFFF)
AT_ONCE = 16  #: small documents between two pauses: a millisecond


async def every_record(
    index: Paged, collection: str, source: str | None, limit: int
) -> tuple[DocumentRecord, ...]:
    """Return all records of a collection, or of one of its sources, by source and path. Each
    request is for `limit` records, at least 1."""
    found: list[DocumentRecord] = []
    after: tuple[str, str] | None = None
    while page := await index.documents_after(collection, source, after, limit):
        found += page
        after = (page[-1].source, page[-1].path)
        if len(page) < limit:
            break
        await asyncio.sleep(0)  # a search may go first
    return tuple(found)


async def record_at(index: Paged, collection: str, source: str, path: str) -> DocumentRecord | None:
    """Return the record of a document, None if it is not indexed. Sends one request and reads no
    chunk."""
    if not path:
        return None
    async with aclosing(_from(index, collection, source, path, 1)) as records:
        one = await anext(records, None)
    return one if one is not None and one.path == path else None


async def any_below(index: Paged, collection: str, source: str, folder: str) -> bool:
    """Return whether a document in this folder is indexed. Sends one request."""
    inside = f"{folder}/"
    async with aclosing(_from(index, collection, source, inside, 1)) as records:
        one = await anext(records, None)
    return one is not None and one.path.startswith(inside)


async def records_at(
    index: Paged, collection: str, source: str, paths: Iterable[str]
) -> tuple[DocumentRecord, ...]:
    """Return the records of these documents, and of all documents in folders with these names. Each
    name takes two requests, and one more for each further 1,000 records in its folder, however many
    other documents there are."""
    found: dict[str, DocumentRecord] = {}
    for path in paths:
        if (one := await record_at(index, collection, source, path)) is not None:
            found[path] = one
        inside = f"{path}/"  # a record's own path may end there
        async with aclosing(_from(index, collection, source, inside, _PAGE)) as records:
            async for one in records:
                if not one.path.startswith(inside):
                    break
                found[one.path] = one
    return tuple(found[path] for path in sorted(found))


async def _from(
    index: Paged, collection: str, source: str, path: str, first: int
) -> AsyncGenerator[DocumentRecord, None]:
    """Yield the records of a source from this path on. The first request is for `first` records."""
    after, limit = _before(path), first
    while page := await index.documents_after(collection, source, (source, after), limit):
        for one in page:
            if one.path >= path:
                yield one
        if len(page) < limit:
            return
        after, limit = page[-1].path, _PAGE


def _before(path: str) -> str:
    """Return a text that comes directly before this one in the order of paths, or nearly so."""
    if path[-1] in "\0\1":  # no text of PostgreSQL has a NUL
        return path[:-1]
    number = ord(path[-1]) - 1
    former = chr(number) if not _SURROGATES[0] <= number <= _SURROGATES[1] else chr(0xD7FF)
    return f"{path[:-1]}{former}{_LAST}"


async def require_fit(documents: Sequence[IndexedDocument]) -> None:
    """Raise UsageError if a document occurs twice, InvalidPoint if the points of a document do not
    match its record."""
    places: set[tuple[str, str]] = set()
    revisions: dict[str, str] = {}
    for number, (record, points) in enumerate(documents, start=1):
        if number % AT_ONCE == 0:
            await asyncio.sleep(0)  # a search may go first
        place = (record.source, record.path)
        if place in places:
            raise UsageError(f"one call has {record.path!r} of {record.source!r} twice")
        if other := revisions.get(record.revision):
            raise UsageError(
                f"{record.path!r} and {other!r} have the same revision: {record.revision}"
            )
        places.add(place)
        revisions[record.revision] = record.path
        ids = len({point.chunk.id for point in points})
        if not len(points) == ids == record.chunks:
            raise InvalidPoint(
                f"{record.path!r} has {len(points)} points with {ids} ids, not {record.chunks}"
            )
