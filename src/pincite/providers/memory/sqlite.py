"""Store facts about users in one SQLite file. Nothing leaves the machine."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pincite.ports import DenseEncoder
from pincite.providers.memory.kept import KeptMemory
from pincite.providers.memory.rows import FactRow, full, is_fact_id, no_fact
from pincite.support.databases.private_sqlite import PrivateFile
from pincite.support.kept_text import FACTS, raw, read

_MARK: Final = 0x50494E4D
MIGRATIONS: Final = (
    f"""
    PRAGMA application_id = {_MARK};
    CREATE TABLE facts (
        number INTEGER PRIMARY KEY, user BLOB NOT NULL, id TEXT NOT NULL, text BLOB NOT NULL,
        at TEXT NOT NULL, encoder TEXT NOT NULL DEFAULT '', vector BLOB,
        UNIQUE (user, id));
    """,
)


class SqliteMemory(KeptMemory):
    """Implements `Memory`. The file is created with the first fact. Deleted facts are overwritten
    in it."""

    def __init__(
        self,
        path: Path,
        encoder: DenseEncoder | None = None,
        clock: Callable[[], float] = time.time,
        most: int = FACTS,
        place: Callable[[], None] | None = None,
    ) -> None:
        """Prepare the memory. `most` is the maximum of facts of one user. `place` creates the
        folder of the file if it is missing."""
        self._file = PrivateFile(path, "the memory", _MARK, MIGRATIONS, place)
        super().__init__("sqlite", _FileRows(self._file), encoder, clock, most)

    async def users(self) -> tuple[str, ...]:
        """Return the users with facts, in the order of their first fact; for moving the facts
        elsewhere."""
        sql = "SELECT user FROM facts GROUP BY user ORDER BY min(number)"
        rows = await asyncio.to_thread(self._file.rows, sql)
        return tuple(read(user) for (user,) in rows)

    async def rows_of(self, user: str) -> Sequence[FactRow]:
        """Return the stored rows of a user, oldest first."""
        return await self._rows.rows(user, vectors=False)


class _FileRows:
    """Implements `FactRows` in a file."""

    def __init__(self, file: PrivateFile) -> None:
        self._file = file

    async def add(self, user: str, row: FactRow, most: int) -> FactRow:
        return await asyncio.to_thread(self._add, user, row, most)

    async def rows(
        self, user: str, *, vectors: bool, after: str = "", limit: int | None = None
    ) -> Sequence[FactRow]:
        vector = "vector" if vectors else "NULL"
        first = await self._number(user, after) + 1 if after else 0
        return await self._read(
            f"SELECT id, text, at, {vector} FROM facts WHERE user = ? AND number >= ?",
            *(user, first),
            limit=limit,
        )

    async def without(self, user: str, encoder: str) -> Sequence[FactRow]:
        sql = "SELECT id, text, at, NULL FROM facts WHERE user = ? AND encoder <> ?"
        return await self._read(sql, user, encoder)

    async def set_vectors(self, user: str, encoder: str, vectors: Mapping[str, bytes]) -> None:
        await asyncio.to_thread(self._set_vectors, user, encoder, vectors)

    async def forget(self, user: str, fact: str) -> int:
        return await asyncio.to_thread(self._forget, user, fact)

    async def close(self) -> None:
        await asyncio.to_thread(self._file.close)

    async def _number(self, user: str, id_: str) -> int:
        sql = "SELECT number FROM facts WHERE (user, id) = (?, ?)"
        mine = (raw(user), id_)
        found = await asyncio.to_thread(self._file.rows, sql, mine) if is_fact_id(id_) else ()
        if not found:
            raise no_fact(id_)
        return int(found[0][0])

    async def _read(
        self, sql: str, user: str, *values: object, limit: int | None = None
    ) -> list[FactRow]:
        sql = f"{sql} ORDER BY number LIMIT {-1 if limit is None else limit}"
        found = await asyncio.to_thread(self._file.rows, sql, (raw(user), *values))
        return [FactRow(*row) for row in found]

    def _add(self, user: str, row: FactRow, most: int) -> FactRow:
        with self._file.writing() as db:
            mine = (raw(user), row.id)
            known = db.execute(
                "SELECT id, text, at FROM facts WHERE (user, id) = (?, ?)", mine
            ).fetchone()
            if known is not None:
                return FactRow(*known)
            ((there,),) = db.execute("SELECT count(*) FROM facts WHERE user = ?", mine[:1])
            if there >= most:
                raise full(there)
            db.execute(
                "INSERT INTO facts (user, id, text, at) VALUES (?, ?, ?, ?)",
                (*mine, row.text, row.at),
            )
            return row

    def _set_vectors(self, user: str, encoder: str, vectors: Mapping[str, bytes]) -> None:
        with self._file.writing() as db:
            db.executemany(
                "UPDATE facts SET encoder = ?, vector = ? WHERE (user, id) = (?, ?)",
                ((encoder, vector, raw(user), id_) for id_, vector in vectors.items()),
            )

    def _forget(self, user: str, fact: str) -> int:
        if not self._file.rows("SELECT 1 FROM facts WHERE user = ? LIMIT 1", (raw(user),)):
            return 0
        with self._file.writing() as db:
            only, values = (" AND id = ?", (raw(user), fact)) if fact else ("", (raw(user),))
            gone = db.execute(f"DELETE FROM facts WHERE user = ?{only}", values).rowcount
        self._file.wipe()
        return gone
