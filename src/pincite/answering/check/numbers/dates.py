"""Dates in texts: 2024-05-03, 3 May 2024, May 3rd, 5/3/2024, 03.05.2024."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pincite.answering.check.numbers.spelled import small

_MONTHS: Final = (
    "january february march april may june july august september october november december"
).split()
_MONTH: Final = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"])
#: Names of months that are other words in lower case.
_WORDS: Final = frozenset(("may", "march", "mar"))
_DATE: Final = re.compile(
    rf"(?P<y>\d{{4}})(?P<s>[-/])(?P<m>\d\d)(?P=s)(?P<d>\d\d)(?!\d)"
    rf"|(?P<n1>\d{{1,2}})(?P<sep>[./])(?P<n2>\d{{1,2}})(?P=sep)(?P<y3>\d{{4}})(?!\d)"
    rf"|(?P<mon>{_MONTH})\.?\s(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s(?P<y1>\d{{4}}))?(?!\d)"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\.?\s(?:of\s)?(?P<mon2>{_MONTH})\b\.?"
    rf"(?:,?\s(?P<y2>\d{{4}}))?(?!\d)"
)


@dataclass(frozen=True, slots=True)
class Date:
    """A date at `text[start:end]`. `value` is `dYYYY-MM-DD`, without the year if none is given.
    `otherwise` is the other reading of an ambiguous date such as 5/6/2024."""

    start: int
    end: int
    value: str
    otherwise: str = ""


def dates_in(text: str) -> Iterator[Date]:
    """Yield the dates of a text, in order. Takes time linear in the text."""
    for match in _DATE.finditer(small(text)):
        before = text[max(0, match.start() - 1) : match.start()]
        values = [one for one in _values(match, text) if one]
        if values and not before.isalnum() and before != ".":
            yield Date(*match.span(), values[0], values[1] if len(values) > 1 else "")


def _values(match: re.Match[str], text: str) -> Iterator[str]:
    if name := match["mon"] or match["mon2"]:
        year = match["y1"] or match["y2"] or ""
        start = match.start("mon") if match["mon"] else match.start("mon2")
        if year or name not in _WORDS or text[start : start + len(name)].istitle():
            month = next(n for n, one in enumerate(_MONTHS, 1) if one.startswith(name[:3]))
            yield _value(year, month, int(match["d1"] or match["d2"]))
    elif match["y"]:
        yield _value(match["y"], int(match["m"]), int(match["d"]))
    else:
        one, other = int(match["n1"]), int(match["n2"])
        if match["sep"] == "/":
            yield _value(match["y3"], one, other)
        if one != other or match["sep"] == ".":
            yield _value(match["y3"], other, one)


def _value(year: str, month: int, day: int) -> str:
    return f"d{year}-{month:02}-{day:02}" if 1 <= month <= 12 and 1 <= day <= 31 else ""
