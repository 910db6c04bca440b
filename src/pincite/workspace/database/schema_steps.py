"""The numbered steps that create the tables of workspaces."""

from __future__ import annotations

from typing import Literal

from pincite.support.databases.schema_steps import TAKEN, Step, read_steps
from pincite.support.databases.schema_steps import steps_after as _steps_after

__all__ = ["TAKEN", "Step", "steps_after", "steps_of"]


def steps_of(database: Literal["sqlite", "postgres"]) -> tuple[Step, ...]:
    """Return all steps for a database, in order."""
    return read_steps("pincite.workspace.database", "migrations", database)


def steps_after(done: int, needed: int, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the steps that a database has not taken. Raise SchemaTooNew."""
    return _steps_after(done, needed, steps, "the database of workspaces")
