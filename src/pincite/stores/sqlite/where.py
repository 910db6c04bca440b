"""Compile a filter to an SQL condition over `points p JOIN revisions r`."""

from __future__ import annotations

from pincite.model.attributes import date_key
from pincite.ports import (
    FILTER_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    AnyOf,
    Condition,
    DateRange,
    Exists,
    Filter,
    Ids,
    Is,
    Phrase,
    Prefix,
    Range,
    Text,
)
from pincite.stores.attributes import ROUNDED
from pincite.stores.sqlite.database import Database
from pincite.stores.sqlite.rows import dates_of

_MOST = 1_000  # values passed as parameters; more are put into a table
_FALSE = "0"
_OWN = (*FILTER_FIELDS, *NUMBER_FIELDS, *TEXT_FIELDS)


def where(filter_: Filter, database: Database) -> tuple[str, list[object]]:
    """Return the condition and its parameters."""
    values: list[object] = []

    def compiled(condition: Condition) -> str:
        return _condition(condition, values, database)

    parts = [compiled(condition) for condition in filter_.must]
    if filter_.should:
        parts.append(f"({' OR '.join(compiled(condition) for condition in filter_.should)})")
    # a condition on a missing value is false, and its negation is true
    parts += [f"NOT coalesce({compiled(condition)}, 0)" for condition in filter_.must_not]
    return " AND ".join(parts) or "1", values


def _condition(condition: Condition, values: list[object], database: Database) -> str:
    if isinstance(condition, Ids):
        return _among("p.id", condition.ids, values, database)
    if condition.field == "symbols":
        inner = _test("s.symbol", condition, values, database)
        return f"EXISTS (SELECT 1 FROM symbols s WHERE s.key = p.key AND {inner})"
    if condition.field not in _OWN:
        is_dates = isinstance(condition, DateRange)
        values.append(dates_of(condition.field) if is_dates else condition.field)
        inner = _test("a.value", condition, values, database)
        return f"p.key IN (SELECT a.key FROM attributes a WHERE a.name = ? AND {inner})"
    column = "r.name" if condition.field == "revision" else f"p.{condition.field}"
    return _test(column, condition, values, database)


def _test(column: str, condition: Condition, values: list[object], database: Database) -> str:
    match condition:
        case AnyOf():
            wanted = tuple(value for value in condition.values if value)
            return _among(column, wanted, values, database)
        case Range():
            if condition.exactly is not None:
                values.append(condition.exactly)
                return f"{column} = ?"
            return _within(column, condition, values)
        case DateRange():
            return _within(column, condition, values)
        case Is():
            values.append(condition.value)
            return f"{column} = ?"
        case Text():
            values.append(condition.text)
            return f"has_words({column}, ?)"
        case Phrase():
            values.append(condition.text)
            return f"has_phrase({column}, ?)"
        case Prefix():
            values.append(condition.prefix)
            return f"({column} <> '' AND begins({column}, ?))"
        case Exists():
            return f"({column} IS NOT NULL AND {column} <> '')"
        case Ids():
            return _among(column, condition.ids, values, database)


def _within(column: str, bounds: Range | DateRange, values: list[object]) -> str:
    """Return the test of a range. SQLite compares integers with floats exactly. From `ROUNDED` on,
    both are rounded, as other stores do."""
    given = (("<=", bounds.lte), ("<", bounds.lt), (">=", bounds.gte), (">", bounds.gt))
    tests = []
    for sign, bound in given:
        if isinstance(bound, str):
            tests.append(f"{column} {sign} ?")
            values.append(date_key(bound))
        elif bound is not None:
            rounded = abs(bound) >= ROUNDED
            tests.append(f"{f'CAST({column} AS REAL)' if rounded else column} {sign} ?")
            values.append(float(bound))
    return f"({' AND '.join(tests)})"


def _among(column: str, wanted: tuple[str, ...], values: list[object], database: Database) -> str:
    if not wanted:
        return _FALSE
    if len(wanted) <= _MOST:
        values += wanted
        return f"{column} IN ({', '.join('?' * len(wanted))})"
    slot = len(values)
    database.choose(slot, wanted)
    values.append(slot)
    return f"{column} IN (SELECT value FROM chosen WHERE slot = ?)"
