"""The schema of an index in PostgreSQL."""

from __future__ import annotations

from functools import partial
from typing import Final

from pincite.support.databases.postgres_schema import PostgresSchema
from pincite.support.databases.schema_steps import read_steps

SCHEMA: Final = "pincite_index"
INDEX_SCHEMA: Final = PostgresSchema(
    what="the index in PostgreSQL",
    schema=SCHEMA,
    table="steps",
    lock=0x50494E58,
    steps=partial(read_steps, "pincite.catalog", "migrations"),
)
