"""Filters: conditions on chunks, in one small language for all stores.

A filter decides which chunks a search may return. Words are runs of letters and digits in lower
case (`words`), without stemming. All other comparisons are exact and case-sensitive. A field with
several values matches if one of them does. A field without a value never matches.

A field is a field of a chunk, or an attribute. The type of an attribute decides which conditions it
supports.
"""

from __future__ import annotations

import re

import msgspec

#: `revision` is the revision of a chunk's document; the others are fields of the chunk. Attributes
#: of the types `keyword` and `keywords` support the same conditions as these fields, `integer` and
#: `float` the same as NUMBER_FIELDS.
FILTER_FIELDS = ("revision", "repo", "path", "source_type", "language", "symbols", "url")
NUMBER_FIELDS = ("start_line", "end_line")
TEXT_FIELDS = ("text", "title")

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Return the words of a text, in order."""
    return [word.lower() for word in _WORD.findall(text)]


class AnyOf(msgspec.Struct, frozen=True, tag=True):
    """True for a chunk whose `field`, one of FILTER_FIELDS, is or contains one of `values`."""

    field: str
    values: tuple[str, ...]


class Range(msgspec.Struct, frozen=True, tag=True):
    """True if `field`, one of NUMBER_FIELDS, is within all given bounds.

    Numbers are compared as 64-bit floats, which round integers beyond 2^53. An equality (the same
    integer as `gte` and `lte`) is exact for 64-bit integers.
    """

    field: str
    gte: int | float | None = None
    gt: int | float | None = None
    lte: int | float | None = None
    lt: int | float | None = None

    @property
    def exactly(self) -> int | None:
        """The integer of a condition that is an equality of integers, otherwise None."""
        whole = isinstance(self.gte, int) and self.gte == self.lte
        return self.gte if whole and isinstance(self.gte, int) else None


class DateRange(msgspec.Struct, frozen=True, tag=True):
    """True if `field`, an attribute of the type `date`, is within all given bounds. Bounds are
    written as by `attribute_of`. A day without a time means its first moment."""

    field: str
    gte: str | None = None
    gt: str | None = None
    lte: str | None = None
    lt: str | None = None


class Is(msgspec.Struct, frozen=True, tag=True):
    """True if `field`, an attribute of the type `boolean`, is `value`."""

    field: str
    value: bool


class Text(msgspec.Struct, frozen=True, tag=True):
    """True if `field`, one of TEXT_FIELDS, has every word of `text`, in any order. A text without
    words never matches."""

    field: str
    text: str


class Phrase(msgspec.Struct, frozen=True, tag=True):
    """True if `field`, one of TEXT_FIELDS, contains the words of `text` in sequence. A text without
    words never matches."""

    field: str
    text: str


class Prefix(msgspec.Struct, frozen=True, tag=True):
    """True if `field`, one of FILTER_FIELDS, begins with `prefix`."""

    field: str
    prefix: str


class Exists(msgspec.Struct, frozen=True, tag=True):
    """True if `field`, any filterable field, has a value that is not empty."""

    field: str


class Ids(msgspec.Struct, frozen=True, tag=True):
    """True for chunks with these ids; an invalid id matches nothing."""

    ids: tuple[str, ...]


Condition = AnyOf | Range | DateRange | Is | Text | Phrase | Prefix | Exists | Ids


class Filter(msgspec.Struct, frozen=True):
    """True if every `must` holds, no `must_not` holds, and, if there are any `should`, at least one
    of these holds. A condition with an empty list of values matches nothing."""

    must: tuple[Condition, ...] = ()
    must_not: tuple[Condition, ...] = ()
    should: tuple[Condition, ...] = ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All conditions of `must`, `should` and `must_not`."""
        return (*self.must, *self.should, *self.must_not)


EVERYTHING = Filter()


def equals(field: str, value: str) -> AnyOf:
    """Return a condition that is true if `field`, one of FILTER_FIELDS, is or contains `value`."""
    return AnyOf(field, (value,))
