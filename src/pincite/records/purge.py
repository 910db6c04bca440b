"""Remove records that are marked for deletion: from the index, then from the store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pincite.ingestion.sources.revisions import fingerprints, revision_of
from pincite.model import CollectionSpec
from pincite.ports import Index
from pincite.sources.record_store import RecordState, RecordStore

_AT_ONCE = 1_000  # records removed in one step


async def remove_going(
    index: Index,
    specs: Sequence[CollectionSpec],
    store: RecordStore,
    collection: str,
    source: str,
) -> int:
    """Remove the marked records from the index and then from the store. `index` is that of all
    members of the collection. Return the number of removed records."""
    removed = 0
    while going := await asyncio.to_thread(store.going, collection, source, _AT_ONCE):
        gone = sorted({r for one in going for r in _revisions(source, one, specs)})
        await index.remove(specs[0].name, gone)
        await asyncio.to_thread(store.purge, collection, source, [one.path for one in going])
        removed += len(going)
    return removed


def _revisions(source: str, state: RecordState, specs: Sequence[CollectionSpec]) -> set[str]:
    """Return all revisions that the index may have of a record: an interrupted run may have written
    it last."""
    key = (source, state.path, state.content_hash)
    found = {
        revision_of(*key, way)
        for spec in specs
        for way in fingerprints(spec, (state.shape,), spec.made_with)
    }
    return found | ({state.indexed.revision} if state.indexed else set())
