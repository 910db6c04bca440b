"""Chunks get their sparse vectors, and collections the average length that these depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pincite.collection.union import UnionIndex
from pincite.ingestion.enrich import enrich
from pincite.ingestion.report import Progress
from pincite.model import Chunk, CollectionSpec, Point
from pincite.ports import Index, SparseEncoder
from pincite.providers.sparse.bm25 import round_average
from pincite.sources import Entry

_SAMPLE = 48  # documents that give the first estimate of the average length


def weigh(
    chunks: Iterable[Chunk], texts: Iterable[str], sparse: SparseEncoder, average_length: float
) -> tuple[Point, ...]:
    """Points without dense vectors. `texts` are what `enrich` makes of the chunks, `average_length`
    as in `SparseEncoder.encode_document`."""
    pairs = zip(chunks, texts, strict=True)
    return tuple(Point(c, *sparse.encode_document(text, average_length)) for c, text in pairs)


def average_of(tokens: int, chunks: int) -> float:
    """The average length that a collection with so many tokens in its chunks is weighed with."""
    return round_average(max(tokens / chunks, 1.0)) if chunks else 0.0


def sample_of(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Files from all over a source, of whose documents a first average is taken."""
    return entries[:: max(1, len(entries) // _SAMPLE)]


async def weigh_again(
    collection: str,
    index: Index,
    sparse: SparseEncoder,
    progress: Callable[[Progress], None] = lambda _: None,
) -> bool:
    """Weigh all chunks for the average length of what is indexed now, unless they are, and count
    the terms of a collection that was made before they were counted. When this is cut off, the
    collection says that it is `mixed`, and the next run begins again. False if all was as it is to
    be."""
    info = next(i for i in await index.collections() if i.spec.name == collection)
    spec, average = info.spec, average_of(info.tokens, info.chunks)
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
    """What documents have left behind in the other members of a base is weighed for itself; a
    member that has none any more goes."""
    gone = await index.let_go() if others else ()
    for other in others:
        if other.name not in gone and other.sparse == sparse.fingerprint:
            await weigh_again(other.name, index, sparse, progress)
