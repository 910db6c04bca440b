"""The numbered steps that create the tables of an index in PostgreSQL."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import psycopg

from pincite.support.databases.postgres import has_table, take_step
from pincite.support.databases.schema_steps import TAKEN, Step, read_steps, steps_after

SCHEMA: Final = "pincite_index"
_LOCK: Final = 0x50494E58
_FIRST: Final = f"""
    CREATE SCHEMA IF NOT EXISTS {SCHEMA};
    CREATE TABLE {SCHEMA}.steps (
        number integer PRIMARY KEY, name text NOT NULL, taken timestamptz NOT NULL);
"""

Connection = psycopg.AsyncConnection[Any]


async def steps_left(connection: Connection) -> tuple[Step, ...]:
    """Return the steps that this database has not taken, as any of its roles. Raises
    SchemaTooNew."""
    done, needed = await _taken(connection)
    steps = read_steps("pincite.catalog", "migrations")
    return steps_after(done, needed, steps, "the index in PostgreSQL")


async def take_steps(connection: Connection) -> tuple[str, ...]:
    """Take all remaining steps, each in a transaction, as the owner of the database; concurrent
    callers wait for each other. Return the names of the steps."""
    taken = [
        step.name
        for step in await steps_left(connection)
        if await take_step(connection, _LOCK, partial(_take, connection, step))
    ]
    return tuple(taken)


async def _take(connection: Connection, step: Step) -> bool:
    """Take a step in a transaction. Return False if another process took it before."""
    if (await _taken(connection))[0] >= step.number:
        return False
    if step.number == 1:
        await connection.execute(_FIRST.encode())
    await connection.execute(f"SET LOCAL search_path = {SCHEMA}".encode())
    await connection.execute(step.sql.encode())
    await connection.execute("INSERT INTO steps VALUES (%s, %s, now())", (step.number, step.name))
    return True


async def _taken(connection: Connection) -> tuple[int, int]:
    """See `TAKEN`."""
    if not await has_table(connection, SCHEMA, "steps"):
        return 0, 0
    counted = await connection.execute(TAKEN.format(f"{SCHEMA}.steps").encode())
    done, needed = await counted.fetchone() or (0, 0)
    return int(done), int(needed)
