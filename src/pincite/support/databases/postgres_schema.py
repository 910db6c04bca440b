"""A schema of PostgreSQL whose tables numbered steps create (`schema_steps`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from pincite.support.databases.postgres import Connection, has_table, take_step
from pincite.support.databases.schema_steps import TAKEN, Step, steps_after

_FIRST: Final = """
    CREATE SCHEMA IF NOT EXISTS {schema};
    CREATE TABLE {schema}.{table} (
        number integer PRIMARY KEY, name text NOT NULL, taken timestamptz NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class PostgresSchema:
    """A schema and its steps.

    `what` names its content in errors, `table` is where taken steps are recorded, `lock` is the key
    of the advisory lock while a step is taken, and `steps` returns all steps in order."""

    what: str
    schema: str
    table: str
    lock: int
    steps: Callable[[], tuple[Step, ...]]

    async def left(self, connection: Connection) -> tuple[Step, ...]:
        """Return the steps that this database has not taken, in order. Any role may ask. Raises
        SchemaTooNew."""
        done, needed = await self._taken(connection)
        return steps_after(done, needed, self.steps(), self.what)

    async def take(self, connection: Connection) -> tuple[str, ...]:
        """Take all remaining steps, each in a transaction, and return their names. The connection
        is that of the owner; concurrent callers wait for each other. Raises SchemaTooNew, and
        psycopg.errors.LockNotAvailable if a table stays locked."""
        taken = [
            step.name
            for step in await self.left(connection)
            if await take_step(connection, self.lock, partial(self._take, connection, step))
        ]
        return tuple(taken)

    async def _take(self, connection: Connection, step: Step) -> bool:
        """Take a step within a transaction. Return False if another process has taken it."""
        if step not in await self.left(connection):
            return False
        if step.number == 1:
            first = _FIRST.format(schema=self.schema, table=self.table)
            await connection.execute(first.encode())
        await connection.execute(f"SET LOCAL search_path = {self.schema}".encode())
        await connection.execute(step.sql.encode())
        await connection.execute(
            f"INSERT INTO {self.table} VALUES (%s, %s, now())".encode(), (step.number, step.name)
        )
        return True

    async def _taken(self, connection: Connection) -> tuple[int, int]:
        """The two numbers of `TAKEN`."""
        if not await has_table(connection, self.schema, self.table):
            return 0, 0
        counted = await connection.execute(TAKEN.format(f"{self.schema}.{self.table}").encode())
        done, needed = await counted.fetchone() or (0, 0)
        return int(done), int(needed)
