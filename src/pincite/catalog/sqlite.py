"""`pincite.ports.Catalog` in one SQLite file.

It uses write-ahead logging with `synchronous=NORMAL`: a commit survives a killed process at once,
and a power failure after the next checkpoint. The store beside it has the same guarantee.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from pincite.catalog import outlines
from pincite.catalog.changes import COLUMNS, FIELDS, HELD, CatalogChanges, values_of
from pincite.catalog.chunk_ids import by_place
from pincite.catalog.demands import Noting, add_identity, demands_of_collection, demands_of_source
from pincite.catalog.schema import MIGRATIONS, require_catalog
from pincite.catalog.terms import Terms
from pincite.catalog.totals import add_up, totals_of
from pincite.catalog.until_changed import UntilChanged
from pincite.errors import DiskFull, InvalidPoint, StoreError, UsageError
from pincite.model import (
    Attributes,
    AttributeValue,
    CollectionSpec,
    DocumentRecord,
    SourceRecord,
    TermCounts,
)
from pincite.model.outline import OUTLINE_VERSION, Outline, OutlinedDocument
from pincite.ports import Totals
from pincite.support.databases.sqlite_schema import migrate, require_sqlite_file, use_log
from pincite.support.decodable import ready

_ATTRIBUTES = msgspec.json.Decoder(ready(dict[str, AttributeValue]))
# Without statistics SQLite would use the primary key, and read every document of the collection.
_BY_REVISION = "documents INDEXED BY documents_by_revision"
_AT_ONCE = 1_000  # documents in one query
_SOURCES = 10_000  # cached
_OUTLINE_BYTES = 8_000_000  # of cached outlines, by an estimate
_LEAST_BYTES = 64 * 1024  # twice the initial size of the index of the write-ahead log


class SqliteCatalog:
    """An open catalog. `path` is a file or `:memory:`."""

    def __init__(self, path: Path | str) -> None:
        """Open or create the file, and bring the schema up to date. Raises IndexTooNew,
        StoreError."""
        self._path = path
        self._noting: Noting | None = None
        with self._translated("opened"):
            if isinstance(path, Path):
                require_sqlite_file(path)
            self._db = sqlite3.connect(str(path), isolation_level=None)
        try:
            with self._translated("opened"):
                require_catalog(self._db, self._path)
                use_log(self._db)
                self._db.execute("PRAGMA synchronous = NORMAL")
                self._db.execute("PRAGMA foreign_keys = ON")
                taken = migrate(self._db, MIGRATIONS, f"the catalog {self._path}")
                #: The id of a new catalog; empty for an existing one.
                self.made = add_identity(self._db) if 1 in taken else ""
                self._terms = Terms(self._db)
                self._sources = UntilChanged[str, tuple[SourceRecord, ...]](self._db, _SOURCES)
                self._outlines = UntilChanged[tuple[str, str, str], OutlinedDocument](
                    self._db, _OUTLINE_BYTES
                )
        except BaseException:
            self._db.close()
            raise

    def note_changes(self) -> None:
        """From now on, note the demands of changes as this user's own."""
        self._noting = Noting(self._db)

    @contextmanager
    def _translated(self, verb: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError as error:  # the only constraint that can fail
            raise UsageError("no collection has that name", hint="pincite collections") from error
        except (sqlite3.Error, msgspec.DecodeError) as error:
            if self._no_room(getattr(error, "sqlite_errorcode", 0)):
                free = shutil.disk_usage(Path(self._path).parent).free
                raise DiskFull(
                    f"the disk is full: {free / 1e6:.1f} MB are free at"
                    f" {Path(self._path).parent}; the catalog there is intact but cannot be"
                    f" {verb}: {error}",
                    hint="make room on that disk, then run the same command again",
                ) from error
            raise StoreError(
                f"the catalog {self._path} cannot be {verb}: {error}",
                hint="move the index folder away and index again",
            ) from error
        except OSError as error:
            raise StoreError(
                f"the catalog {self._path} cannot be {verb}: {error.strerror}",
                hint="an index folder must be your own: see PINCITE_INDEX",
            ) from error
        except UnicodeEncodeError as error:
            raise InvalidPoint(f"a name is not valid Unicode: {error.object!r}") from error

    def _no_room(self, code: int) -> bool:
        """Return whether an error of SQLite is due to a full disk. For files beside the database
        SQLite reports only that they cannot be opened, read or written."""
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE):
            return True
        beside = code & 0xFF in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
        return beside and shutil.disk_usage(Path(self._path).parent).free < _LEAST_BYTES

    def _read(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        with self._translated("read"):
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Open a transaction: all changes or none."""
        with self._translated("written"):
            try:
                self._db.execute("BEGIN")
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _write(self, sql: str, *rows: Sequence[object]) -> None:
        """Run the statement once for each row, in one transaction."""
        with self._writing():
            self._db.executemany(sql, rows)

    async def specs(self) -> tuple[CollectionSpec, ...]:
        rows = self._read("SELECT spec FROM collections ORDER BY name")
        with self._translated("read"):
            return tuple(msgspec.json.decode(spec, type=ready(CollectionSpec)) for (spec,) in rows)

    async def put_spec(self, spec: CollectionSpec) -> None:
        with self._translated("written"):
            if self._noting is not None:
                self._noting.note(demands_of_collection(spec))
        self._write(
            "INSERT INTO collections VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET spec = excluded.spec",
            (spec.name, msgspec.json.encode(spec).decode()),
        )

    async def drop(self, collection: str) -> None:
        self._write("DELETE FROM collections WHERE name = ?", (collection,))
        self._terms.forget(collection)

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        with self._translated("read"):
            known = self._sources.current().get(collection)
            if known is not None:  # a search reads them twice
                return known
            rows = self._db.execute(
                "SELECT record FROM sources WHERE collection = ? ORDER BY name", (collection,)
            )
            found = tuple(
                msgspec.json.decode(record, type=ready(SourceRecord)) for (record,) in rows
            )
            self._sources.keep(collection, found, 1 + len(found))
        return found

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        with self._translated("written"):
            raw = msgspec.json.encode(record).decode()
            if self._noting is not None:
                self._noting.note(demands_of_source(record.source))
        self._write(
            "INSERT OR REPLACE INTO sources VALUES (?, ?, ?)",
            (collection, record.source.name, raw),
        )

    async def drop_source(self, collection: str, source: str) -> None:
        self._write("DELETE FROM sources WHERE collection = ? AND name = ?", (collection, source))

    async def documents(
        self,
        collection: str,
        source: str | None = None,
        after: tuple[str, str] | None = None,
        limit: int | None = None,
    ) -> tuple[DocumentRecord, ...]:
        sql = f"SELECT {COLUMNS} FROM documents WHERE collection = ?"
        values: list[object] = [collection]
        if source is not None:
            sql, values = f"{sql} AND source = ?", [*values, source]
        if after is not None and source is None:
            sql, values = f"{sql} AND (source, path) > (?, ?)", [*values, *after]
        elif after is not None:  # with both conditions SQLite would begin at the first path
            sql, values = f"{sql} AND path > ?", [*values, after[1]]
        rows = self._read(f"{sql} ORDER BY source, path LIMIT ?", [*values, _limit(limit)])
        with self._translated("read"):
            return tuple(map(_to_record, rows))

    async def revisions_of(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        rows = self._rows_of(collection, documents, "revision")
        return {(source, path): revision for source, path, revision in rows}

    async def records(
        self, collection: str, revisions: Iterable[str]
    ) -> Mapping[str, DocumentRecord]:
        wanted, found = tuple(revisions), {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            rows = self._read(
                f"SELECT {COLUMNS} FROM {_BY_REVISION} WHERE collection = ?"
                f" AND revision IN ({', '.join('?' * len(some))})",
                (collection, *some),
            )
            with self._translated("read"):
                found.update({one.revision: one for one in map(_to_record, rows)})
        return found

    async def refs(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        rows = self._rows_of(collection, documents, "ref")
        return {(source, path): ref for source, path, ref in rows}

    async def chunk_ids(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], tuple[str, ...]]:
        return by_place(self._rows_of(collection, documents, "chunk_ids, chunks"))

    async def outlines(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], OutlinedDocument]:
        with self._translated("read"):
            known = self._outlines.current()
        wanted = tuple(documents)
        found = {
            place: outlined
            for place in wanted
            if (outlined := known.get((collection, *place))) is not None
        }
        if missing := [place for place in wanted if place not in found]:
            rows = self._rows_of(collection, missing, outlines.COLUMNS, outlines.JOIN)
            with self._translated("read"):
                read = outlines.by_place(rows)
            for place, outlined in read.items():
                self._outlines.keep((collection, *place), outlined, outlines.size_of(outlined))
            found |= read
        return found

    async def without_outline(
        self, collection: str, after: tuple[str, str], limit: int
    ) -> Sequence[tuple[str, str, str]]:
        return self._read(outlines.MISSING, (collection, *after, OUTLINE_VERSION, limit))

    async def put_outline(self, collection: str, revision: str, outline: Outline | None) -> None:
        row = (OUTLINE_VERSION, outlines.body_of(outline), collection, revision)
        self._write(outlines.ADD, row)

    async def forget_outlines(self, collection: str, revisions: Iterable[str]) -> None:
        self._write(outlines.REMOVE, *((collection, revision) for revision in revisions))

    def _rows_of(
        self, collection: str, documents: Iterable[tuple[str, str]], columns: str, join: str = ""
    ) -> list[Any]:
        """Return source, path and these columns of each existing document. `join` adds another
        table."""
        wanted = tuple(documents)
        found: list[Any] = []
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            found += self._read(
                f"WITH wanted (source, path) AS (VALUES {', '.join(['(?, ?)'] * len(some))})"
                f" SELECT source, path, {columns} FROM wanted"
                f" CROSS JOIN documents USING (source, path) {join} WHERE collection = ?",
                (*chain.from_iterable(some), collection),
            )
        return found

    async def totals(self, collection: str) -> Totals:
        with self._translated("read"):
            return totals_of(self._db, collection)

    async def put(
        self,
        collection: str,
        records: Sequence[DocumentRecord],
        counts: Mapping[str, TermCounts] = {},
        chunk_ids: Mapping[str, Sequence[str]] = {},
    ) -> None:
        changes = CatalogChanges()
        self._merge_terms(collection)
        with self._writing():
            last = {(record.source, record.path): record for record in records}
            changes.put(last.values(), counts, chunk_ids, self._rows_of(collection, last, HELD))
            self._db.executemany(outlines.REMOVE, [(collection, one) for one in changes.cut_anew])
            self._db.executemany(
                f"INSERT OR REPLACE INTO documents (collection, {COLUMNS}, counts, chunk_ids)"
                f" VALUES (?, ?, ?{', ?' * len(FIELDS)})",
                [(collection, *_to_row(record), *rest) for record, *rest in changes.fresh],
            )
            self._add_up(collection, changes)
        self._terms.add(collection, changes.terms)

    async def delete(self, collection: str, revisions: Iterable[str]) -> None:
        changes = CatalogChanges()
        self._merge_terms(collection)
        with self._writing():
            for revision in revisions:
                changes.take(
                    self._db.execute(
                        f"DELETE FROM {_BY_REVISION} WHERE collection = ? AND revision = ?"
                        " RETURNING counts, source_type, chunks, tokens, embedded",
                        (collection, revision),
                    )
                )
                self._db.execute(outlines.REMOVE, (collection, revision))
            self._add_up(collection, changes)
        self._terms.add(collection, changes.terms)

    def _add_up(self, collection: str, changes: CatalogChanges) -> None:
        """Add changes to the totals, in the transaction that changes the documents."""
        self._terms.write(collection, changes.terms)
        add_up(self._db, collection, changes.totals)

    def _merge_terms(self, collection: str) -> None:
        """Merge pending changes of term sums, if there are many; a failure here changes nothing."""
        if self._terms.waits(collection):
            with self._writing():
                self._terms.merge(collection)
            self._terms.forget(collection)

    async def frequencies(self, collection: str, terms: Iterable[int]) -> TermCounts:
        with self._translated("read"):
            return self._terms.frequencies(collection, terms)

    async def flush(self) -> None:
        with self._translated("written"):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    async def close(self) -> None:
        self._db.close()


def _limit(most: int | None) -> int:
    return -1 if most is None else most


def _to_row(record: DocumentRecord) -> list[object]:
    *others, embedded, attributes, inherited = values_of(record)  # the last columns
    return [*others, int(embedded), _encoded(attributes), _encoded(inherited)]


def _to_record(row: Sequence[Any]) -> DocumentRecord:
    *others, embedded, attributes, inherited = row  # the last columns
    values = (*others, bool(embedded), _decoded(attributes), _decoded(inherited))
    return DocumentRecord(*values)


def _encoded(attributes: Attributes) -> str:
    return msgspec.json.encode(attributes).decode() if attributes else "{}"


def _decoded(raw: str) -> Attributes:
    return {} if raw == "{}" else _ATTRIBUTES.decode(raw)
