"""Documents get their dense vectors, whole documents at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice

from pincite.ingestion.prepare import Prepared
from pincite.model import Vector
from pincite.ports import DenseEncoder, GroupedEncoder


async def encode(
    documents: Sequence[Prepared], texts: Sequence[str], dense: DenseEncoder
) -> tuple[Prepared, ...]:
    """The same with vectors; `texts` are those of all of their points in order. Raises what the
    encoder raises."""
    if not texts:
        return tuple(documents)
    rows = iter(await _vectors(documents, texts, dense))
    return tuple(
        replace(one, points=tuple(replace(point, dense=next(rows)) for point in one.points))
        for one in documents
    )


async def _vectors(
    documents: Sequence[Prepared], texts: Sequence[str], dense: DenseEncoder
) -> Iterable[Vector]:
    """One vector per text, in order. Models that read whole documents get whole documents."""
    if not isinstance(dense, GroupedEncoder):
        return await dense.embed_documents(texts)
    left = iter(texts)
    grouped = [list(islice(left, len(one.points))) for one in documents]
    return chain.from_iterable(await dense.embed_grouped(grouped))
