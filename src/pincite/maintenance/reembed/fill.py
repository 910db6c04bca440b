"""Fill the new member from the texts of the old ones, compare both, and switch.

A document is recorded when it is complete. An interrupted run continues with the others.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pincite.collection.members import all_members, all_sources, members
from pincite.errors import StoreError
from pincite.ingestion.batch import Prepared
from pincite.ingestion.embed import embed
from pincite.ingestion.enrich import enrich
from pincite.ingestion.weigh import weigh, weigh_again
from pincite.maintenance.reembed.options import Reembedded, Reembedding, ReembedOptions
from pincite.model import CollectionSpec, DocumentRecord, IndexedDocument
from pincite.ports import CollectionInfo, DenseEncoder, Index, SparseEncoder
from pincite.settings.sections.models import BUNDLED
from pincite.support.fields import replace

_PAGE = 512  # chunks that are compared at a time


@dataclass(frozen=True, slots=True)
class Work:
    """The collection to fill and its sources. `batch_chunks` are embedded at a time."""

    index: Index
    spec: CollectionSpec
    encoder: DenseEncoder
    sparse: SparseEncoder
    batch_chunks: int
    progress: Callable[[Reembedding], None]


async def fill(work: Work, options: ReembedOptions) -> Reembedded:
    """Embed the documents that the target lacks, compare, switch, and retire the old ones. Raises
    the errors of `reembed`."""
    index, spec = work.index, work.spec
    infos = await index.collections()
    olds = [info for info in members(infos, spec.public_name) if info.spec.name != spec.name]
    wanted = await _wanted(work, olds)
    for record in all_sources(olds):
        await index.put_source(spec.name, record)
    encoded = await _embed_all(work, wanted, options.rate)
    await weigh_again(spec.name, index, work.sparse)
    if spec.pending:
        await _compare(index, spec, olds)
    await index.settle(spec.name)
    made = {info.spec.name: info for info in await index.collections()}[spec.name]
    if spec.pending:  # from here on searches use this collection instead of those it replaces
        await index.create(replace(made.spec, pending=False))
    retired = await _retire(index, made, options)
    return Reembedded(
        *(spec.public_name, spec.name, spec.model or BUNDLED, made.documents, made.chunks, encoded),
        retired=retired,
        kept=options.keep,
    )


async def _retire(index: Index, made: CollectionInfo, options: ReembedOptions) -> tuple[str, ...]:
    """Drop the replaced collections, unless they are to be kept, and empty members."""
    ours = all_members(await index.collections(), made.spec.public_name)
    replaced = [i.spec.name for i in ours if i.spec.name in made.spec.replaces]
    empty = [i.spec.name for i in ours if not i.documents and i.spec.name != made.spec.name]
    for name in empty if options.keep else {*replaced, *empty}:
        await index.drop(name)
    return tuple(sorted({*replaced, *empty}))


async def _wanted(work: Work, olds: Sequence[CollectionInfo]) -> list[tuple[str, DocumentRecord]]:
    """Return the documents of the old members that the new one lacks, each with its collection.
    Remove documents that only the new member has, and copies in two members that a crash has
    left."""
    index, name = work.index, work.spec.name
    there = {(r.source, r.path): r for r in await index.documents(name)}
    found: dict[tuple[str, str], tuple[str, DocumentRecord]] = {}
    for info in reversed(olds):
        for record in await index.documents(info.spec.name):
            key = (record.source, record.path)
            if key in found or (key in there and not work.spec.pending):
                await index.remove(info.spec.name, [record.revision])
            else:
                found[key] = (info.spec.name, record)
    if work.spec.pending:
        current = {record.revision for _, record in found.values()}
        stale = [r.revision for r in there.values() if r.revision not in current]
        if stale:
            await index.remove(name, stale)
    have = {record.revision: record for record in there.values()}
    await index.touch(name, [*_with_other_attributes(have, [one for _, one in found.values()])])
    return [found[key] for key in sorted(found) if found[key][1].revision not in have]


def _with_other_attributes(
    have: Mapping[str, DocumentRecord], records: Iterable[DocumentRecord]
) -> Iterator[DocumentRecord]:
    """Yield the records of the new member whose attributes have changed, with the new ones."""
    for record in records:
        made = have.get(record.revision)
        if made and (made.attributes, made.inherited) != (record.attributes, record.inherited):
            yield replace(made, attributes=record.attributes, inherited=record.inherited)


async def _embed_all(work: Work, wanted: Sequence[tuple[str, DocumentRecord]], rate: float) -> int:
    """Embed whole documents in batches and record each one when it is complete, at most `rate`
    chunks in a second. Return the number of chunks."""
    most = work.batch_chunks if not rate else max(1, min(work.batch_chunks, int(rate)))
    total = sum(record.chunks for _, record in wanted)
    done, started_s = 0, time.monotonic()
    work.progress(Reembedding(0, total))
    batch: list[tuple[str, Prepared]] = []
    waiting = 0
    for place, (name, record) in enumerate(wanted, start=1):
        batch.append((name, await _prepared(work, name, record)))
        waiting += record.chunks
        if max(waiting, len(batch)) < most and place < len(wanted):
            continue
        await _write(work, batch)
        done, waiting, batch = done + waiting, 0, []
        work.progress(Reembedding(done, total))
        if rate and done < total:
            await asyncio.sleep(max(0.0, done / rate - (time.monotonic() - started_s)))
    return done


async def _prepared(work: Work, name: str, record: DocumentRecord) -> Prepared:
    """Build a document from its stored texts. Raises StoreError if a part is missing."""
    chunks = await work.index.document(name, record.source, record.path)
    if len(chunks) != record.chunks:
        raise StoreError(
            f"{record.path!r} has {len(chunks)} chunks in {name}, not {record.chunks}",
            hint="pincite index, then run the same command again",
        )
    texts = tuple(enrich(chunk) for chunk in chunks)
    points = weigh(chunks, texts, work.sparse, work.spec.average_length)
    return Prepared(replace(record, tokens=sum(p.length for p in points)), points, texts)


async def _write(work: Work, batch: Sequence[tuple[str, Prepared]]) -> None:
    embedded = await embed([one for _, one in batch], work.encoder)
    await work.index.replace(
        work.spec.name, [IndexedDocument(one.record, one.points) for one in embedded]
    )
    if not work.spec.pending:  # already searched, and a document is in one member only
        for name in sorted({name for name, _ in batch}):
            there = [one.record.revision for place, one in batch if place == name]
            await work.index.remove(name, there)


async def _compare(index: Index, spec: CollectionSpec, olds: Sequence[CollectionInfo]) -> None:
    """Raise StoreError unless the collection has exactly the chunks of the old ones, and one chunk
    of each page has its vector."""
    expected = 0
    for info in olds:
        after = None
        while page := await index.page(info.spec.name, after, _PAGE):
            after = page[-1].id
            expected += len(page)
            found = await index.load(spec.name, [chunk.id for chunk in page])
            first = await index.load(spec.name, [page[0].id], vectors=True)
            same = [stored.chunk for stored in found] == list(page)
            if not same or any(stored.vector is None for stored in first):
                raise _incomplete(spec, f"some of {len(page)} chunks of {info.spec.name}")
    infos = {info.spec.name: info for info in await index.collections()}
    held = infos[spec.name]
    if held.chunks != expected:
        raise _incomplete(spec, f"{expected - held.chunks} of {expected} chunks")


def _incomplete(spec: CollectionSpec, what: str) -> StoreError:
    return StoreError(
        f"{spec.name} lacks {what} and stays unused",
        hint=f"pincite collections drop {spec.name}, then run the same command again",
    )
