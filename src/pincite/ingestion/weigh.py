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
    """Return points without dense vectors. `texts` are the results of `enrich` for the chunks,
    `average_length` is as in `SparseEncoder.encode_document`."""
    pairs = zip(chunks, texts, strict=True)
    return tuple(Point(c, *sparse.encode_document(text, average_length)) for c, text in pairs)


def average_for(spec: CollectionSpec) -> float:
    """Return the `average_length` of a collection. It does not matter to learned weights. Another
    encoder than ours does not give pairs of characters."""
    if not spec.idf:
        return 1.0
    return AVERAGE_LENGTH if spec.sparse_model else average_length(spec.language)


async def weigh_again(
    collection: str,
    index: Index,
    sparse: SparseEncoder,
    progress: Callable[[Progress], None] = lambda _: None,
) -> bool:
    """Weigh all chunks of a collection from before the average length was the same for all, and
    count the terms of one from before they were counted. If this is interrupted, the collection is
    marked `mixed`, and the next run starts again. Return False if nothing had to change."""
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
    """Weigh the remaining documents of the other members of a base, each for itself; remove members
    without documents."""
    gone = await index.let_go() if others else ()
    for other in others:
        if other.name not in gone and other.sparse == sparse.fingerprint:
            await weigh_again(other.name, index, sparse, progress)
