"""Make a store and its catalog agree again after a crash."""

from __future__ import annotations

from pincite.ports import Catalog, Store
from pincite.support.fields import replace


async def reconcile(store: Store, catalog: Catalog, collection: str) -> int:
    """Make the store contain exactly the revisions that the catalog names, and the other way round.

    Revisions that the catalog does not name are leftovers and are removed. Documents of which the
    store has too few points are removed from the catalog, and their sources become incomplete, so
    that the next run indexes them again. Returns the number of these documents.
    """
    held = await store.revisions(collection)
    records = await catalog.documents(collection)
    wanted = {record.revision: record for record in records if record.chunks}
    whole = {key for key, record in wanted.items() if held.get(key) == record.chunks}
    await store.remove(collection, sorted(held.keys() - whole))
    await store.publish(collection, dict.fromkeys(sorted(whole & await store.staged(collection))))
    lost = sorted(wanted.keys() - whole)
    if lost:
        names = {wanted[revision].source for revision in lost}
        for record in await catalog.sources(collection):
            if record.source.name in names:
                await catalog.put_source(collection, replace(record, complete=False))
        await catalog.delete(collection, lost)
    return len(lost)
