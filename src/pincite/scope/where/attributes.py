"""Parse conditions on attributes: the operators and values that the type of each supports.

A date without a time is the whole day in UTC: `due = 2026-11-22` is within it, `>` after it, `>=`
from its beginning, `<` before its beginning, `<=` until its end.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from pincite.model import AttributeType
from pincite.model.attributes import attribute_of, check_attribute_name, date_key
from pincite.ports import TEXT_FIELDS, AnyOf, Condition, DateRange, Exists, Is, Range
from pincite.scope.where.reading import NUMBER, Reading

if TYPE_CHECKING:
    from pincite.errors import UsageError
    from pincite.scope.where.tokens import Token

#: Types that support ranges.
RANGES: tuple[AttributeType, ...] = ("integer", "float", "date")

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BOUNDS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
_ANY_VALUE = "a word, a number, a date or a text in quotes"


def condition(reading: Reading) -> tuple[Condition, bool] | None:
    """Return the condition on an attribute that begins here, and whether it is negated; None if it
    is a condition on a field. Raises UsageError."""
    field = _name(reading, 0)
    if field is not None:
        reading.take()
        return _of(reading, field)
    if reading.peek(1).is_sign(*_BOUNDS) and (field := _name(reading, 2)) is not None:
        return _between(reading, field), False
    return None


def _name(reading: Reading, ahead: int) -> str | None:
    """Return the attribute that the token names. Without a schema, any valid name counts, unless it
    is the name of a field."""
    token = reading.peek(ahead)
    if token.kind != "word" or token.keyword:
        return None
    if reading.schema is not None:
        return token.text if token.text in reading.schema else None
    try:
        return check_attribute_name(token.text)
    except ValueError:
        return None


def _of(reading: Reading, field: str) -> tuple[Condition, bool]:
    if reading.peek().keyword == "exists":
        reading.take()
        return Exists(field), False
    kind = None if reading.schema is None else reading.schema[field]
    token = reading.peek()
    negated = token.is_sign("!=")
    if kind is None:
        return _unknown(reading, field)
    if kind in ("keyword", "keywords"):
        return reading.value_condition(field)
    if token.is_sign("=", "==", "!="):
        reading.take()
        return _equality(reading, field, kind), negated
    if token.is_sign(*_BOUNDS) and kind != "boolean":
        reading.take()
        return _range(field, kind, {token.text: _value(reading, field, kind)}), False
    if token.keyword in ("in", "not"):
        raise reading.wrong(
            f"{field} has the type {kind}, but a list takes keywords",
            hint=f"({field} = ... or {field} = ...)",
        )
    signs = "=, !=" + ("" if kind == "boolean" else ", <, <=, >, >=") + ", exists"
    raise reading.wrong(f"{field} has the type {kind}", signs)


def _between(reading: Reading, field: str) -> Condition:
    """Parse `2020 <= year < 2026`, or only its first half."""
    kind = None if reading.schema is None else reading.schema[field]
    if kind in ("keyword", "keywords", "boolean"):
        raise reading.wrong(f"{field} has the type {kind}, but a range takes a number or a date")
    first = _value(reading, field, kind)
    sign = reading.take().text
    bounds = {_FLIPPED[sign]: first}
    reading.take()
    if reading.peek().is_sign(*_BOUNDS):
        if reading.peek().text[0] != sign[0]:
            raise reading.wrong("the two sides of a range point the same way", sign)
        second = reading.take().text
        bounds[second] = _value(reading, field, kind)
    return Exists(field) if kind is None else _range(field, kind, bounds)


def _equality(reading: Reading, field: str, kind: AttributeType) -> Condition:
    value = _value(reading, field, kind)
    if kind == "boolean":
        return Is(field, bool(value))
    if kind != "date":
        return Range(field, gte=value, lte=value)
    return _range(field, kind, {">=": value, "<=": value})


def _range(field: str, kind: AttributeType, bounds: dict[str, Any]) -> Condition:
    if kind != "date":
        return Range(field, **{_BOUNDS[sign]: value for sign, value in bounds.items()})
    return DateRange(field, **dict(_bound_of_date(*one) for one in bounds.items()))


def _bound_of_date(sign: str, value: str) -> tuple[str, str]:
    """Return the bound for an operator and a date. A day without a time is a whole day: after it
    means from the next day on, and up to it means before the next day. The last possible day ends
    with its last microsecond."""
    if "T" in value:
        return _BOUNDS[sign], value
    day = date.fromisoformat(value)
    if sign in ("<", ">="):
        return _BOUNDS[sign], f"{value}T00:00:00Z"
    if day == date.max:
        return _BOUNDS[sign], f"{value}T23:59:59.999999Z"
    following = (day + timedelta(days=1)).isoformat()
    return ("gte" if sign == ">" else "lt"), f"{following}T00:00:00Z"


def _value(reading: Reading, field: str, kind: AttributeType | None) -> Any:
    """Return the value of that type that comes next; any value if the type is unknown."""
    token = reading.peek()
    if token.kind not in ("word", "string") or token.keyword:
        why = f"{token.text} is a keyword" if token.keyword else "a value is missing"
        raise reading.wrong(why, _ANY_VALUE if kind is None else _EXPECTED[kind])
    text = token.text
    try:
        match kind:
            case None:
                value: Any = text
            case "integer" | "float":
                if token.kind != "word" or not NUMBER.fullmatch(text):
                    raise ValueError(f"{text!r} is not a number")
                whole = kind == "integer" and text.lstrip("-").isdigit()
                value = (
                    attribute_of(kind, int(text)) if whole else attribute_of("float", float(text))
                )
            case "boolean":
                if text.lower() not in ("true", "false"):
                    raise ValueError(f"{text!r} is neither true nor false")
                value = text.lower() == "true"
            case "date":
                value = attribute_of("date", text)
            case _:
                value = attribute_of(kind, text)
        if value is None:
            raise ValueError("an empty text is not a value")
    except ValueError as error:
        expected = _EXPECTED[kind] if kind else _ANY_VALUE
        raise reading.wrong(f"{field} has the type {kind}: {error}", expected) from error
    reading.take()
    return value


_EXPECTED: dict[AttributeType, str] = {
    "keyword": "a word or a text in quotes",
    "keywords": "a word or a text in quotes",
    "integer": "a number",
    "float": "a number",
    "boolean": "true, false",
    "date": "a date, such as 2026-11-22 or '2026-11-22T10:00:00+01:00'",
}


def _unknown(reading: Reading, field: str) -> tuple[Condition, bool]:
    """Parse a condition on an attribute of unknown type. Only its form is checked."""
    if not _is_operator(reading.peek()):
        raise _without_operator(reading, field)
    token = reading.take()
    negated = token.is_sign("!=") or token.keyword == "not"
    if token.keyword == "not":
        if reading.peek().keyword != "in":
            raise reading.wrong(f"{field} not", "in")
        token = reading.take()
    if token.keyword == "in" and not reading.peek().is_sign("("):
        raise reading.wrong(f"{field} in", "a list such as (a, b)")
    if reading.peek().is_sign("(") and not token.is_sign("^=", *_BOUNDS):
        values = reading.list_of(lambda: str(_value(reading, field, None)))
    else:
        values = (str(_value(reading, field, None)),)
    same = token.keyword == "in" or token.is_sign("=", "==", "!=")
    return (AnyOf(field, values) if same else Exists(field)), negated


def _is_operator(token: Token) -> bool:
    return token.keyword in ("in", "not") or token.is_sign("=", "==", "!=", "^=", *_BOUNDS)


def _without_operator(reading: Reading, field: str) -> UsageError:
    """Return the error for an attribute that no operator follows."""
    token = reading.peek()
    if token.is_sign("~"):
        said = f"~ searches {' and '.join(TEXT_FIELDS)}, and {field} is neither"
    elif token.is_sign("(") or (token.kind in ("word", "string") and not token.keyword):
        said = f"an operator is missing after {field}"
    else:
        said = f"an operator and a value are missing after {field}"
    return reading.wrong(said, "=, !=, ^=, <, <=, >, >=, in, not in, exists")


def whole(field: str, value: str) -> DateRange:
    """Return a range that is true on that day in UTC, or at that moment."""
    return DateRange(field, **dict(_bound_of_date(sign, value) for sign in (">=", "<=")))


def dates_written(of: DateRange) -> str:
    """Write a range of dates as text. Of two bounds on one side, the tighter one is written."""
    lows = [(date_key(bound), sign) for bound, sign in ((of.gte, "<="), (of.gt, "<")) if bound]
    highs = [(date_key(bound), sign) for bound, sign in ((of.lte, "<="), (of.lt, "<")) if bound]
    low = max(lows, key=lambda one: (one[0], one[1] == "<"), default=None)
    high = min(highs, key=lambda one: (one[0], one[1] != "<"), default=None)
    if low and high and low[0] == high[0] and low[1] == high[1] == "<=":
        return f"{of.field} = {_moment(low[0])}"
    first = "" if low is None else _bound(low[0], midnight=low[1] == "<=")
    last = "" if high is None else _bound(high[0], midnight=high[1] == "<")
    if low and high:
        return f"{first} {low[1]} {of.field} {high[1]} {last}"
    if low:
        return f"{of.field} {'>' if low[1] == '<' else '>='} {first}"
    return f"{of.field} {high[1]} {last}" if high else f"{of.field} exists"


def _bound(key: str, *, midnight: bool) -> str:
    """Write a bound. A midnight is written as a day if `midnight`, that is, if the day stands for
    its beginning in this bound."""
    day, _, time = key.partition("T")
    return day if midnight and time == "00:00:00.000000Z" else _moment(key)


def _moment(key: str) -> str:
    return str(attribute_of("date", key))
