"""Give a collection another dense model, from the texts that are stored in it.

The new vectors are written to a member of the same base that searches skip until it is complete.
Then one write to the catalog puts it in the place of the others. A document is recorded there when
it is complete, under its revision. So an interrupted run can be continued, and a later indexing run
finds nothing to do.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pincite.collection.members import (
    all_members,
    all_sources,
    as_one,
    members,
    next_serial,
    require_base,
)
from pincite.encoders.by_name import Models
from pincite.encoders.sparse import sparse_of
from pincite.errors import ModelUnavailable, StoreError, UsageError
from pincite.ingestion.batch import Prepared
from pincite.ingestion.dense_model import Dense, collection_name, open_dense
from pincite.ingestion.embed import embed
from pincite.ingestion.enrich import enrich
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.target import of_model
from pincite.ingestion.weigh import average_for, weigh, weigh_again
from pincite.model import CollectionSpec, DocumentRecord, IndexedDocument, Notice
from pincite.ports import (
    CollectionInfo,
    DenseEncoder,
    Index,
    LeasedIndex,
    SparseEncoder,
    Waiting,
)
from pincite.settings.defaults import WAIT_S
from pincite.settings.load import Settings
from pincite.settings.sections.models import BUNDLED
from pincite.support.arguments import require_kind
from pincite.support.fields import replace

_PAGE = 512  # chunks that are compared at a time
# The fields of a spec that a new collection keeps.
_OF_MEMBERS = ("name", "model", "base", "formerly", "serial", "pending", "replaces")


@dataclass(frozen=True, slots=True)
class ReembedOptions:
    """Options of a run. `keep` leaves the old collections on disk, hidden. `rate` is the maximum
    number of texts embedded in a second, 0 for no limit. `wait_s` as in `IndexOptions`."""

    keep: bool = False
    rate: float = 0.0
    wait_s: float = WAIT_S
    on_notice: Callable[[Notice], None] = lambda _: None
    on_fetch: Callable[[str, int, int], None] = lambda *_: None

    def __post_init__(self) -> None:
        if self.rate < 0:
            raise UsageError(f"a rate of {self.rate} texts a second is negative")


@dataclass(frozen=True, slots=True)
class Reembedding:
    """Progress: the number of chunks that have their new vector, and of all chunks."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Reembedded:
    """The result of a run. `encoded` of the `chunks` had no vector of this model before. `retired`
    are the replaced collections; they are deleted unless they are `kept`."""

    base: str
    collection: str
    model: str
    documents: int
    chunks: int
    encoded: int
    retired: tuple[str, ...]
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """The collection to fill and its sources. `batch_chunks` are embedded at a time."""

    index: Index
    spec: CollectionSpec
    encoder: DenseEncoder
    sparse: SparseEncoder
    batch_chunks: int
    progress: Callable[[Reembedding], None]


async def reembed(
    settings: Settings,
    index: LeasedIndex,
    base: str,
    model: str,
    options: ReembedOptions,
    progress: Callable[[Reembedding], None] = lambda _: None,
) -> Reembedded:
    """Give all documents of a base the dense model of that name. Searches use the old collections
    until the new one is complete. A run can be repeated, and stopped at any time.

    Raises UsageError for an unknown collection, IndexUnavailable while another process writes to
    it, StoreError if the copy is incomplete in the end, ConfigError, ProviderError, DiskFull.
    """
    require_kind("model", model, str, "the name of a model")
    if not model.strip():
        raise UsageError(f"model is {model!r}; it takes the name of a model", hint=repr(BUNDLED))
    require_kind("options", options, ReembedOptions, "ReembedOptions")
    waiting = Waiting(options.wait_s, options.on_notice)
    async with index.leases.take(base, f"embedding {base!r} with {model}", waiting):
        return await _reembed(settings, index, base, model, options, progress)


async def _reembed(
    settings: Settings,
    index: Index,
    base: str,
    model: str,
    options: ReembedOptions,
    progress: Callable[[Reembedding], None],
) -> Reembedded:
    infos = await index.collections()
    require_base(infos, base)
    held, known = members(infos, base), all_members(infos, base)
    if not held:
        called = sorted({info.spec.public_name for info in infos})
        raise UsageError(
            f"no collection is named {base!r}; known collections: {', '.join(called) or 'none'}",
            hint="pincite collections",
        )
    together = as_one(held, held[-1].spec)
    if together.broken:
        raise UsageError(together.broken, hint=f"pincite collections rebuild {base}")
    asked = IndexOptions(
        collection=base,
        model=model,
        upgrade=True,
        beside=True,
        on_notice=options.on_notice,
        on_fetch=options.on_fetch,
    )
    info = of_model(settings, known, asked)
    async with (
        Models(settings, options.on_notice) as models,
        open_dense(settings, models, info, asked) as dense,
    ):
        if dense.encoder is None:
            raise ModelUnavailable(f"no model is named {model!r}", hint="pincite doctor")
        await sparse_of(models, held[-1].spec)  # before anything is created
        spec = await make_target(index, base, dense, dense.encoder)
        sparse = await sparse_of(models, spec)
        work = Work(index, spec, dense.encoder, sparse, dense.batch_chunks, progress)
        return await fill(work, options)


async def make_target(
    index: Index, base: str, dense: Dense, encoder: DenseEncoder
) -> CollectionSpec:
    """Create or prepare the collection with the new model and return it. It is pending unless it is
    already searched as one of several members. If it is the only member, nothing is written."""
    infos = await index.collections()
    ours, held = all_members(infos, base), members(infos, base)
    there = next((info for info in ours if info.spec.dense == encoder.fingerprint), None)
    olds = [info for info in held if info is not there]
    if there in held and not olds:
        return there.spec
    last = held[-1].spec
    new = replace(
        last,
        name=collection_name(base, dense, infos),
        dense=encoder.fingerprint,
        dimensions=encoder.dimensions,
        average_length=average_for(last),
        formerly=(),
        mixed=False,
    )
    like = there.spec if there else new
    formerly = {name for info in olds for name in info.spec.made_with}
    known = {name: kind for info in held for name, kind in info.spec.attributes.items()}
    spec = replace(
        like,
        attributes={**like.attributes, **known},
        require=last.require,
        model=dense.name,
        base=base,
        formerly=tuple(sorted({*like.formerly, *formerly} - {encoder.fingerprint})),
    )
    if there in held:
        await index.create(spec)
        return spec
    replaced = {name for info in olds for name in (info.spec.name, *info.spec.replaces)}
    spec = replace(
        spec,
        serial=next_serial(info for info in ours if info is not there),
        pending=True,
        replaces=tuple(sorted(replaced - {spec.name})),
    )
    if there and there.spec.sparse != last.sparse:  # every vector would need new weights
        spec = replace(new, **{name: getattr(spec, name) for name in _OF_MEMBERS})
        await index.reset(spec)
    else:
        await index.create(spec)
    return spec


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
