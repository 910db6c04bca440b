"""Compile a filter to an SQL condition over `records r` that selects records with a matching chunk.

A chunk has the attributes of its record and those of its page. A page without text has no chunk.
Conditions on a chunk alone (its text, lines and symbols) need the index, and are not supported
here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import msgspec

from pincite.errors import UsageError
from pincite.model import AttributeType
from pincite.model.attributes import date_key
from pincite.ports import AnyOf, Condition, DateRange, Exists, Filter, Is, Prefix, Range
from pincite.readers.extraction.result import PICTURE
from pincite.support.decodable import ready

_COLUMNS = ("path", "title", "url")
_DATE_KEY = (
    "CASE length({0}) WHEN 10 THEN {0} || 'T00:00:00.000000Z' ELSE substr({0}, 1, 19) || '.'"
    " || substr(rtrim(substr({0}, 21), 'Z') || '000000', 1, 6) || 'Z' END"
)
_TEXT = "(SELECT text FROM texts WHERE texts.number = r.number)"


class _Element(msgspec.Struct, frozen=True):
    start: int
    end: int
    kind: str = ""
    marginal: bool = False
    note: str = ""


class _Page(msgspec.Struct, frozen=True):
    """The fields that tell whether a page has text. In an extracted document, that is the text of
    its elements."""

    start: int
    end: int
    attributes: msgspec.Raw = msgspec.Raw(b"{}")
    unit: str | None = None
    elements: tuple[_Element, ...] = ()


_PAGES = msgspec.json.Decoder(ready(list[_Page]))


def add_functions(database: sqlite3.Connection) -> None:
    """Define the functions that the conditions call."""
    database.create_function("pages_with_text", 2, _pages_with_text, deterministic=True)


def sql_of(filter_: Filter, types: Mapping[str, AttributeType]) -> tuple[str, Sequence[object]]:
    """Return the condition and its parameters. The condition also reads the table `texts`, and
    calls the functions of `add_functions`. Raises UsageError for a condition that needs the
    index."""
    whole, values = _filter(filter_, types, ("r.attributes",))
    if whole == "1":
        return whole, values
    page = ("r.attributes", "json_extract(p.value, '$.attributes')")
    paged, more = _filter(filter_, types, page)
    return (
        f"(CASE WHEN r.pages = '[]' THEN {whole}"
        f" WHEN NOT EXISTS (SELECT 1 FROM json_each(r.pages) p WHERE {paged}) THEN 0"
        f" ELSE EXISTS (SELECT 1 FROM json_each(pages_with_text(r.pages, {_TEXT})) p"
        f" WHERE {paged}) END)",  # reads only the texts of records that may match
        (*values, *more, *more),
    )


def _pages_with_text(pages: str, text: str) -> str:
    """Return the attributes of the pages that have chunks, as JSON."""

    def is_cut(one: _Element) -> bool:
        its = text[one.start : one.end].strip()
        says_nothing = one.kind == "image" and not one.note and its == PICTURE
        return bool(its) and not one.marginal and not says_nothing

    found = (
        page
        for page in _PAGES.decode(pages)
        if text[page.start : page.end].strip()
        and (not page.unit or any(is_cut(one) for one in page.elements))
    )
    return msgspec.json.encode([{"attributes": page.attributes} for page in found]).decode()


def _filter(
    filter_: Filter, types: Mapping[str, AttributeType], tables: Sequence[str]
) -> tuple[str, list[object]]:
    values: list[object] = []

    def compiled(condition: Condition) -> str:
        return _condition(condition, types, tables, values)

    parts = [compiled(condition) for condition in filter_.must]
    if filter_.should:
        parts.append(f"({' OR '.join(compiled(condition) for condition in filter_.should)})")
    # an unknown value does not match, and its negation does
    parts += [f"NOT coalesce({compiled(condition)}, 0)" for condition in filter_.must_not]
    return " AND ".join(parts) or "1", values


def _condition(
    condition: Condition,
    types: Mapping[str, AttributeType],
    tables: Sequence[str],
    values: list[object],
) -> str:
    name = getattr(condition, "field", "id")
    known = isinstance(condition, (AnyOf, Range, DateRange, Is, Prefix, Exists))
    if name in types and known:
        tests = []
        for table in tables:
            values.append(f'$."{name}"')  # a name has only letters, digits and _
            test = _test(condition, "v.value", "v.type", values)
            tests.append(f"EXISTS (SELECT 1 FROM json_each({table}, ?) v WHERE {test})")
        return f"({' OR '.join(tests)})"
    if name in _COLUMNS and isinstance(condition, (AnyOf, Prefix, Exists)):
        return f"({_test(condition, f'r.{name}', '', values)})"
    raise UsageError(
        f"records cannot be deleted by {name!r}: select them by their attributes,"
        f" {', '.join(_COLUMNS)}",
        hint=f"attributes: {', '.join(sorted(types)) or 'none'}",
    )


def _test(condition: Condition, value: str, kind: str, values: list[object]) -> str:
    match condition:
        case AnyOf():
            wanted = [one for one in condition.values if one]
            values += wanted
            return f"{value} IN ({', '.join('?' * len(wanted))})"
        case Range():
            exact = ""
            if condition.exactly is not None:  # above 2^53 floats are too coarse
                values.append(condition.exactly)
                exact = f"WHEN {kind} = 'integer' THEN {value} = ?"
            between = _between(condition, f"CAST({value} AS REAL)", values)
            return f"CASE {exact} ELSE {between} END" if exact else between
        case DateRange():
            return _between(condition, _DATE_KEY.format(value), values)
        case Is():
            return f"{kind} = '{'true' if condition.value else 'false'}'"
        case Prefix():
            values += [condition.prefix, condition.prefix]
            return f"{value} <> '' AND substr({value}, 1, length(?)) = ?"
    return f"{value} IS NOT NULL AND {value} <> ''"


def _between(condition: Range | DateRange, value: str, values: list[object]) -> str:
    tests = []
    bounds = (("<=", condition.lte), ("<", condition.lt), (">=", condition.gte))
    for sign, bound in (*bounds, (">", condition.gt)):
        if bound is not None:
            tests.append(f"{value} {sign} ?")
            values.append(date_key(bound) if isinstance(bound, str) else float(bound))
    return f"({' AND '.join(tests) or '1'})"
