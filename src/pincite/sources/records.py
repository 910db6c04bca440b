"""A source of records: its documents are kept in the index folder, not on the user's disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pincite.errors import SourceError
from pincite.model import Attributes, Document, DocumentRecord, Source
from pincite.model.revisions import content_ref
from pincite.sources.entries import Entry, OpenSource, Skipped
from pincite.sources.record_store import RecordStore, records_file

_PAGE = 1_000  # records listed at once


def source_of_records(collection: str, name: str) -> Source:
    """The source that records of this name in a collection (a base) are in."""
    return Source(name, f"records:{collection}/{name}", "records", anchors="none")


class RecordsSource(OpenSource):
    """Records in the order of their paths."""

    def __init__(
        self, source: Source, store: RecordStore, *, owned: bool = True, only_read: bool = False
    ) -> None:
        """Closes the store in the end if it is `owned`."""
        super().__init__(source)
        self._store = store
        self._owned = owned
        self._only_read = only_read
        place = source.location.removeprefix("records:")
        self._collection = place.removesuffix(f"/{source.name}")
        self._last = ("", "")  # path and shape of the record that was read last

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
            raise SourceError(f"record {entry.path} is not there any more.")
        return kept.text.encode()

    def document(self, entry: Entry) -> Document | None:
        """See OpenSource."""
        kept = self._store.get(self._collection, self.source.name, entry.path)
        if kept is None:
            raise SourceError(f"record {entry.path} is not there any more.")
        content_hash = kept.content_hash
        self._last = (kept.path, kept.shape)
        return Document(
            source=self.source.name,
            ref=content_ref(content_hash),
            path=kept.path,
            text=kept.text,
            encoding="utf-8",
            content_hash=content_hash,
            source_type="docs",
            language=kept.language,
            title=kept.title,
            url=kept.url,
            attributes=kept.attributes,
            cited_in="char",
            pages=kept.pages,
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
    """The source of records that is kept in this index folder. Raises SourceError where it has
    none, StoreError."""
    if folder is None or not records_file(folder).is_file():
        raise SourceError(f"the records of {source.name} are not in the index folder")
    return RecordsSource(source, RecordStore(folder, only_read=only_read), only_read=only_read)


def unsettle(folder: Path, collection: str) -> None:
    """The index of a collection is made anew: all of its records are to be indexed. Raises
    StoreError."""
    if records_file(folder).is_file():
        with RecordStore(folder) as store:
            store.unsettle(collection)


def drop_records(folder: Path, collection: str, source: str | None = None) -> None:
    """Delete the records of a collection, or of one source of it. Raises StoreError, DiskFull."""
    if records_file(folder).is_file():
        with RecordStore(folder) as store:
            store.drop(collection, source)
