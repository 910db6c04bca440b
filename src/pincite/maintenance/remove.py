"""Remove collections and sources, and compute the keyword weights of the remaining documents
again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pincite.collection.members import all_members, all_sources
from pincite.encoders.by_name import Models
from pincite.encoders.sparse import sparse_of
from pincite.errors import UsageError
from pincite.ingestion.weigh import weigh_again
from pincite.model import CollectionSpec
from pincite.ports import CollectionInfo, Index, LeasedIndex, Waiting
from pincite.sources.records import drop_records
from pincite.support.arguments import require_kind


async def drop(
    index: LeasedIndex, collection: str, waiting: Waiting, folder: Path | None = None
) -> None:
    """Remove a collection with all of its members, and its records from the index `folder`. Raises
    UsageError for an unknown name, IndexUnavailable if other writers take too long."""
    what = f"dropping {collection!r}"
    async with _alone(index, collection, what, waiting) as infos:
        base, gone = infos[0].spec.public_name, {info.spec.name for info in infos}
        everything = all_members(await index.collections(), base)
        if folder is not None and all(info.spec.name in gone for info in everything):
            drop_records(folder, base)  # first: an interrupted drop can then be repeated
        for info in infos:
            await index.drop(info.spec.name)


async def forget(
    index: LeasedIndex,
    models: Models,
    collection: str,
    source: str,
    waiting: Waiting,
    folder: Path | None = None,
) -> int:
    """Remove a source, and its records from the index `folder`. Return the number of its documents.
    Raises the errors of `drop`. Raises FingerprintMismatch, after the source is removed, if the
    weights of the rest cannot be computed."""
    what = f"forgetting {source} in {collection!r}"
    async with _alone(index, collection, what, waiting) as infos:
        names = [record.source.name for record in all_sources(infos)]
        if source not in names:
            raise UsageError(
                f"{collection} has no source {source!r}; known sources:"
                f" {', '.join(names) or 'none'}"
            )
        if folder is not None:
            drop_records(folder, infos[0].spec.public_name, source)
        return sum([await _forget_in(index, models, info.spec, source) for info in infos])


async def _forget_in(index: Index, models: Models, spec: CollectionSpec, source: str) -> int:
    count = await index.forget(spec.name, source)
    if spec.idf:
        await weigh_again(spec.name, index, await sparse_of(models, spec))
    await index.settle(spec.name)
    return count


@asynccontextmanager
async def _alone(
    index: LeasedIndex, collection: str, what: str, waiting: Waiting
) -> AsyncIterator[tuple[CollectionInfo, ...]]:
    """Yield the members of a collection under its lease, so that no other process writes to it."""
    require_kind("waiting", waiting, Waiting, "a Waiting")
    (first, *_) = await _members(index, collection)
    async with index.leases.take(first.spec.public_name, what, waiting):
        yield await _members(index, collection)


async def _members(index: Index, collection: str) -> tuple[CollectionInfo, ...]:
    """Return the collections of that name: all members of a base, or a single one."""
    infos = await index.collections()
    found = all_members(infos, collection)
    found = found or tuple(info for info in infos if info.spec.name == collection)
    if not found:
        called = sorted({info.spec.public_name for info in infos})
        raise UsageError(
            f"no collection is named {collection!r}; known collections:"
            f" {', '.join(called) or 'none'}",
            hint="pincite collections",
        )
    return found
