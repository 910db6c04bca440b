"""Vectors of chunks that a changed document still has, so that they are not encoded again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.ingestion.batch import Prepared
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.enrich import enrich
from pincite.ingestion.revisions import UNEMBEDDED, fingerprints_of, revision_of
from pincite.model import CollectionSpec, DocumentRecord, Vector
from pincite.ports import GroupedEncoder
from pincite.sources import OpenSource

#: By path and by what the encoder has read.
KnownVectors = Mapping[str, Mapping[str, Vector]]
NOTHING_KNOWN: KnownVectors = {}


async def known_vectors(
    documents: Sequence[Prepared],
    indexed: Mapping[str, DocumentRecord],
    opened: OpenSource,
    spec: CollectionSpec,
    deps: IngestDeps,
) -> KnownVectors:
    """The vectors of what is indexed under the paths of these documents. `indexed` are the records
    of the source, by path: for new documents nothing is asked. A vector is a function of its text
    alone, but for models that read whole documents: of these there are none."""
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
    """How many chunks of the documents have a known vector."""
    return sum(text in known.get(one.record.path, ()) for one in documents for text in one.texts)


def _made_alike(record: DocumentRecord, opened: OpenSource, spec: CollectionSpec) -> bool:
    """Was the document cut and enriched as it would be now? Its revision says so. Pages that show
    other files are left out: these may have changed since."""
    if record.includes:
        return False
    ways = fingerprints_of(opened, record.path, "", spec, lambda *_: (UNEMBEDDED,))
    key = (record.source, record.path, record.content_hash)
    return any(revision_of(*key, made) == record.revision for made in ways)
