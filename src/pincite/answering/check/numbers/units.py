"""Units and multipliers after numbers: 5 Mio. Euro, 10k tokens, 3 ms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

#: English, abbreviations of other languages, then German, French, Spanish, Italian and Dutch.
SCALES: Final[Mapping[str, int]] = MappingProxyType(
    {"hundred": 100, "thousand": 1000, "k": 1000, "million": 10**6, "billion": 10**9}
    | {"trillion": 10**12, "millions": 10**6, "billions": 10**9, "mn": 10**6, "bn": 10**9}
    | {"mio": 10**6, "mln": 10**6, "mrd": 10**9, "mld": 10**9, "mia": 10**9}
    | {"tausend": 1000, "millionen": 10**6, "milliarde": 10**9, "milliarden": 10**9}
    | {"billionen": 10**12, "milliard": 10**9, "milliards": 10**9, "millón": 10**6}
    | {"millones": 10**6, "mila": 1000, "milione": 10**6, "milioni": 10**6}
    | {"miliardo": 10**9, "miliardi": 10**9, "duizend": 1000, "miljoen": 10**6, "miljard": 10**9}
)
#: Units by all their spellings; `|` separates alternatives. Other words are not compared as units.
_UNITS: Final[Mapping[str, str]] = MappingProxyType(
    {
        name: unit
        for unit, names in {
            "%": "% percent per_cent pct",
            "ns": "ns nanosecond nanoseconds",
            "us": "us µs μs microsecond microseconds",
            "ms": "ms msec millisecond milliseconds",
            "s": "s sec secs second seconds",
            "min": "min mins minute minutes",
            "h": "h hr hrs hour hours",
            "day": "d day days",
            "week": "week weeks",
            "month": "month months",
            "year": "yr yrs year years",
            "byte": "byte bytes",
            "kB": "kb kib kilobyte kilobytes",
            "MB": "mb mib megabyte megabytes",
            "GB": "gb gib gigabyte gigabytes",
            "TB": "tb tib terabyte terabytes",
            "token": "token tokens",
            "mm": "mm millimeter millimeters millimetre millimetres",
            "cm": "cm centimeter centimeters centimetre centimetres",
            "m": "meter meters metre metres",
            "m|min|MB": "m",
            "mi": "mi mile miles",
            "ft": "ft foot feet",
            "km": "km kilometer kilometers kilometre kilometres",
            "mg": "mg milligram milligrams",
            "g": "gram grams",
            "g|GB": "g",
            "kg": "kg kilogram kilograms",
            "$": "$ usd dollar dollars",
            "€": "€ eur euro euros",
            "tonne": "tonne tonnes ton tons",
            "lb": "lb lbs",
            "lb|£": "pound pounds",
            "£": "£ gbp",
            "¥": "¥ jpy yen",
            "₹": "₹ inr rupee rupees",
            "CHF": "chf",
        }.items()
        for name in names.split()
    }
)
_METRES: Final = "m|min|MB"  # also millions, of readers and euros
#: Units whose case matters: 512Mi is not miles, and 26.2 Mi may be.
_BINARY: Final[Mapping[str, str]] = MappingProxyType(
    {"Ki": "kB", "Mi": "MB", "Gi": "GB", "Ti": "TB"}
)
_SIGNS: Final = "%€$£¥₹"
_UNIT: Final = re.compile(rf"[ \u00a0-]?(%|[A-Za-zóµμ{_SIGNS}]{{1,12}})")
_ABBREVIATED: Final = frozenset("mio mln mrd mld mia".split())
_OF: Final = re.compile(r"[ \u00a0](?:d['’]|d[ei] )")  # millions d'euros
#: Units that another number may follow: 1h30m.
_CLOCK: Final = frozenset("h min m s d ms".split())
#: The suffix directly after a number: its factor, and the unit that it may be instead.
_SUFFIX: Final = re.compile(r"(?:([kKMBTb])(?![A-Za-z\d])|bn\b)")
_OWN: Final[Mapping[str, tuple[int, str]]] = MappingProxyType(
    {"k": (1000, "kB"), "K": (1000, "kB"), "M": (10**6, "MB"), "B": (10**9, "byte")}
    | {"T": (10**12, "TB"), "b": (10**9, ""), "bn": (10**9, "")}
)


@dataclass(frozen=True, slots=True)
class Counted:
    """The unit after a number, "" if none is known, its factor, and the end of both. `otherwise`
    are other possible pairs of unit and factor."""

    unit: str
    times: int
    end: int
    otherwise: tuple[tuple[str, int], ...] = ()


def unit_of_currency(sign: str) -> str:
    """Return the unit of a currency such as `US$`, `€` or `CHF`."""
    name = sign.strip()
    return _UNITS[name[-1] if name[-1] in _SIGNS else name.lower()]


def counted_at(text: str, at: int, *, currency: str = "") -> Counted:
    """Return the unit and the factor after the number that ends at `at`. With a `currency`, m and b
    are millions and billions."""
    suffix = _SUFFIX.match(text, at)
    own, instead = _OWN[suffix[0]] if suffix else (1, "")
    unit, times, end = _behind(text, suffix.end() if suffix else at)
    if unit == _METRES and own == times == 1:
        if currency:
            return Counted(currency, 10**6, end)
        return Counted(unit, 1, end, (("", 10**6),))
    alone = suffix and not unit and times == 1 and not currency
    otherwise = ((instead, 1),) if alone and suffix and suffix[0] != "bn" else ()
    return Counted(currency or unit, own * times, end, otherwise)


def _behind(text: str, at: int) -> tuple[str, int, int]:
    times = 1
    match = _UNIT.match(text, at)
    if match and match[1].lower() in SCALES:
        times = SCALES[match[1].lower()]
        at = match.end()
        if match[1].lower() in _ABBREVIATED and text.startswith(".", at):
            at += 1
        match = _UNIT.match(text, at)
    if of := _OF.match(text, at):
        match = _UNIT.match(text, of.end())
    if match:
        # If more letters follow the match, it is another word.
        following = text[match.end() : match.end() + 1]
        name = match[1] if match[1] in _SIGNS else match[1].lower()
        unit = _BINARY.get(match[1]) or _UNITS.get(name)
        if match[0] == " Mi":
            unit = "MB|mi"
        clock = name in _CLOCK and following.isdecimal()
        if unit and (clock or not following.isalnum() or name == "%"):
            return unit, times, match.end()
    return "", times, at


def may_have_unit(text: str, at: int) -> bool:
    """Return whether letters or signs that may be a unit follow a number."""
    return _UNIT.match(text, at) is not None
