"""`pincite.ports.Catalog` in PostgreSQL, for any number of processes and machines.

Every change locks the row of its collection, so that totals are right with any number of writers.
If the process holds a lease, a change checks the lease in its own transaction. So a process that
stalled until another one took over can no longer change anything.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from pincite.catalog.changes import COLUMNS, FIELDS, HELD, CatalogChanges, values_of
from pincite.catalog.chunk_ids import by_place
from pincite.catalog.terms import ANY
from pincite.catalog.totals import totals_from
from pincite.errors import InvalidPoint, StoreError, UsageError
from pincite.model import (
    Attributes,
    AttributeValue,
    CollectionSpec,
    DocumentRecord,
    SourceRecord,
    TermCounts,
)
from pincite.ports import Totals
from pincite.support.databases.postgres import Connection, Pool
from pincite.support.decodable import ready

_S: Final = "pincite_index"
_PUT = (
    f"INSERT INTO {_S}.documents (collection, {COLUMNS}, counts, chunk_ids)"
    f" VALUES (%s{', %s' * len(FIELDS)}, %s, %s)"
    " ON CONFLICT (collection, source, path) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in (*FIELDS, "counts", "chunk_ids"))
)

Row = Sequence[Any]
#: Raises IndexUnavailable, within the transaction of a change, if the lease is lost.
Guard = Callable[[Connection, str], Awaitable[None]]


class PostgresCatalog:
    """The catalog in a database that `pincite workspace migrate` has prepared. `guard` is called in
    the transaction of each change of a collection."""

    def __init__(self, pool: Pool, guard: Guard | None = None) -> None:
        self._pool = pool
        self._guard = guard

    async def _read(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        async with self._pool.connection() as connection:
            return await (await connection.execute(sql.encode(), values)).fetchall()

    @asynccontextmanager
    async def _writing(self, collection: str, *, known: bool = True) -> AsyncIterator[Connection]:
        """Open a transaction with the lock of the collection. Raises UsageError for an unknown
        collection if `known`."""
        async with self._pool.transaction() as connection:
            if self._guard is not None:
                await self._guard(connection, collection)
            sql = f"SELECT 1 FROM {_S}.collections WHERE name = %s FOR UPDATE"
            found = await connection.execute(sql.encode(), (collection,))
            if await found.fetchone() is None and known:
                raise UsageError("no collection has that name", hint="pincite collections")
            yield connection

    async def specs(self) -> tuple[CollectionSpec, ...]:
        rows = await self._read(f"SELECT spec FROM {_S}.collections ORDER BY name")
        return tuple(_decoded(spec, CollectionSpec) for (spec,) in rows)

    async def put_spec(self, spec: CollectionSpec) -> None:
        async with self._writing(spec.name, known=False) as connection:
            await connection.execute(
                f"INSERT INTO {_S}.collections VALUES (%s, %s)"
                " ON CONFLICT (name) DO UPDATE SET spec = excluded.spec".encode(),
                (spec.name, _text(spec)),
            )

    async def drop(self, collection: str) -> None:
        async with self._writing(collection, known=False) as connection:
            sql = f"DELETE FROM {_S}.collections WHERE name = %s"
            await connection.execute(sql.encode(), (collection,))

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        sql = f"SELECT record FROM {_S}.sources WHERE collection = %s ORDER BY name"
        return tuple(_decoded(one, SourceRecord) for (one,) in await self._read(sql, (collection,)))

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        async with self._writing(collection) as connection:
            await connection.execute(
                f"INSERT INTO {_S}.sources VALUES (%s, %s, %s)"
                " ON CONFLICT (collection, name) DO UPDATE SET record = excluded.record".encode(),
                (collection, record.source.name, _text(record)),
            )

    async def drop_source(self, collection: str, source: str) -> None:
        async with self._writing(collection, known=False) as connection:
            sql = f"DELETE FROM {_S}.sources WHERE (collection, name) = (%s, %s)"
            await connection.execute(sql.encode(), (collection, source))

    async def documents(
        self,
        collection: str,
        source: str | None = None,
        after: tuple[str, str] | None = None,
        limit: int | None = None,
    ) -> tuple[DocumentRecord, ...]:
        sql = f"SELECT {COLUMNS} FROM {_S}.documents WHERE collection = %s"
        values: list[object] = [collection]
        if source is not None:
            sql, values = f"{sql} AND source = %s", [*values, source]
        if after is not None:
            sql, values = f"{sql} AND (source, path) > (%s, %s)", [*values, *after]
        rows = await self._read(f"{sql} ORDER BY source, path LIMIT %s", [*values, limit])
        return tuple(map(_to_record, rows))

    async def revisions_of(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        rows = await self._of(collection, documents, "revision")
        return {(source, path): revision for source, path, revision in rows}

    async def refs(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        rows = await self._of(collection, documents, "ref")
        return {(source, path): ref for source, path, ref in rows}

    async def chunk_ids(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], tuple[str, ...]]:
        return by_place(await self._of(collection, documents, "chunk_ids, chunks"))

    async def _of(
        self, collection: str, documents: Iterable[tuple[str, str]], columns: str
    ) -> list[Row]:
        async with self._pool.connection() as connection:
            return await _rows_of(connection, collection, documents, columns)

    async def records(
        self, collection: str, revisions: Iterable[str]
    ) -> Mapping[str, DocumentRecord]:
        sql = f"SELECT {COLUMNS} FROM {_S}.documents WHERE collection = %s AND revision = ANY(%s)"
        rows = await self._read(sql, (collection, list(revisions)))
        return {one.revision: one for one in map(_to_record, rows)}

    async def totals(self, collection: str) -> Totals:
        rows = await self._read(
            f"SELECT source_type, documents, chunks, tokens, unembedded FROM {_S}.totals"
            " WHERE collection = %s AND documents <> 0 ORDER BY source_type",
            (collection,),
        )
        return totals_from(rows)

    async def put(
        self,
        collection: str,
        records: Sequence[DocumentRecord],
        counts: Mapping[str, TermCounts] = {},
        chunk_ids: Mapping[str, Sequence[str]] = {},
    ) -> None:
        changes = CatalogChanges()
        async with self._writing(collection) as connection:
            last = {(record.source, record.path): record for record in records}
            rows = await _rows_of(connection, collection, last, HELD)
            changes.put(last.values(), counts, chunk_ids, rows)
            fresh = [(collection, *_to_row(record), *rest) for record, *rest in changes.fresh]
            async with connection.cursor() as cursor:
                await cursor.executemany(_PUT.encode(), fresh)
            await _add_up(connection, collection, changes)

    async def delete(self, collection: str, revisions: Iterable[str]) -> None:
        changes = CatalogChanges()
        async with self._writing(collection, known=False) as connection:
            found = await connection.execute(
                f"DELETE FROM {_S}.documents WHERE collection = %s AND revision = ANY(%s)"
                " RETURNING counts, source_type, chunks, tokens, embedded".encode(),
                (collection, list(revisions)),
            )
            changes.take(await found.fetchall())
            await _add_up(connection, collection, changes)

    async def frequencies(self, collection: str, terms: Iterable[int]) -> TermCounts:
        wanted = [ANY, *terms]
        sql = f"SELECT term, chunks FROM {_S}.terms WHERE collection = %s AND term = ANY(%s)"
        found = {
            term: count for term, count in await self._read(sql, (collection, wanted)) if count
        }
        return TermCounts(found.pop(ANY, 0), found)

    async def flush(self) -> None:
        """Do nothing: the server's settings decide how durable a commit is."""

    async def close(self) -> None:
        await self._pool.close()


async def _rows_of(
    connection: Connection, collection: str, documents: Iterable[tuple[str, str]], columns: str
) -> list[Row]:
    """Return source, path and these columns of each existing document."""
    wanted = tuple(documents)
    if not wanted:
        return []
    sql = (
        f"SELECT source, path, {columns} FROM {_S}.documents"
        " JOIN unnest(%s::text[], %s::text[]) AS wanted (source, path) USING (source, path)"
        " WHERE collection = %s"
    )
    names = [[one[at] for one in wanted] for at in (0, 1)]
    return await (await connection.execute(sql.encode(), (*names, collection))).fetchall()


async def _add_up(connection: Connection, collection: str, changes: CatalogChanges) -> None:
    """Add changes to the totals, in the transaction that changes the documents."""
    if changed := {term: by for term, by in sorted(changes.terms.items()) if by}:
        await connection.execute(
            f"INSERT INTO {_S}.terms SELECT %s, * FROM unnest(%s::bigint[], %s::bigint[])"
            " ON CONFLICT (collection, term)"
            " DO UPDATE SET chunks = terms.chunks + excluded.chunks".encode(),
            (collection, list(changed), list(changed.values())),
        )
        if less := [term for term, by in changed.items() if by < 0]:
            await connection.execute(
                f"DELETE FROM {_S}.terms"
                " WHERE collection = %s AND term = ANY(%s) AND chunks = 0".encode(),
                (collection, less),
            )
    for kind, by in sorted(changes.totals.sums.items()):
        if any(by):
            await connection.execute(
                f"INSERT INTO {_S}.totals AS t VALUES (%s, %s, %s, %s, %s, %s)"
                " ON CONFLICT (collection, source_type) DO UPDATE SET"
                " (documents, chunks, tokens, unembedded) = ROW(t.documents + excluded.documents,"
                " t.chunks + excluded.chunks, t.tokens + excluded.tokens,"
                " t.unembedded + excluded.unembedded)".encode(),
                (collection, kind, *by),
            )


def _to_row(record: DocumentRecord) -> list[object]:
    *others, attributes, inherited = values_of(record)  # the last columns
    return [*others, _text(attributes), _text(inherited)]


def _to_record(row: Row) -> DocumentRecord:
    *others, attributes, inherited = row
    values = (*others, _attributes(attributes), _attributes(inherited))
    return DocumentRecord(*values)


def _attributes(raw: str) -> Attributes:
    return {} if raw == "{}" else _decoded(raw, dict[str, AttributeValue])


def _decoded(raw: str, kind: Any) -> Any:
    try:
        return msgspec.json.decode(raw, type=ready(kind))
    except msgspec.MsgspecError as error:
        raise StoreError(
            f"the index in PostgreSQL is damaged: {error}", hint="restore it from a backup"
        ) from error


def _text(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError as error:
        raise InvalidPoint(f"a name is not valid Unicode: {error.object[:80]!r}") from error
