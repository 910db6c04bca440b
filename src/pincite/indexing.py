"""What `index` needs besides the write path itself: locks, models, the spec of a collection."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pincite.batches import Maker
from pincite.choosing import Dense, open_dense
from pincite.chunkers import ChunkerConfig
from pincite.errors import IndexUnavailable, PinciteError, UsageError
from pincite.hosted import Models
from pincite.ingest import IngestDeps, IngestReport, Progress, ingest
from pincite.model import CollectionSpec
from pincite.opening import open_all
from pincite.options import IndexOptions, require_fingerprint
from pincite.owner.client import RemoteIndex
from pincite.ports import CollectionInfo, GroupedEncoder, SparseEncoder
from pincite.providers.sparse.language import guess_language, stemmer_for
from pincite.readers import read_document
from pincite.settings import Settings
from pincite.sources import Entry, OpenSource, Selection
from pincite.sparse_models import name_of, open_sparse, sparse_of

_SAMPLE_FILES = 40
_SAMPLE_CHARS = 4_000


async def index_sources(
    settings: Settings,
    client: RemoteIndex,
    locations: Sequence[str | Path],
    options: IndexOptions,
    progress: Callable[[Progress], None],
) -> tuple[IngestReport, ...]:
    """Index the sources one after the other; see `AsyncPincite.index`."""
    known = {info.spec.name: info for info in await client.collections()}
    info = known.get(options.collection)
    configured = any(each.collection == options.collection for each in settings.sources)
    if info is None and not locations and not configured:
        raise UsageError(
            f"nothing is known of collection {options.collection!r} yet",
            hint=f"pincite index PATH --collection {options.collection}",
        )
    if info is not None and info.broken and not options.rebuild:
        raise UsageError(info.broken, hint=f"pincite collections rebuild {options.collection}")
    with (
        writer_lock(settings.index, options.collection),
        open_all(locations, options, info, settings.sources) as opened,
    ):
        async with open_dense(settings, info, options) as dense:
            models = Models(settings.use, settings.models, offline=settings.offline)
            spec = await _spec(client, info, dense, models, options, opened)
            maker = make_maker(ChunkerConfig(), await sparse_of(models, spec), spec, dense)
            deps = IngestDeps(client, dense.encoder, maker, progress)
            return await ingest_all(opened, spec, deps)


def make_maker(
    chunker: ChunkerConfig, sparse: SparseEncoder, spec: CollectionSpec, dense: Dense
) -> Maker:
    """What makes the points of a collection."""
    return Maker(
        chunker,
        sparse,
        spec.dense,
        chunks=dense.batch_chunks,
        grouped=isinstance(dense.encoder, GroupedEncoder),
    )


async def ingest_all(
    opened: Sequence[tuple[OpenSource, Selection]], spec: CollectionSpec, deps: IngestDeps
) -> tuple[IngestReport, ...]:
    """Sources into a collection that is there, each with the average length that the one before
    has left. Raises as `ingest`."""
    reports = []
    for source, selection in opened:
        infos = await deps.index.collections()
        spec = next(info.spec for info in infos if info.spec.name == spec.name)
        reports.append(await ingest(source, selection, spec, deps))
    return tuple(reports)


@contextmanager
def writer_lock(root: Path, collection: str) -> Iterator[None]:
    """One indexing process per collection. The lock goes with its holder, however that ends."""
    with (root / f"writing-{collection}.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            raise IndexUnavailable(
                f"process {file.read().strip() or '?'} is indexing {collection!r} right now",
                hint="wait for it, or stop it, then run the same command again",
            ) from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


async def _spec(
    client: RemoteIndex,
    info: CollectionInfo | None,
    dense: Dense,
    models: Models,
    options: IndexOptions,
    opened: Sequence[tuple[OpenSource, Selection]],
) -> CollectionSpec:
    """The spec to index with, stored. A new one is made; an old one must fit, or is upgraded."""
    encoder = dense.encoder
    made_by = encoder.fingerprint if encoder else None
    dimensions = encoder.dimensions if encoder else 0
    chunker = ChunkerConfig().fingerprint
    if info is None or options.rebuild:
        language = options.language
        if language == "auto":
            language = info.spec.language if info else guess_corpus_language(opened)
        name = name_of(options.sparse or (info.spec.sparse_model if info else ""))
        sparse = await open_sparse(models, name, language)
        spec = CollectionSpec(
            options.collection,
            sparse.fingerprint,
            chunker,
            made_by,
            dimensions,
            language,
            model=dense.name,
            sparse_model=name,
            idf=sparse.idf,
            average_length=0.0 if sparse.idf else 1.0,
        )
        await (client.reset(spec) if info else client.create(spec))
        return spec
    spec = info.spec
    if options.language not in ("auto", spec.language):
        raise UsageError(
            f"collection {spec.name!r} is stemmed as {spec.language}, not {options.language}",
            hint=f"pincite collections rebuild {spec.name} --language {options.language}",
        )
    if options.sparse and name_of(options.sparse) != spec.sparse_model:
        flags = f" --sparse {options.sparse}"
        ours = await open_sparse(models, name_of(options.sparse), spec.language)
        require_fingerprint(spec.name, "analyser", spec.sparse, ours.fingerprint, flags)
    await sparse_of(models, spec)
    if spec.dense is not None:
        flags = f" --model {options.model}" if options.model else ""
        require_fingerprint(spec.name, "dense model", spec.dense, made_by or "none", flags)
    wanted = replace(spec, chunker=chunker, dense=made_by, dimensions=dimensions, model=dense.name)
    if wanted != spec:
        await client.create(wanted)
    return wanted


def guess_corpus_language(opened: Sequence[tuple[OpenSource, Selection]]) -> str:
    """The stemming language of a new collection, from a sample of its documents."""
    texts: list[str] = []
    for source, _ in opened:
        entries = [entry for entry in source.entries() if isinstance(entry, Entry)]
        for entry in entries[:: max(1, len(entries) // _SAMPLE_FILES)]:
            try:
                raw = source.read(entry)
                document = read_document(raw, source=source.source, path=entry.path, ref="")
            except PinciteError:
                continue  # indexing will name it
            if document.source_type == "docs":
                texts.append(document.text[:_SAMPLE_CHARS])
    return stemmer_for(guess_language("\n".join(texts)))
