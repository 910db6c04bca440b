"""Compute the sparse vectors of chunks, and replace those that an earlier version computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pincite.collection.union import UnionIndex
from pincite.ingestion.enrich import enrich
from pincite.ingestion.report import Progress
from pincite.model import Chunk, CollectionSpec, Point
from pincite.model.catalog import AVERAGE_LENGTH
from pincite.ports import Index, SparseEncoder
from pincite.providers.sparse.bm25 import average_length
from pincite.support.fields import replace


def weigh(
    chunks: Iterable[Chunk], texts: Iterable[str], sparse: SparseEncoder, average_length: float
) -> tuple[Point, ...]:
    """Return the chunks as points with sparse vectors, without dense ones. `texts` are the results
    of `enrich` for the chunks, `average_length` is as in `SparseEncoder.encode_document`."""
    pairs = zip(chunks, texts, strict=True)
    return tuple(Point(c, *sparse.encode_document(text, average_length)) for c, text in pairs)


def average_for(spec: CollectionSpec) -> float:
    """Return the `average_length` of a collection, in terms. Learned weights do not use it (1.0).
    It depends on the language only for the built-in encoder, which makes pairs of characters in
    scripts without spaces."""
    if not spec.idf:
        return 1.0
    return AVERAGE_LENGTH if spec.sparse_model else average_length(spec.language)


async def weigh_again(
    collection: str,
    index: Index,
    sparse: SparseEncoder,
    progress: Callable[[Progress], None] = lambda _: None,
) -> bool:
    """Compute the sparse vectors of all chunks of a collection again if an earlier version computed
    them with another average length, or did not count terms. Return whether it was necessary. If
    this is interrupted, the collection stays marked as `mixed`, and the next run starts again."""
    info = next(i for i in await index.collections() if i.spec.name == collection)
    spec, average = info.spec, average_for(info.spec)
    if not spec.idf or not (spec.engine_idf or spec.mixed or average != spec.average_length):
        return False
    await index.create(replace(spec, mixed=True))
    done = 0
    for record in await index.documents(collection):
        chunks = await index.document(collection, record.source, record.path)
        points = weigh(chunks, map(enrich, chunks), sparse, average)
        vectors = {point.chunk.id: point.sparse for point in points}
        await index.weigh(collection, record.revision, vectors)
        done += len(chunks)
        progress(Progress("weigh", done, info.chunks))
    await index.create(replace(spec, average_length=average, mixed=False, counted=True))
    return True


async def weigh_others(
    index: UnionIndex,
    others: Sequence[CollectionSpec],
    sparse: SparseEncoder,
    progress: Callable[[Progress], None] = lambda _: None,
) -> None:
    """Call `weigh_again` for the other members of a base with this sparse encoder. Members without
    documents are removed first."""
    gone = await index.let_go() if others else ()
    for other in others:
        if other.name not in gone and other.sparse == sparse.fingerprint:
            await weigh_again(other.name, index, sparse, progress)
