"""Add dense vectors to documents, whole documents at a time."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from pincite.errors import Invalid
from pincite.ingestion.batch import Prepared
from pincite.ingestion.enrich import own_text
from pincite.ingestion.reuse import NOTHING_KNOWN, KnownVectors
from pincite.model import Vector
from pincite.ports import DenseEncoder, GroupedEncoder
from pincite.ports.tracing import model_call
from pincite.support.fields import replace


async def embed(
    documents: Sequence[Prepared],
    dense: DenseEncoder,
    known: KnownVectors = NOTHING_KNOWN,
) -> tuple[Prepared, ...]:
    """Return the documents with dense vectors. `known` vectors are reused, except by models that
    read whole documents. Raises the encoder's errors; Invalid names the path of the document."""
    if not any(one.points for one in documents):
        return tuple(documents)
    try:
        rows = iter(await _vectors(documents, dense, known))
    except Invalid as error:
        if (path := _path_of(error.item, documents)) is None:
            raise
        raise type(error)(
            f"{path} has a text that the model refuses: {error.message}",
            hint=error.hint or f"change the file, or leave it out: --exclude {shlex.quote(path)}",
            item=error.item,
        ) from error
    return tuple(
        replace(one, points=tuple(replace(point, dense=next(rows)) for point in one.points))
        for one in documents
    )


def embed_known(documents: Sequence[Prepared], known: KnownVectors) -> tuple[Prepared, ...]:
    """Return the documents with the known vectors only. A document that lacks one gets the revision
    of an incomplete document."""
    found = []
    for one in documents:
        held = known.get(one.record.path, {})
        points = tuple(
            replace(point, dense=held.get(text))
            for point, text in zip(one.points, one.texts, strict=True)
        )
        record = one.record
        if any(point.dense is None for point in points):
            record = replace(record, revision=one.revision)
        found.append(replace(one, record=record, points=points))
    return tuple(found)


async def _vectors(
    documents: Sequence[Prepared], dense: DenseEncoder, known: KnownVectors
) -> Iterable[Vector]:
    """Return one vector per point, in order. A `GroupedEncoder` gets the texts of each document as
    one group."""
    if isinstance(dense, GroupedEncoder):
        groups = [_told_once(one) for one in documents]
        with model_call("embeddings", dense.fingerprint, sum(map(len, groups))):
            return chain.from_iterable(await dense.embed_grouped(groups))
    held = [known.get(one.record.path, {}).get(text) for one in documents for text in one.texts]
    texts = (text for one in documents for text in one.texts)
    lacking = [text for text, vector in zip(texts, held, strict=True) if vector is None]
    fresh: Iterator[Vector] = iter(())
    if lacking:
        with model_call("embeddings", dense.fingerprint, len(lacking)):
            fresh = iter(await dense.embed_documents(lacking))
    return (next(fresh) if vector is None else vector for vector in held)


def _path_of(item: object, documents: Sequence[Prepared]) -> str | None:
    """Return the path of the document with a text that a model has refused, None if unknown."""
    texts = {item} if isinstance(item, str) else set(item) if isinstance(item, tuple) else set()
    return next((one.record.path for one in documents if not texts.isdisjoint(one.texts)), None)


def _told_once(document: Prepared) -> list[str]:
    """Return the texts for a model that reads all chunks of a document: only the first one has the
    location."""
    return [*document.texts[:1], *(own_text(point.chunk) for point in document.points[1:])]
