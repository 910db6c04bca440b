"""The steps of the schema of workspaces in PostgreSQL."""

from __future__ import annotations

from functools import partial
from typing import Final

from pincite.support.databases.postgres import Connection, has_table, take_step
from pincite.workspace.database.schema_steps import TAKEN, Step, steps_after, steps_of

_LOCK: Final = 0x50494E57
_FIRST: Final = """
    CREATE SCHEMA IF NOT EXISTS pincite;
    CREATE TABLE schema_steps (
        number integer PRIMARY KEY, name text NOT NULL, taken timestamptz NOT NULL);
"""


async def steps_left(connection: Connection) -> tuple[Step, ...]:
    """Return the steps that this database has not taken, as any of its roles. Raises
    SchemaTooNew."""
    if not await has_table(connection, "pincite", "schema_steps"):
        return steps_of("postgres")
    counted = await connection.execute(TAKEN.format("pincite.schema_steps").encode())
    done, needed = await counted.fetchone() or (0, 0)
    return steps_after(int(done), int(needed), steps_of("postgres"))


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
    if step not in await steps_left(connection):
        return False
    await connection.execute("SET LOCAL search_path = pincite")
    if step.number == 1:
        await connection.execute(_FIRST)
    await connection.execute(step.sql.encode())
    await connection.execute(
        "INSERT INTO schema_steps VALUES (%s, %s, now())", (step.number, step.name)
    )
    return True
