"""What a step of a schema may do while processes of the former version go on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pincite.support.databases.schema_steps import Step

_COMMENT = re.compile(r"--[^\n]*")
_BODY = re.compile(r"\$\$.*?\$\$", re.DOTALL)
#: What a former version may count on, and would miss or stumble over.
_TAKES = re.compile(
    r"\bDROP\s+(?!TRIGGER|FUNCTION|INDEX|VIEW)\w+(?:\s+\w+)?"
    r"|\bRENAME\b|\bALTER\s+(?:COLUMN|POLICY|VIEW|FUNCTION|TYPE)\b|\bSET\s+NOT\s+NULL\b"
    r"|\bADD\s+(?:CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY)\b|\bCREATE\s+UNIQUE\b"
    r"|\bREVOKE\b|\bTRUNCATE\b|\bDELETE\s+FROM\b|\bUPDATE\s+\w+\s+SET\b",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"\bDROP\s+(TRIGGER|FUNCTION|INDEX|VIEW)\s+(?:IF\s+EXISTS\s+)?(\w+)", re.IGNORECASE
)
_COLUMN = re.compile(r"\bADD\s+(?:COLUMN\s+)?(\w+)\s+([^;,]*)", re.IGNORECASE)
_TRIGGER = re.compile(r"\bCREATE\s+TRIGGER\s+(\w+)\b.*?\bON\s+(\w+)", re.IGNORECASE | re.DOTALL)
_TABLE = re.compile(
    r"\bCREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)", re.IGNORECASE
)
#: A view and its first columns; SQLite replaces a view by dropping it and making it again.
_VIEW = re.compile(
    r"\bCREATE\s+(?:OR\s+REPLACE\s+)?VIEW\s+(\w+)(?:\s+WITH\s+\([^)]*\))?\s+AS\s+SELECT"
    r"\s+(.*?)\s+FROM\b",
    re.IGNORECASE | re.DOTALL,
)
_TRIGGER_BODY = re.compile(r"\bBEGIN\b.*?\bEND;", re.IGNORECASE | re.DOTALL)
#: Rights of functions that the same step makes are no news to anybody.
_OWN_RIGHTS = re.compile(r"\bREVOKE\s+ALL\s+ON\s+FUNCTION\s+(\w+)", re.IGNORECASE)
#: A former version does not know a column that the same step adds.
_OWN_VALUES = re.compile(r"\bUPDATE\s+\w+\s+SET\s+(\w+)\s*=[^,;]*?\bWHERE\b", re.IGNORECASE)
_FUNCTION = re.compile(r"\bCREATE\s+FUNCTION\s+(\w+)", re.IGNORECASE)


def faults(step: Step, before: Sequence[Step]) -> list[str]:
    """What of a step a former version could not work with."""
    sql = _COMMENT.sub("", step.sql)
    former = "\n".join(_COMMENT.sub("", one.sql) for one in before)
    made = set(_FUNCTION.findall(sql))
    sql = _OWN_RIGHTS.sub(lambda found: "" if found[1] in made else found[0], sql)
    plain = _TRIGGER_BODY.sub("", _BODY.sub("", sql))
    added = {name for name, _ in _COLUMN.findall(plain)}
    plain = _OWN_VALUES.sub(lambda found: "" if found[1] in added else found[0], plain)
    found = [one[0] for one in _TAKES.finditer(plain)]
    for kind, name in _DROPPED.findall(plain):
        if not re.search(
            rf"\bCREATE\s+(?:OR\s+REPLACE\s+)?{kind}\s+{name}\b", plain, re.IGNORECASE
        ):
            found.append(f"DROP {kind} {name}")
    views = dict(_VIEW.findall(former))
    for name, columns in _VIEW.findall(plain):
        before_it = _names(views.get(name, ""))
        if _names(columns)[: len(before_it)] != before_it:
            found.append(f"other columns of {name}")
    for name, rest in _COLUMN.findall(plain):
        if "NOT NULL" in rest.upper() and "DEFAULT" not in rest.upper():
            found.append(f"{name} without a default")
    known = {name for name, _ in _TRIGGER.findall(former)}
    tables = set(_TABLE.findall(former))
    for name, table in _TRIGGER.findall(sql):
        # the rights of users in SQLite are by the names of triggers that their process knows
        if table in tables and name not in known:
            found.append(f"trigger {name} on {table}")
    return found


def _names(columns: str) -> list[str]:
    return [one.strip() for one in columns.split(",") if one.strip()]
