"""What a connection in the name of a user may do in SQLite.

Measured on SQLite 3.40: the authorizer gets the name of the view or trigger that reads a table, but
as well that of a common table expression, so `WITH my_documents AS (SELECT * FROM documents)` looks
like the view of that name. And it is not asked for the columns of `JOIN documents USING (id)`, nor
of a natural join. Statements with such words are refused before they are prepared. What a cascade
of foreign keys deletes comes with no name, so the schema has no cascades.
"""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from typing import Final

from pincite.errors import WorkspaceUnavailable
from pincite.workspace.schema_steps import steps_of

_ALLOWED: Final = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_TRANSACTION,
        sqlite3.SQLITE_SAVEPOINT,
    }
)
_ON_TABLES: Final = frozenset(
    {
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_INSERT,
        sqlite3.SQLITE_UPDATE,
        sqlite3.SQLITE_DELETE,
    }
)
_READ: Final = sqlite3.SQLITE_READ
#: What SQLite asks for when it makes the table of `json_each`. Nobody can change the schema by it:
#: that takes PRAGMA writable_schema.
_FOR_JSON: Final = frozenset(
    {
        (_READ, "sqlite_master", "ROWID"),
        *(
            (sqlite3.SQLITE_UPDATE, "sqlite_master", column)
            for column in ("type", "name", "tbl_name", "rootpage", "sql")
        ),
    }
)
_NAMED: Final = re.compile(r"CREATE (TRIGGER|VIEW) (\w+)")
_UNSEEN: Final = re.compile("with|using|natural", re.IGNORECASE)


def refuse_what_is_not_theirs(
    action: int, first: str | None, second: str | None, _: str | None, inside: str | None
) -> int:
    """The authorizer of connections of users: views of one user, and what these and triggers of
    the schema do inside."""
    if action in _ALLOWED:
        return sqlite3.SQLITE_OK
    views, named = _names()
    if action in _ON_TABLES and (first in views or inside in named):
        return sqlite3.SQLITE_OK
    if (action, first, second) in _FOR_JSON or (action, first) == (_READ, "json_each"):
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def require_plain(sql: str) -> None:
    """Raises WorkspaceUnavailable for a statement with words that the authorizer does not see
    through."""
    if _UNSEEN.search(sql):
        raise WorkspaceUnavailable("a statement in the name of a user takes no WITH and no USING")


@cache
def _names() -> tuple[frozenset[str], frozenset[str]]:
    """Views, and views with triggers."""
    found = [match for step in steps_of("sqlite") for match in _NAMED.findall(step.sql)]
    views = frozenset(name for kind, name in found if kind == "VIEW")
    return views, frozenset(name for _, name in found)
