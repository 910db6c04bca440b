"""The schema of workspaces in PostgreSQL."""

from __future__ import annotations

from functools import partial
from typing import Final

from pincite.support.databases.postgres_schema import PostgresSchema
from pincite.workspace.database.schema_steps import WORKSPACES, steps_of

WORKSPACE_SCHEMA: Final = PostgresSchema(
    what=WORKSPACES,
    schema="pincite",
    table="schema_steps",
    lock=0x50494E57,
    steps=partial(steps_of, "postgres"),
)
