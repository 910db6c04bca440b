"""Which points a search may see: one small language for all stores.

Words are runs of letters and digits in lower case (`words`), nothing is stemmed. All other
comparisons are exact, case and all. A field with several values fits if one of them does; nothing
fits a field without a value.

A field is one of a chunk or an attribute, whose type decides which conditions there are of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

#: `revision` is that of a point's document; the others are fields of its chunk. Attributes of the
#: types `keyword` and `keywords` are asked for as these are, `integer` and `float` as numbers.
FILTER_FIELDS = ("revision", "repo", "path", "source_type", "language", "symbols", "url")
NUMBER_FIELDS = ("start_line", "end_line")
TEXT_FIELDS = ("text", "title")

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """The words of a text, in order."""
    return [word.lower() for word in _WORD.findall(text)]


class AnyOf(msgspec.Struct, frozen=True, tag=True):
    """True for a point whose `field`, one of FILTER_FIELDS, is or contains one of `values`."""

    field: str
    values: tuple[str, ...]


class Range(msgspec.Struct, frozen=True, tag=True):
    """True where `field`, one of NUMBER_FIELDS, is within all bounds that are given.

    Numbers are compared as 64-bit floats, which round integers beyond 2^53. An equality, an integer
    that is both `gte` and `lte`, is exact for integers of 64 bits.
    """

    field: str
    gte: int | float | None = None
    gt: int | float | None = None
    lte: int | float | None = None
    lt: int | float | None = None

    @property
    def exactly(self) -> int | None:
        """The integer that an equality of integers asks for."""
        whole = isinstance(self.gte, int) and self.gte == self.lte
        return self.gte if whole and isinstance(self.gte, int) else None


class DateRange(msgspec.Struct, frozen=True, tag=True):
    """True where `field`, an attribute of the type `date`, is within all bounds that are given, in
    the form of `attribute_of`. A day stands for its beginning."""

    field: str
    gte: str | None = None
    gt: str | None = None
    lte: str | None = None
    lt: str | None = None


class Is(msgspec.Struct, frozen=True, tag=True):
    """True where `field`, an attribute of the type `boolean`, is `value`."""

    field: str
    value: bool


class Text(msgspec.Struct, frozen=True, tag=True):
    """True where `field`, one of TEXT_FIELDS, has every word of `text`, in any order; never for a
    text without a word."""

    field: str
    text: str


class Phrase(msgspec.Struct, frozen=True, tag=True):
    """True where the words of `text` follow each other in `field`, one of TEXT_FIELDS; never for
    a text without a word."""

    field: str
    text: str


class Prefix(msgspec.Struct, frozen=True, tag=True):
    """True where `field`, one of FILTER_FIELDS, begins with `prefix`."""

    field: str
    prefix: str


class Exists(msgspec.Struct, frozen=True, tag=True):
    """True where `field`, any that can be filtered by, has a value that is not empty."""

    field: str


class Ids(msgspec.Struct, frozen=True, tag=True):
    """True for the points with these ids; what is no id fits nothing."""

    ids: tuple[str, ...]


Condition = AnyOf | Range | DateRange | Is | Text | Phrase | Prefix | Exists | Ids


@dataclass(frozen=True, slots=True)
class Filter:
    """Every `must` holds, at least one `should` if there are any, and no `must_not`. Values of
    which there are none match nothing."""

    must: tuple[Condition, ...] = ()
    must_not: tuple[Condition, ...] = ()
    should: tuple[Condition, ...] = ()

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All of them."""
        return (*self.must, *self.should, *self.must_not)


EVERYTHING = Filter()


def equals(field: str, value: str) -> AnyOf:
    """True where `field`, one of FILTER_FIELDS, is or contains `value`."""
    return AnyOf(field, (value,))
