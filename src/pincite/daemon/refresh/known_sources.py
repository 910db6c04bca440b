"""The sources that the daemon keeps up to date, and their indexed documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from pincite.model import DocumentRecord, SourceRecord
from pincite.ports import CollectionInfo, Paged

MOST_DOCUMENTS: Final = 20_000  #: in one look: reading a thousand records takes 10 ms
Key = tuple[str, str]  #: a collection, under its public name, and one of its sources


class HasSources(Paged, Protocol):
    """The part of the index that this module reads."""

    async def collections(self) -> tuple[CollectionInfo, ...]: ...

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]: ...


async def sources_of(index: HasSources) -> dict[Key, tuple[SourceRecord, list[CollectionInfo]]]:
    """Return each source with the members of its collection that have it."""
    found: dict[Key, tuple[SourceRecord, list[CollectionInfo]]] = {}
    for info in await index.collections():
        if info.foreign or info.spec.pending or info.broken:
            continue
        for record in info.sources:
            if record.source.kind != "records":
                key = (info.spec.public_name, record.source.name)
                members = found[key][1] if key in found else []
                found[key] = (record, [*members, info])
    return found


async def records_of(
    index: HasSources, members: Sequence[CollectionInfo], source: str
) -> list[DocumentRecord]:
    """Return the documents of a source in these members."""
    return [record for info in members for record in await index.documents(info.spec.name, source)]
