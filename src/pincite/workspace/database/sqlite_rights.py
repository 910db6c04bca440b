"""Restrict a connection on behalf of a user in SQLite, by two checks of each statement.

The first check reads the text: it must not contain the name of a table, of the schema or of a
PRAGMA function, so that only the views `my_...` can be named. The second is SQLite's authorizer,
when the statement is prepared. Neither is enough alone: the text does not show every operation, and
the authorizer (measured on 3.40) can be deceived. It receives the name of the view or trigger that
reads a table, but also that of a common table expression (`WITH my_documents AS (SELECT * FROM
documents)`), and that of the changed view for everything that the change reads (`UPDATE my_spaces
SET name = users.name FROM users`, or in its RETURNING). It is not called for the columns of `JOIN
documents USING (id)`. Deletions by a cascade of foreign keys have no name, so the schema has no
cascades.
"""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from typing import Final

from pincite.errors import WorkspaceUnavailable
from pincite.workspace.database.schema_steps import steps_of

_READ: Final = sqlite3.SQLITE_READ
_ALLOWED: Final = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_TRANSACTION,
        sqlite3.SQLITE_SAVEPOINT,
    }
)
_ON_TABLES: Final = frozenset(
    {_READ, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE}
)
#: Actions of SQLite when it makes the table of `json_each`. They cannot change the schema: that
#: needs PRAGMA writable_schema.
_FOR_JSON: Final = frozenset(
    {
        (_READ, "sqlite_master", "ROWID"),
        *(
            (sqlite3.SQLITE_UPDATE, "sqlite_master", column)
            for column in ("type", "name", "tbl_name", "rootpage", "sql")
        ),
    }
)
_MADE: Final = re.compile(r"CREATE (TABLE|TRIGGER|VIEW) (\w+)")


def refuse_what_is_not_theirs(
    action: int, first: str | None, second: str | None, _: str | None, inside: str | None
) -> int:
    """Authorize the actions of a user's connection. Allow the views of one user and the actions
    inside these views and inside triggers of the schema; refuse everything else."""
    if action in _ALLOWED:
        return sqlite3.SQLITE_OK
    views, named = _named("VIEW"), _named("VIEW") | _named("TRIGGER")
    if (
        action == _READ and not second and first not in views
    ):  # a count, outside of any view or trigger
        return sqlite3.SQLITE_DENY
    if action in _ON_TABLES and (first in views or inside in named):
        return sqlite3.SQLITE_OK
    if (action, first, second) in _FOR_JSON or (action, first) == (_READ, "json_each"):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def require_views(sql: str) -> None:
    """Raise WorkspaceUnavailable for a statement that names anything but views."""
    if found := _others().search(sql):
        raise WorkspaceUnavailable(f"a statement in the name of a user takes no {found[0]}")


@cache
def _others() -> re.Pattern[str]:
    names = "|".join(sorted(_named("TABLE") | {"schema_steps"}))
    return re.compile(rf"\b({names}|sqlite_\w*|pragma_\w*)\b", re.IGNORECASE)


@cache
def _named(kind: str) -> frozenset[str]:
    """Return the names of one kind in the schema."""
    found = [match for step in steps_of("sqlite") for match in _MADE.findall(step.sql)]
    return frozenset(name for one, name in found if one == kind)
