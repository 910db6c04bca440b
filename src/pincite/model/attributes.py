"""Attributes: typed values of sources, documents and chunks, for filters.

| type | Python | in JSON, front matter and filters |
|---|---|---|
| `keyword` | `str` | `"ml"`, compared as a whole, case-sensitive |
| `keywords` | a sequence of `str` | `["ml", "stats"]`; matches if one of them does |
| `integer` | `int`, signed 64 bits | `2026` |
| `float` | `float` or `int`, finite | `0.5` |
| `boolean` | `bool` | `true` |
| `date` | `date`, `datetime` or ISO 8601 text | `2026-11-22`, `2026-11-22T10:00:00+01:00` |

A day is stored as `2026-11-22`, a time in UTC as `2026-11-22T09:00:00Z`, with up to six digits for
fractions of a second. A time without a zone is UTC. None, an empty text and an empty list are no
value: the attribute is missing. `pincite.support.plain` converts values of other libraries.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import cache
from typing import Final, get_args

from pincite.model.attribute_types import Attributes, AttributeType, AttributeValue
from pincite.model.chunks import Chunk
from pincite.support.plain import plain

ATTRIBUTE_TYPES: Final[tuple[AttributeType, ...]] = get_args(AttributeType)
MOST_ATTRIBUTES: Final = 64  # of one document; guess, unmeasured
MOST_CHARS: Final = 4_096  # of one keyword; guess, unmeasured
MOST_VALUES: Final = 1_024  # of one list; guess, unmeasured

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?", re.IGNORECASE
)
_INTEGER = re.compile(r"[+-]?\d{1,19}")
_PADDED = re.compile(r"[+-]?0\d.*")
_FLOAT = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?")
#: Further fields of stores, names that mean something else in filters and packs, and keywords of
#: the filter language.
_TAKEN = (
    *("revision", "length", "aliased", "own_id", "coarse", "dense", "sparse", "document"),
    *("kind", "source", "collection", "attributes", "candidate_id", "chunk_id", "hidden"),
    *("and", "or", "not", "in", "exists", "all", "true", "false", "null", "none"),
    *("payload", "has_dense"),
    *("control", "hidden_revision"),
)


@cache
def reserved_names() -> frozenset[str]:
    """Reserved names, in lower case."""
    return frozenset((*Chunk.__struct_fields__, *_TAKEN))


def check_attribute_name(name: object) -> str:
    """Return the name. Raises ValueError with the reason if it is invalid."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} is not a valid attribute name: use a letter, then up to 63 letters,"
            " digits and _"
        )
    if name.lower() in reserved_names():
        raise ValueError(f"{name!r} is reserved by Pincite: choose another name")
    return name


def attribute_of(kind: AttributeType, value: object) -> AttributeValue | None:
    """Return the value in its normal form, None for no value. Raises ValueError for a value of
    another type."""
    value = plain(value)
    if value is None or value == "" or (isinstance(value, (list, tuple)) and not value):
        return None
    match kind:
        case "keyword":
            return _keyword(value)
        case "keywords":
            return _keywords(value)
        case "integer":
            if isinstance(value, int) and not isinstance(value, bool):
                if not -(2**63) <= value < 2**63:
                    raise ValueError(f"{_shown(value)} is outside of 64 bits")
                return value
        case "float":
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return _float(value)
        case "boolean":
            if isinstance(value, bool):
                return value
        case "date":
            return _date(value)
    raise ValueError(f"{_shown(value)} is not a valid {kind}")


def attribute_from_text(kind: AttributeType, text: str) -> AttributeValue | None:
    """Return the value of a text from a command line or a table. Items of a list are separated by
    commas. Raises ValueError."""
    plain = text.strip()
    match kind:
        case "keyword":
            return attribute_of(kind, text)
        case "keywords":
            return attribute_of(kind, [one.strip() for one in text.split(",") if one.strip()])
        case "integer" if _INTEGER.fullmatch(plain):
            return attribute_of(kind, int(plain))
        case "float" if _FLOAT.fullmatch(plain):
            return attribute_of(kind, float(plain))
        case "boolean" if plain.lower() in ("true", "false"):
            return plain.lower() == "true"
        case "date":
            return attribute_of(kind, plain)
    if not plain:
        return None
    raise ValueError(f"{_shown(text)} is not a valid {kind}")


def type_of(value: object) -> AttributeType | None:
    """Return the type of an undeclared value, None if it cannot be an attribute. A text that is a
    complete ISO 8601 date is a date."""
    value = plain(value)
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "float"
    if isinstance(value, date) or (isinstance(value, str) and _is_date(value)):
        return "date"
    if isinstance(value, str):
        return "keyword"
    if isinstance(value, (list, tuple)) and all(isinstance(one, str | None) for one in value):
        return "keywords"
    return None


def type_of_text(text: str) -> AttributeType:
    """Return the type of an undeclared text from a command line or a table."""
    plain = text.strip()
    if plain.lower() in ("true", "false"):
        return "boolean"
    if _INTEGER.fullmatch(plain) and str(int(plain)) == plain and abs(int(plain)) < 2**63:
        return "integer"  # not 007, which is a name
    if re.fullmatch(r"-?\d+\.\d+", plain) and not is_padded(plain):
        return "float"
    return "date" if _is_date(plain) else "keyword"


def is_padded(text: str) -> bool:
    """Return whether the text begins with zeros that a number would lose, as 007 does. A leading
    plus does not count."""
    return bool(_PADDED.fullmatch(text.strip()))


def date_key(value: str) -> str:
    """Return a sort key of a date: texts in the order of time. A day counts as its beginning."""
    day, _, time = value.partition("T")
    if not time:
        return f"{day}T00:00:00.000000Z"
    seconds, _, fraction = time.rstrip("Z").partition(".")
    return f"{day}T{seconds}.{fraction:0<6}Z"


def changes_between(before: Attributes, after: Attributes) -> dict[str, AttributeValue | None]:
    """Return the changes from `before` to `after`: new or changed values, also in type, and None
    for removed ones."""
    changes: dict[str, AttributeValue | None] = dict.fromkeys(before.keys() - after.keys())
    for name, value in after.items():
        held = before.get(name)
        if held != value or type(held) is not type(value):
            changes[name] = value
    return changes


def values_of(value: AttributeValue | None) -> tuple[str | int | float | bool, ...]:
    """Return a value as a sequence, empty for no value."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _keyword(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{_shown(value)} is not a keyword; keywords are texts")
    if len(value) > MOST_CHARS:
        raise ValueError(f"a text of {len(value):,} characters is too long; at most {MOST_CHARS:,}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{_shown(value)} is not valid Unicode") from error
    return value


def _keywords(value: object) -> tuple[str, ...] | None:
    given: Sequence[object] = [value] if isinstance(value, str) else ()
    if isinstance(value, (list, tuple)):
        given = value
    elif not given:
        raise ValueError(f"{_shown(value)} is not a list of texts")
    if len(given) > MOST_VALUES:
        raise ValueError(f"{len(given):,} values are too many; at most {MOST_VALUES:,}")
    held = (_keyword(one) for one in given if one not in (None, ""))
    return tuple(dict.fromkeys(held)) or None


def _float(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{_shown(value)} is not finite")
    return number + 0.0  # no -0.0


def _date(value: object) -> str:
    if isinstance(value, datetime):
        try:
            return _moment(value)
        except (ValueError, OverflowError) as error:
            raise ValueError(f"{_shown(value)} is not a date in UTC: {error}") from error
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        text = value.strip()
        try:
            if _DAY.fullmatch(text):
                return date.fromisoformat(text).isoformat()
            if _MOMENT.fullmatch(text):
                return _moment(datetime.fromisoformat(text.upper()))
        except (ValueError, OverflowError) as error:
            raise ValueError(f"{_shown(value)} is not a date: {error}") from error
    raise ValueError(f"{_shown(value)} is not a date; write 2026-11-22 or 2026-11-22T10:00:00Z")


def _moment(given: datetime) -> str:
    moment = given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)
    fraction = f".{moment.microsecond:06d}".rstrip("0").rstrip(".")
    return f"{moment.replace(tzinfo=None, microsecond=0).isoformat()}{fraction}Z"


def _is_date(text: str) -> bool:
    if not (_DAY.fullmatch(text) or _MOMENT.fullmatch(text)):
        return False
    try:
        _date(text)
    except ValueError:
        return False
    return True


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
