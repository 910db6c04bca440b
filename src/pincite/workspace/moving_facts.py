"""Move facts about users from the file beside the index into the database of workspaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from pincite.engine.memory_stores import open_fact_file
from pincite.errors import UsageError
from pincite.providers.memory.rows import FactRow
from pincite.providers.memory.sqlite import SqliteMemory
from pincite.settings.load import Settings
from pincite.support.kept_text import FACTS
from pincite.workspace.conversations import person_of
from pincite.workspace.ports import Session, Workspaces


@dataclass(slots=True)
class MovedFacts:
    """The result of a run: the number of facts that the database has now, the users with facts that
    stay in the file, and the reasons."""

    moved: int = 0
    left: list[tuple[str, str]] = field(default_factory=list)


async def move_facts(settings: Settings, workspaces: Workspaces) -> MovedFacts:
    """Move the facts of all users of workspaces from `memory.db`, where they were stored before the
    database had facts. A fact is removed from the file after the database has stored it, so an
    interrupted run can be repeated. Facts of other users, and facts above the limit, stay in the
    file. Raise MemoryUnavailable, WorkspaceUnavailable."""
    memory = open_fact_file(settings)
    done = MovedFacts()
    try:
        for user in await memory.users():
            try:
                await _move_of(memory, workspaces, user, done)
            except UsageError as error:  # includes NotFound: no user of workspaces has this name
                done.left.append((user, error.message))
    finally:
        await memory.close()
    return done


async def _move_of(
    memory: SqliteMemory, workspaces: Workspaces, user: str, done: MovedFacts
) -> None:
    person, space = person_of(user)
    for row in await memory.rows_of(user):
        await workspaces.change(person, partial(_keep, row, space))
        await memory.forget(user, row.id)
        done.moved += 1


async def _keep(row: FactRow, space: str | None, session: Session) -> None:
    await session.user()  # raises NotFound
    await session.add_fact(row, FACTS, space)
