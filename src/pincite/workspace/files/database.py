"""Uploaded files in PostgreSQL, where every machine of a deployment can read them.

A file is stored in pieces of one megabyte, each in a transaction of its own, so that a slow client
holds none open. It is visible under its hash when all pieces are stored.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final

from pincite.errors import NotFound, StoreError, UsageError, WorkspaceUnavailable
from pincite.support.databases.postgres import Connection, Pool
from pincite.workspace.files.file_store import (
    MARK,
    STALE_S,
    Measure,
    Stored,
    checked,
    require_place,
    require_space,
)

_S: Final = "pincite_index"
_PIECE: Final = 1 << 20
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_WHERE: Final = "WHERE space_id = %s AND content_hash = %s"


class DatabaseFiles:
    """A `FileStore` in the database of an index that several machines share. It connects as the
    operator."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def put(self, space_id: str, pieces: AsyncIterator[bytes], most: int) -> Stored:
        """Store a file; see `FileStore`."""
        require_space(space_id)
        measure, waiting = Measure(most), bytearray()
        async for piece in pieces:
            waiting += measure.take(piece)
            if len(waiting) > _PIECE:
                return await self._put_large(space_id, pieces, measure, waiting)
        await self._put_small(space_id, measure.stored, bytes(waiting))
        return measure.stored

    async def _put_small(self, space_id: str, stored: Stored, raw: bytes) -> None:
        """Store a file of at most one piece in one round trip. If the space already has the file,
        its age is reset and its bytes are written again."""
        place = (space_id, stored.content_hash)
        of = f"(SELECT number FROM {_S}.files {_WHERE})"
        async with _translated():
            await self._pool.at_once(
                (_LOCK, ("/".join(place),)),
                (
                    f"INSERT INTO {_S}.files (space_id, content_hash, size, put)"
                    " VALUES (%s, %s, %s, clock_timestamp()) ON CONFLICT (space_id, content_hash)"
                    " DO UPDATE SET put = clock_timestamp(), size = excluded.size",
                    (*place, stored.size),
                ),
                (f"DELETE FROM {_S}.file_pieces WHERE file = {of}", place),
                (
                    f"INSERT INTO {_S}.file_pieces SELECT {of}, 0, %s WHERE %s > 0",
                    (*place, raw, stored.size),
                ),
            )

    async def _put_large(
        self, space_id: str, pieces: AsyncIterator[bytes], measure: Measure, waiting: bytearray
    ) -> Stored:
        """Store a larger file. `waiting` are its bytes that have already arrived."""
        number = 0
        upload = await self._begin(space_id)
        try:
            while True:
                while len(waiting) >= _PIECE:
                    await self._add(upload, number, bytes(waiting[:_PIECE]))
                    number += 1
                    del waiting[:_PIECE]
                if (piece := await anext(pieces, None)) is None:
                    break
                waiting += measure.take(piece)
            if waiting:
                await self._add(upload, number, bytes(waiting))
            stored = measure.stored
            await self._settle(upload, space_id, stored)
        except BaseException:
            await self._run(f"DELETE FROM {_S}.files WHERE number = %s", upload)
            raise
        return stored

    async def read(self, space_id: str, content_hash: str) -> bytes:
        """Return the bytes of a file; see `FileStore`."""
        return b"".join([piece async for piece in self.pieces(space_id, content_hash)])

    async def pieces(self, space_id: str, content_hash: str) -> AsyncIterator[bytes]:
        """Yield the bytes of a file in pieces; see `FileStore`."""
        require_place(space_id, content_hash)
        async with aclosing(self._held(space_id, content_hash)) as held:
            async for piece in checked(held, content_hash):
                yield piece

    async def _held(self, space_id: str, content_hash: str) -> AsyncGenerator[bytes]:
        sql = f"SELECT number, size FROM {_S}.files {_WHERE}"
        found = await self._rows(sql, space_id, content_hash)
        if not found:
            raise NotFound("the file is gone")
        number, size = found[0]
        for piece in range(-(-size // _PIECE)):
            sql = f"SELECT bytes FROM {_S}.file_pieces WHERE file = %s AND piece = %s"
            rows = await self._rows(sql, number, piece)
            if not rows:  # it was deleted in the meantime
                raise NotFound("the file is gone")
            yield rows[0][0]

    async def copy(self, from_space: str, to_space: str, content_hash: str) -> None:
        """Copy a file; see `FileStore`."""
        require_place(from_space, content_hash)
        require_space(to_space)
        async with self._transaction() as connection:
            sql = f"SELECT number, size FROM {_S}.files {_WHERE} FOR SHARE"
            found = await connection.execute(sql.encode(), (from_space, content_hash))
            row = await found.fetchone()
            if row is None:
                raise NotFound("the file is gone")
            if from_space == to_space:
                return
            upload = await _new(connection, to_space)
            await connection.execute(
                f"INSERT INTO {_S}.file_pieces"
                f" SELECT %s, piece, bytes FROM {_S}.file_pieces WHERE file = %s".encode(),
                (upload, row[0]),
            )
            await _name(connection, upload, to_space, content_hash, row[1])

    async def older_than(self, age_s: float) -> tuple[tuple[str, str], ...]:
        """Return files of at least that age; see `FileStore`."""
        sql = f"DELETE FROM {_S}.files WHERE content_hash IS NULL AND {_OLD}"
        await self._run(sql, STALE_S)
        sql = f"SELECT space_id::text, content_hash FROM {_S}.files WHERE {_OLD}"
        rows = await self._rows(f"{sql} AND content_hash IS NOT NULL ORDER BY 1, 2", age_s)
        return tuple((space, content_hash) for space, content_hash in rows)

    async def delete(self, space_id: str, content_hash: str, age_s: float | None = None) -> None:
        """Remove a file; see `FileStore`."""
        require_place(space_id, content_hash)
        sql = f"DELETE FROM {_S}.files {_WHERE}"
        if age_s is None:
            await self._run(sql, space_id, content_hash)
        else:
            await self._run(f"{sql} AND {_OLD}", space_id, content_hash, age_s)

    async def read_mark(self) -> str:
        """Return the mark of the files; see `FileStore`."""
        rows = await self._rows(f"SELECT value FROM {_S}.settled WHERE name = %s", MARK)
        return str(rows[0][0]) if rows else ""

    async def mark(self, text: str) -> None:
        """Store the mark of the files; see `FileStore`."""
        await self._run(
            f"INSERT INTO {_S}.settled VALUES (%s, %s)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            *(MARK, text),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.close()

    async def _begin(self, space_id: str) -> int:
        async with self._transaction() as connection:
            return await _new(connection, space_id)

    async def _add(self, upload: int, number: int, piece: bytes) -> None:
        try:
            await self._run(
                f"INSERT INTO {_S}.file_pieces VALUES (%s, %s, %s)", upload, number, piece
            )
        except UsageError as error:  # the upload was removed as a failed one
            raise WorkspaceUnavailable(
                "the upload took too long", hint="send the file again"
            ) from error

    async def _settle(self, upload: int, space_id: str, stored: Stored) -> None:
        async with self._transaction() as connection:
            await _name(connection, upload, space_id, stored.content_hash, stored.size)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Connection]:
        async with _translated(), self._pool.transaction() as connection:
            yield connection

    async def _rows(self, sql: str, *values: object) -> list[Any]:
        async with _translated(), self._pool.connection() as connection:
            return await (await connection.execute(sql.encode(), values)).fetchall()

    async def _run(self, sql: str, *values: object) -> None:
        async with _translated(), self._pool.connection() as connection:
            await connection.execute(sql.encode(), values)


_OLD: Final = "put <= clock_timestamp() - make_interval(secs => %s)"


async def _new(connection: Connection, space_id: str) -> int:
    found = await connection.execute(
        f"INSERT INTO {_S}.files (space_id, size, put)"
        " VALUES (%s, 0, clock_timestamp()) RETURNING number".encode(),
        (space_id,),
    )
    row = await found.fetchone()
    assert row is not None
    return int(row[0])


async def _name(
    connection: Connection, upload: int, space_id: str, content_hash: str, size: int
) -> None:
    """Complete an upload under its hash. If the space already has the file, its age is reset."""
    await connection.execute(_LOCK.encode(), (f"{space_id}/{content_hash}",))
    sql = f"SELECT 1 FROM {_S}.files WHERE number = %s FOR UPDATE"
    if await (await connection.execute(sql.encode(), (upload,))).fetchone() is None:
        raise WorkspaceUnavailable("the upload took too long", hint="send the file again")
    sql = f"UPDATE {_S}.files SET put = clock_timestamp(), size = %s {_WHERE} RETURNING number"
    held = await connection.execute(sql.encode(), (size, space_id, content_hash))
    if (row := await held.fetchone()) is not None:  # its bytes are written again, too
        for sql, values in (
            (f"DELETE FROM {_S}.file_pieces WHERE file = %s", (row[0],)),
            (f"UPDATE {_S}.file_pieces SET file = %s WHERE file = %s", (row[0], upload)),
            (f"DELETE FROM {_S}.files WHERE number = %s", (upload,)),
        ):
            await connection.execute(sql.encode(), values)
        return
    await connection.execute(
        f"UPDATE {_S}.files SET content_hash = %s, size = %s, put = clock_timestamp()"
        " WHERE number = %s".encode(),
        (content_hash, size, upload),
    )


@asynccontextmanager
async def _translated() -> AsyncIterator[None]:
    try:
        yield
    except StoreError as error:  # the pool raises no errors of its library
        raise WorkspaceUnavailable(
            f"uploaded files are out of reach: {error.message}", hint="check that PostgreSQL runs"
        ) from error
