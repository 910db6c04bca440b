"""The numbered steps that create the tables of workspaces."""

from __future__ import annotations

from typing import Final, Literal

from pincite.support.databases.schema_steps import Step, read_steps

WORKSPACES: Final = "the database of workspaces"  # as errors name it


def steps_of(database: Literal["sqlite", "postgres"]) -> tuple[Step, ...]:
    """Return all steps for a database, in order."""
    return read_steps("pincite.workspace.database", "migrations", database)
