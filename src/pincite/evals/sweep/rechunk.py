"""Index the sources of an index again with other chunker settings, in a temporary folder.

The write path is the normal one, with a daemon of its own; the evaluated index is only read.
Vectors are cached by text, so that texts that two chunkings have in common are embedded once.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from pincite.chunkers import ChunkerConfig
from pincite.encoders.by_name import Models
from pincite.encoders.fingerprint import require_fingerprint
from pincite.engine import AsyncPincite
from pincite.errors import UsageError
from pincite.evals.golden.questions import GoldenSet
from pincite.evals.run.runner import Subject, open_subject
from pincite.ingest import ingest_all
from pincite.ingestion.batch import BATCH_CHUNKS
from pincite.ingestion.dense_model import Dense, open_dense
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.report import Progress
from pincite.ingestion.weigh import average_for
from pincite.model.left_out import outer_parts
from pincite.ports import CollectionInfo, DenseEncoder, Index, Readable, Searchable
from pincite.providers.dense.cached import CachedEncoder
from pincite.providers.dense.vector_cache import VectorCache
from pincite.settings.load import Settings
from pincite.sources.reopening import reopen_source, selection_of
from pincite.stores.settings import StoreSettings
from pincite.support.fields import replace

Indexing = Callable[[ChunkerConfig, Progress], None]

VECTORS: Final = "vectors.db"  #: the file in the folder of a sweep
_CACHE_BYTES: Final = 4_000_000_000  # 2.5 million vectors of the bundled model


def require_spans(golden: GoldenSet) -> None:
    """Raise UsageError for an expected item that names a candidate: its id changes with the
    chunker, so it would count as not found."""
    for query in golden.queries:
        for item in query.expected:
            if item.candidate_id:
                raise UsageError(
                    f"question {query.id!r} expects the candidate {item.candidate_id}, but"
                    " candidate ids change with chunking",
                    hint="give path, start_line and end_line instead",
                )


def moved(settings: Settings, index: Path) -> Settings:
    """Return the settings with another index folder and a store in it. The store is never a server,
    where the evaluated collections have the same names."""
    store = settings.store if settings.store.kind == "sqlite" else StoreSettings()
    return replace(settings, index=index, sources=(), store=store)


@asynccontextmanager
async def indexed_anew(
    settings: Settings,
    subject: Subject,
    golden: GoldenSet,
    chunker: ChunkerConfig,
    vectors: Path,
    progress: Indexing = lambda *_: None,
) -> AsyncIterator[tuple[Settings, Subject]]:
    """Index the searched collections again in a temporary index, and yield its settings and the
    subject of the evaluation in it. The index is removed afterwards. `vectors` is the file of
    vectors that chunkings share. Raises UsageError for a collection without sources, or whose files
    differ from the indexed ones, and the errors of `AsyncPincite.index`."""
    root = Path(mkdtemp(prefix="pincite-sweep-"))
    away = moved(settings, root / "index")
    names = tuple(one.spec.name for one in subject.deps.collections)
    scope = replace(subject.scope, collections=names)
    cache = VectorCache(vectors, _CACHE_BYTES)
    try:
        async with AsyncPincite(settings) as engine, AsyncPincite(away) as twin:
            infos = {info.spec.name: info for info in await engine.collections()}
            client = twin.client(create=True)
            try:
                for one in subject.deps.collections:
                    info = infos[one.spec.name]
                    await _copy(
                        *(one, settings, info, client, chunker, cache),
                        lambda told: progress(chunker, told),
                    )
                yield away, await open_subject(twin, golden, scope)
            finally:
                await client.leave()
    finally:
        cache.close()
        shutil.rmtree(root, ignore_errors=True)


async def _copy(
    one: Searchable,
    settings: Settings,
    given: CollectionInfo,
    client: Index,
    chunker: ChunkerConfig,
    cache: VectorCache,
    progress: Callable[[Progress], None],
) -> None:
    """Index one collection again from its sources."""
    name = given.spec.name
    if not given.sources:
        raise UsageError(
            f"collection {name!r} has no sources that can be indexed again",
            hint=(
                "sweep chunking only over collections made by pincite index; choose them with -c"
            ),
        )
    average = average_for(given.spec)
    spec = replace(given.spec, chunker=chunker.fingerprint, average_length=average)
    await client.create(spec)
    with ExitStack() as stack:
        opened = []
        for record in given.sources:
            for part in outer_parts(record.within):
                source = reopen_source(record, part, folder=settings.index, only_read=True)
                stack.callback(source.close)
                opened.append((source, selection_of(record)))
        async with (
            Models(settings) as models,
            open_dense(settings, models, given, IndexOptions(collection=name)) as dense,
        ):
            if dense.encoder is not None:
                ours = dense.encoder.fingerprint
                require_fingerprint(name, "dense model", given.spec.dense or "none", ours)
            deps = IngestDeps(
                client,
                one.sparse,
                remembering(dense, cache),
                chunker,
                dense.batch_chunks,
                progress=progress,
            )
            await ingest_all(opened, spec, deps)
    before, now = await _files(one.index, name), await _files(client, name)
    if before != now:
        path = min(place[1] for place in before ^ now)
        raise UsageError(
            f"{path} of collection {name!r} differs from the indexed text; during a sweep,"
            " files must not change",
            hint=f"pincite index -c {name}",
        )


async def _files(index: Readable, collection: str) -> set[tuple[str, str, str]]:
    """Return source, path and content hash of every document."""
    records = await index.documents(collection)
    return {(record.source, record.path, record.content_hash) for record in records}


def remembering(dense: Dense, cache: VectorCache) -> DenseEncoder | None:
    """Return the bundled encoder with a cache in front of it; a named encoder has its own cache."""
    if dense.encoder is None or dense.name:
        return dense.encoder
    return CachedEncoder(_Bundled(dense.encoder), cache)


class _Bundled:
    """The bundled encoder as a `HostedEncoder`."""

    name = ""
    batch_items = BATCH_CHUNKS

    def __init__(self, encoder: DenseEncoder) -> None:
        self.fingerprint = encoder.fingerprint
        self.dimensions = encoder.dimensions
        self.languages = encoder.languages
        self.embed_query = encoder.embed_query
        self.embed_documents = encoder.embed_documents

    async def close(self) -> None:
        """Do nothing: the encoder is closed by the code that opened it."""
