"""Reuse the vectors of chunks that a changed document still has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from pincite.ingestion.batch import Prepared
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.enrich import enrich
from pincite.ingestion.sources.revisions import (
    UNEMBEDDED,
    definitions_revision,
    fingerprints_of,
    revision_of,
    text_revision,
)
from pincite.model import CollectionSpec, DocumentRecord, Vector
from pincite.ports import GroupedEncoder
from pincite.readers.given_types import type_of
from pincite.sources import OpenSource

#: Vectors by path of the document, then by encoded text.
KnownVectors = Mapping[str, Mapping[str, Vector]]
NOTHING_KNOWN: KnownVectors = {}


async def known_vectors(
    documents: Sequence[Prepared],
    indexed: Mapping[str, DocumentRecord],
    opened: OpenSource,
    spec: CollectionSpec,
    deps: IngestDeps,
) -> KnownVectors:
    """Return the vectors that the index has for these documents. `indexed` are the records of the
    source, by path; new documents cost no query. Returns nothing for models that read whole
    documents, because their vectors depend on more than the text of the chunk."""
    dense = deps.dense
    if dense is None or isinstance(dense, GroupedEncoder) or dense.fingerprint != spec.dense:
        return NOTHING_KNOWN
    known = {}
    for one in documents:
        record = indexed.get(one.record.path)
        if record is not None and record.chunks and _made_alike(record, opened, spec):
            held = await deps.index.embedded(spec.name, record.source, record.path)
            known[record.path] = {
                enrich(stored.chunk): stored.vector for stored in held if stored.vector is not None
            }
    return known


def count_reused(documents: Sequence[Prepared], known: KnownVectors) -> int:
    """Return the number of chunks that have a known vector."""
    return sum(text in known.get(one.record.path, ()) for one in documents for text in one.texts)


def _made_alike(record: DocumentRecord, opened: OpenSource, spec: CollectionSpec) -> bool:
    """Return whether, according to its revision, the text of the document's chunks was enriched as
    it would be now. Earlier rules for definitions and texts are accepted, because vectors are
    looked up by their text. False for pages that include other files, which may have changed."""
    if record.includes:
        return False
    key = (record.source, record.path, record.content_hash)
    found = type_of(opened.source, record.path)
    definitions = range(definitions_revision(found), -1, -1)
    texts = range(text_revision(opened, record.path, found), -1, -1)
    return any(
        revision_of(*key, made) == record.revision
        for rules in product(definitions, texts)
        for made in fingerprints_of(opened, record.path, "", spec, lambda *_: (UNEMBEDDED,), *rules)
    )
