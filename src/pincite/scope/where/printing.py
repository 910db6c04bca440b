"""Write a filter as a text that means the same."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from math import isfinite

from pincite.errors import UsageError
from pincite.ports import (
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
from pincite.scope.where.attributes import dates_written
from pincite.scope.where.fields import ID, is_chunk_id, readable
from pincite.scope.where.tokens import quoted, written
from pincite.support.arguments import shown
from pincite.support.plain import plain


def quote(value: object) -> str:
    """Quote a value for a filter. A text is put in quotes and cannot end them. Numbers, booleans
    and dates stay as they are. Several texts become a list in parentheses.

    Arguments:
        value: a text, a whole number, a finite float, a boolean, a date, or several texts.

    Raises UsageError for anything else, and for an empty list.

    >>> from pincite import quote
    >>> typed = 'ml" or visible = true or course = "ml'
    >>> pack = pincite.search("why?", where=f"course = {quote(typed)}")  # nothing has this course
    >>> quote(["ml", "stats"])
    '("ml", "stats")'
    """
    held = plain(value)
    if isinstance(held, (list, tuple)) and held:
        if all(isinstance(one, str) for one in held):
            return f"({', '.join(map(quote, held))})"
    elif isinstance(held, str):
        return quoted(held)
    elif isinstance(held, bool):
        return str(held).lower()
    elif isinstance(held, int) and -(2**63) <= held < 2**63:
        return str(held)
    elif isinstance(held, float) and isfinite(held):
        return repr(held)
    elif isinstance(held, date):
        return quoted(held.isoformat())
    raise UsageError(
        f"{shown(value)} is not valid in a filter; it takes a text, a number, true or false, a"
        " date, or several texts"
    )


def print_where(filter_: Filter) -> str:
    """Return a text that `parse_where` reads as a filter that matches the same points. If
    `parse_where` made the filter, it reads the same filter. Bounds of ranges must be finite."""
    parts = [_condition(one) for one in filter_.must]
    if filter_.should:
        choice = " or ".join(map(_condition, filter_.should))
        alone = len(filter_.should) == 1 or not (filter_.must or filter_.must_not)
        parts.append(choice if alone else f"({choice})")
    parts += [_negated(one) for one in filter_.must_not]
    return " and ".join(parts)


def _negated(condition: Condition) -> str:
    match condition:
        case AnyOf():
            return f"{readable(condition.field)} {_among(condition.values, '!=', 'not in')}"
        case Ids():
            return f"{ID} {_among(_ids(condition), '!=', 'not in')}"
    return f"not {_condition(condition)}"


def _condition(condition: Condition) -> str:
    match condition:
        case AnyOf():
            return f"{readable(condition.field)} {_among(condition.values, '=', 'in')}"
        case Ids():
            return f"{ID} {_among(_ids(condition), '=', 'in')}"
        case Prefix():
            return f"{readable(condition.field)} ^= {quoted(condition.prefix)}"
        case Exists():
            return f"{readable(condition.field)} exists"
        case Phrase():
            return f"{condition.field} ~ {quoted(condition.text)}"
        case Text():
            word = written(condition.text)
            return f"{condition.field} ~ {word if word == condition.text else f'all ({word})'}"
        case Range():
            return _range(condition)
        case Is():
            return f"{condition.field} = {str(condition.value).lower()}"
        case DateRange():
            return dates_written(condition)


def _among(values: Sequence[str], one: str, several: str) -> str:
    if len(values) == 1:
        return f"{one} {written(values[0])}"
    return f"{several} ({', '.join(map(written, values))})"


def _ids(condition: Ids) -> list[str]:
    """Return the valid ids; others match nothing."""
    return [one for one in condition.ids if is_chunk_id(one)]


def _range(of: Range) -> str:
    """Write a range. Of two bounds on one side, the tighter one is enough."""
    lows = [(of.gte, "<="), (of.gt, "<")]
    highs = [(of.lte, "<="), (of.lt, "<")]
    low = max(
        ((bound, sign == "<", sign) for bound, sign in lows if bound is not None), default=None
    )
    high = min(
        ((bound, sign != "<", sign) for bound, sign in highs if bound is not None), default=None
    )
    if low and high and low[0] == high[0] and low[2] == high[2] == "<=":
        return f"{of.field} = {_number(of.exactly if of.exactly is not None else low[0])}"
    if low and high:
        return f"{_number(low[0])} {low[2]} {of.field} {high[2]} {_number(high[0])}"
    if low:
        return f"{of.field} {'>' if low[2] == '<' else '>='} {_number(low[0])}"
    return f"{of.field} {high[2]} {_number(high[0])}" if high else f"{of.field} exists"


def _number(value: int | float) -> str:
    if isinstance(value, int):
        return str(value)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
