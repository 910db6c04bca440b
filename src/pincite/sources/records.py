"""A source of records: its documents are stored in the index folder, not on the user's disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pincite.errors import SourceError
from pincite.model import Attributes, Document, DocumentRecord, Source
from pincite.model.revisions import content_ref
from pincite.sources.entries import Entry, OpenSource, Skipped
from pincite.sources.record_places import has_records, open_record_store
from pincite.sources.record_store import RecordStore

_PAGE = 1_000  # records listed at once


def source_of_records(collection: str, name: str) -> Source:
    """Return the source for records of this name. `collection` is a base name."""
    return Source(name, f"records:{collection}/{name}", "records", anchors="none")


class RecordsSource(OpenSource):
    """Records in the order of their paths."""

    def __init__(
        self, source: Source, store: RecordStore, *, owned: bool = True, only_read: bool = False
    ) -> None:
        """Open the source. If `owned`, `close` closes the store, too."""
        super().__init__(source)
        self._store = store
        self._owned = owned
        self._only_read = only_read
        place = source.location.removeprefix("records:")
        self._collection = place.removesuffix(f"/{source.name}")
        self._last = ("", "")  # path and shape of the last record read

    def entries(self) -> Iterator[Entry | Skipped]:
        """See OpenSource."""
        after = ""
        while page := self._store.page(self._collection, self.source.name, after, _PAGE):
            yield from (Entry(one.path, one.size, one.stamp) for one in page)
            after = page[-1].path

    def find(self, path: str) -> Entry | None:
        """See OpenSource."""
        states = self._store.states(self._collection, self.source.name, [path])
        return Entry(path, states[path].size, states[path].stamp) if path in states else None

    def read(self, entry: Entry) -> bytes:
        """See OpenSource."""
        kept = self._store.get(self._collection, self.source.name, entry.path)
        if kept is None:
            raise SourceError(f"record {entry.path} no longer exists.")
        return kept.text.encode()

    def document(self, entry: Entry) -> Document | None:
        """See OpenSource."""
        kept = self._store.get(self._collection, self.source.name, entry.path)
        if kept is None:
            raise SourceError(f"record {entry.path} no longer exists.")
        content_hash = kept.content_hash
        self._last = (kept.path, kept.shape)
        layout = kept.layout
        return Document(
            source=self.source.name,
            ref=content_ref(content_hash),
            path=kept.path,
            text=kept.text,
            encoding="" if layout else "utf-8",
            content_hash=content_hash,
            source_type="docs",
            language=kept.language,
            title=kept.title,
            url=kept.url,
            attributes=kept.attributes,
            cited_in=layout.unit if layout else "char",
            pages=kept.pages,
            extractor=layout.extractor if layout else "",
            elements=layout.elements if layout else (),
        )

    def made_of(self, path: str) -> str:
        """See OpenSource."""
        last, shape = self._last
        if path == last:
            return shape
        states = self._store.states(self._collection, self.source.name, [path])
        return states[path].shape if path in states else ""

    def attributes_of(self, path: str) -> Attributes | None:
        """See OpenSource."""
        states = self._store.states(self._collection, self.source.name, [path])
        return states[path].attributes if path in states else None

    def settle(self, indexed: Sequence[DocumentRecord]) -> None:
        """See OpenSource."""
        if not self._only_read:
            self._store.settle(self._collection, indexed)

    def close(self) -> None:
        """See OpenSource."""
        if self._owned:
            self._store.close()


def open_records(source: Source, folder: Path | None, *, only_read: bool = False) -> RecordsSource:
    """Open the source of records in this index folder. Raises SourceError if the folder has no
    records, StoreError."""
    if folder is None or not has_records(folder):
        raise SourceError(f"the records of {source.name} are missing from the index folder")
    store = open_record_store(folder, only_read=only_read)
    return RecordsSource(source, store, only_read=only_read)


def unsettle(folder: Path, collection: str) -> None:
    """Mark all records of a collection as not indexed, because its index is rebuilt. Raises
    StoreError."""
    if has_records(folder):
        with open_record_store(folder) as store:
            store.unsettle(collection)


def drop_records(folder: Path, collection: str, source: str | None = None) -> None:
    """Delete the records of a collection, or of one of its sources. Raises StoreError, DiskFull."""
    if has_records(folder):
        with open_record_store(folder) as store:
            store.drop(collection, source)
