"""Numbers in different spellings: 1,000 is 1000, 5 ms is five milliseconds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Final

from pincite.answering.check.numbers.dates import Date, dates_in
from pincite.answering.check.numbers.languages import language_of
from pincite.answering.check.numbers.separators import GROUPS, plain, readings_of
from pincite.answering.check.numbers.signs import signs_of
from pincite.answering.check.numbers.spelled import Spelled, small, spelled_in, with_half
from pincite.answering.check.numbers.units import (
    Counted,
    counted_at,
    may_have_unit,
    unit_of_currency,
)
from pincite.support.fields import replace
from pincite.support.finding.digit_runs import SEPARATORS, is_list, numbers_of

_VERSION: Final = re.compile(
    r"(?:(?<![A-Za-z\d_])v(\d{1,6}(?:\.\d{1,6}){0,5})|(\d{1,6}(?:\.\d{1,6}){2,5}))"
    r"((?:[-.]?(?:rc|alpha|beta|a|b)\.?\d*)?)(?!\d)"
)
#: Words before a number whose two parts are not those of a decimal.
_OF_VERSION: Final = re.compile(
    r"(?:\b(?:[Vv]ersions?|(?i:releases?)|[Pp]ython|[Ss]ections?|[Cc]hapters?|[Ff]igures?|[Tt]ables?)"
    r"|[a-z,;:(]\s[A-Z][a-z]\w*)\s\Z"
)
#: Abbreviations that replace the word before a number: p.12, v1, p95. Their full stop distinguishes
#: line 3 from the cache L3, and chapter 3 from the instance C3.
_ABBREVIATIONS: Final = {
    "page": ("p.", "pp."),
    "pages": ("p.", "pp."),
    "line": ("l.", "ll."),
    "lines": ("l.", "ll."),
    "figure": ("fig.",),
    "chapter": ("ch.", "chap."),
    "section": ("sec.",),
    "version": ("v",),
    "percentile": ("p",),
}
_WITH_STOP: Final = frozenset(
    name for names in _ABBREVIATIONS.values() for name in names if name.endswith(".")
)
_SPACES: Final = " \u00a0\u2009\u202f"
_RUN: Final = rf"\d{{1,40}}(?:[{SEPARATORS}]\d{{1,40}})*"
_NUMBER: Final = re.compile(
    r"(?P<cur>(?:\b[A-Z]{1,3})?[$€£¥₹]\s?|\b(?:USD|EUR|GBP|CHF|JPY|INR)\s)?"
    rf"(?P<n>\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d{{1,30}})?(?!\d)|\d{{1,3}}(?:_\d{{3}})+(?!\d)"
    rf"|{_RUN}|(?<![\w.)\]])\.\d{{1,30}}|[½¼¾])"
    r"(?:[eE](?P<exp>[-+]?\d{1,2})(?![\w.]))?(?P<frac>\s?[½¼¾])?(?P<th>(?:st|nd|rd|th)\b)?"
)
_SEPARATED: Final = re.compile(_RUN)
_FRACTIONS: Final = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_DOTTED: Final = re.compile(r"\d{1,3}(?:\.\d{3})+")
_COMMA: Final = re.compile(r",\d")
_SIMPLE: Final = re.compile(r"\d+(?:\.\d+)?")
_NAMED: Final = re.compile(r"([A-Za-z]{1,24})([-./_]?)\Z")
_OF_LINE: Final = re.compile(r"#L(?:\d{1,9}(?:C\d{1,9})?-L)?\Z")  # in a citation or an address
_OF: Final = re.compile(r"([A-Za-z]{1,24})[ \u00a0-]\Z")
_BEFORE: Final = 32  # characters before a number that are read
_INSIDE: Final = re.compile(r"[A-Za-z_]\Z")  # a digit after it is part of a name
_AFTER_UNIT: Final = re.compile(r"\d(?:h|min|m|s|d)\Z")  # 1h30m


@dataclass(frozen=True, slots=True)
class Number:
    """A number at `start`, as `written`. `value` is a number without trailing zeros, a date or a
    version, and `unit` is "" if none is known. `spelled` numbers are in letters. `sign` is "-" for
    a negative number, "?" if it is uncertain. `otherwise` are the numbers of another possible
    reading, all of which then apply: 8M may be 8 MB. `digits` are those of a decimal or a version:
    version 3.10 is not 3.1. `of` is the word before it. Digits of a name include the name in their
    value: `#rfc 7231`."""

    start: int
    written: str
    value: str
    unit: str = ""
    spelled: bool = False
    sign: str = ""
    otherwise: tuple[Number, ...] = ()
    digits: str = ""
    of: str = ""


def numbers_in(text: str, *, names: bool = False) -> tuple[Number, ...]:
    """Return the numbers of a text, in order. Dates and versions are single numbers, the ends of a
    range are two. Digits within names (`utf8`, `gpt-4o`) are included only with `names`."""
    return tuple(sorted(_Reading(text, names=names).numbers(), key=lambda one: one.start))


def missing(said: tuple[Number, ...], there: tuple[Number, ...]) -> tuple[Number, ...]:
    """Return the numbers of `said` that are not in `there`: their value is missing, or has only
    other units or signs. A part of a date that is there counts as there, and so does the beginning
    of a version."""
    values: dict[str, set[tuple[str, str]]] = {}
    for one in chain(there, *(number.otherwise for number in there)):
        for value in chain(_own(one), _parts(one)):
            values.setdefault(value, set()).add((one.unit, one.sign))

    def known(one: Number) -> bool:
        return any(
            _same_unit(one.unit, unit) and (one.sign == sign or "?" in (one.sign, sign))
            for value in _own(one)
            for unit, sign in values.get(value, ())
        )

    return tuple(
        one
        for one in said
        if not known(one) and not (one.otherwise and all(map(known, one.otherwise)))
    )


def _same_unit(one: str, other: str) -> bool:
    return not (one and other) or not set(one.split("|")).isdisjoint(other.split("|"))


def _own(number: Number) -> tuple[str, ...]:
    """Return the keys of a number: its value, its digits, and names with these digits. RFC 7231 is
    RFC7231, and page 12 is p.12."""
    value, digits, of = number.value, number.digits, number.of
    if not digits:
        return (value,)
    names = (of, f"{of}.", *_ABBREVIATIONS.get(of, ())) if of else ()
    named = [f"#{name} {digits}" for name in names]
    return (value, f"={digits}", f"={digits.removesuffix('.0')}", *named)


def _parts(number: Number) -> tuple[str, ...]:
    """Return the keys of parts that may be mentioned alone."""
    value = number.value
    if value.startswith("v"):
        pieces = value[1:].split(".")
        shorter = [".".join(pieces[:count]) for count in range(1, len(pieces))]
        return tuple(f"={one}" for one in shorter[:2] if one.replace(".", ""))
    if value.startswith("d"):
        year, month, day = value[1:].split("-")
        return tuple({f"d-{month}-{day}", *filter(None, (year, str(int(day))))})
    return ()


class _Reading:
    """Reads the numbers of one text."""

    def __init__(self, text: str, *, names: bool) -> None:
        self._text = text
        self._names = names
        self._language = language_of(text)
        self._sign_at = signs_of(text, self._language)
        self._taken = bytearray(len(text) + 1)

    def numbers(self) -> Iterator[Number]:
        """Yield all of them: dates, versions, digits and words."""
        text = self._text
        for date in dates_in(text):
            yield self._take(self._date(date))
        for match in _VERSION.finditer(text):
            start, end = match.span()
            inside = _INSIDE.search(text, max(0, start - 1), start)
            decimal = _DOTTED.fullmatch(match[0]) and _COMMA.match(text, end)
            if self._free(start, end) and not (inside or decimal):
                yield self._take(self._version(match))
        taken = self._taken
        rest = "".join("\0" if taken[at] else one for at, one in enumerate(text))
        for match in _NUMBER.finditer(rest):
            yield from map(self._take, self._written(match))
        for spelled in spelled_in(small(text)):
            if self._free(spelled.start, spelled.end):
                yield self._in_words(spelled)

    def _free(self, start: int, end: int) -> bool:
        return not (self._taken[start] or self._taken[max(start, end - 1)])

    def _take(self, number: Number) -> Number:
        size = len(number.written)
        self._taken[number.start : number.start + size] = b"\1" * size
        return number

    def _date(self, date: Date) -> Number:
        written = self._text[date.start : date.end]
        other = (Number(date.start, written, date.otherwise),) if date.otherwise else ()
        return Number(date.start, written, date.value, otherwise=other)

    def _version(self, match: re.Match[str]) -> Number:
        digits = f"{match[1] or match[2]}{match[3].lower()}"
        number = Number(match.start(), match[0], f"v{digits}", digits=digits)
        if match[1] or not _DOTTED.fullmatch(digits):
            return number
        counted = counted_at(self._text, match.end())
        value = plain(Decimal(digits.replace(".", "")) * counted.times)
        written = self._text[match.start() : counted.end]
        thousands = Number(
            match.start(), written, value, counted.unit, sign=self._sign_at(match.start())
        )
        return replace(number, written=written, otherwise=(thousands,))

    def _written(self, match: re.Match[str]) -> Iterator[Number]:
        """Yield the numbers of a run of digits."""
        text, run, at = self._text, match["n"], match.start("n")
        start = at if self._taken[match.start()] else match.start()
        named = start == at and _within_name(text, at, match.end())
        before = text[max(0, at - _BEFORE) : at]
        if (named and not self._names) or (run == "00" and before[-1:] == ":"):
            return  # the latter of 10:00
        spans, after = [(0, len(run))], text[match.end("n") : match.end("n") + 2]
        listed = is_list(run, before, after)
        if _SEPARATED.fullmatch(run) and not GROUPS.fullmatch(run):
            spans = numbers_of(run, before, after)
        if named:
            if letters := _NAMED.search(before):
                digits, name = run[: spans[0][1]], letters[1].lower()
                if f"{name}{letters[2]}" in _WITH_STOP or _OF_LINE.search(before):
                    name += "."
                yield Number(at, digits, f"#{name} {digits}")
            return
        for first, last in spans[:-1]:
            begin = at + first if first else start
            yield self._number(begin, run[first:last], Counted("", 1, at + last))
        first = spans[-1][0]
        begin = at + first if first else start
        end, digits = match.end(), run[first:].rstrip(SEPARATORS)
        if match["th"]:
            yield self._number(begin, digits, Counted("", 1, end))
            return
        more = _FRACTIONS[match["frac"].strip()] if match["frac"] else None
        if (half := with_half(text, end)) > end:
            more, end = _FRACTIONS["½"], half
        currency = unit_of_currency(match["cur"]) if begin < at else ""
        counted = counted_at(text, end, currency=currency)
        power = int(match["exp"] or 0)
        yield self._number(begin, digits, counted, more, power, listed=listed)

    def _number(
        self,
        start: int,
        digits: str,
        counted: Counted,
        more: Decimal | None = None,
        power: int = 0,
        *,
        listed: bool = False,
    ) -> Number:
        """Return the number of these digits, plus `more` and times ten to the `power`. With
        `listed`, they may be a list."""
        unit, times = counted.unit, counted.times
        written = self._text[start : counted.end]
        sign = self._sign_at(start)

        def number(value: Decimal, times: int, unit: str) -> Number:
            known = plain(value * times if times > 1 else value)
            return Number(start, written, known, unit, sign=sign)

        if digits in _FRACTIONS:
            return number(_FRACTIONS[digits], times, unit)
        value, instead = readings_of(digits, self._language, listed=listed)
        if more or power:
            return number(value.scaleb(power) + (more or 0), times, unit)
        one = number(value, times, unit)
        if len(instead) == 1 or (instead and times == 1 and not unit):
            return replace(one, otherwise=tuple(number(other, times, unit) for other in instead))
        if counted.otherwise:
            others = tuple(number(value, by, kind) for kind, by in counted.otherwise)
            return replace(one, otherwise=others)
        if times > 1 or unit or not _SIMPLE.fullmatch(digits):
            return one
        before = self._text[max(0, start - _BEFORE) : start]
        version = "." in digits and _OF_VERSION.search(before)
        of = word[1].lower() if (word := _OF.search(before)) else ""
        known = f"v{digits}" if version else one.value
        return Number(start, written, known, sign=sign, digits=digits, of=of)

    def _in_words(self, spelled: Spelled) -> Number:
        counted = counted_at(self._text, spelled.end)
        written = self._text[spelled.start : counted.end]
        sign, unit = self._sign_at(spelled.start), counted.unit

        def number(value: Decimal, unit: str) -> Number:
            return Number(spelled.start, written, plain(value), unit, True, sign)

        one = number(spelled.value * counted.times, unit)
        if not spelled.otherwise:
            return one
        *first, last = spelled.otherwise
        instead = (*(number(other, "") for other in first), number(last, unit if first else ""))
        return replace(one, otherwise=instead)


def _within_name(text: str, start: int, end: int) -> bool:
    """Return whether it is part of a name, as in `utf8`, `gpt-4o`, `x2`, `#L3`."""
    before = text[max(0, start - 2) : start]
    if _INSIDE.search(before):
        return not _AFTER_UNIT.search(text[max(0, start - 4) : start])
    if before[-1:] in "-./" and before[:1].isalpha() and before[-1:] != "":
        return True
    after = text[end : end + 2]
    return after[:1] == "_" or (after[:1].isalpha() and not may_have_unit(text, end))
