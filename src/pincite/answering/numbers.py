"""Numbers as two texts may write them: 1,000 is 1000, 5 ms is five milliseconds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from types import MappingProxyType
from typing import Final

from pincite.answering.signs import signs_of

_MONTHS: Final = (
    "january february march april may june july august september october november december"
).split()
_MONTH: Final = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"])
_WORDS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
).split()
_ORDINALS: Final = "first second third fourth fifth sixth seventh eighth ninth".split()
_VALUES: Final[Mapping[str, int]] = MappingProxyType(
    {word: value for value, word in enumerate(_WORDS)}
    | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}
    | {"ninety": 90, "once": 1, "twice": 2, "thrice": 3, "dozen": 12, "half": 2}
    | {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7}
    | {"eighth": 8, "ninth": 9, "tenth": 10}
)
_TIMES: Final[Mapping[str, int]] = MappingProxyType(
    {"hundred": 100, "thousand": 1000, "k": 1000, "million": 10**6, "billion": 10**9}
    | {"trillion": 10**12, "mio": 10**6, "mrd": 10**9}
)
#: What a number counts, by all the ways to write it; `|` is between what it may be. Others count
#: nothing that is compared.
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
            "CHF": "chf",
        }.items()
        for name in names.split()
    }
)
#: Where case matters: 512Mi is no miles.
_BINARY: Final[Mapping[str, str]] = MappingProxyType(
    {"Ki": "kB", "Mi": "MB", "Gi": "GB", "Ti": "TB"}
)
_SIZES: Final[Mapping[str, str]] = MappingProxyType({"k": "kB", "K": "kB", "M": "MB", "B": "byte"})
_DATE: Final = re.compile(
    rf"(?P<y>\d{{4}})-(?P<m>\d\d)-(?P<d>\d\d)(?!\d)"
    rf"|(?P<mon>{_MONTH})\.?\s(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s(?P<y1>\d{{4}}))?(?!\d)"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\.?\s(?:of\s)?(?P<mon2>{_MONTH})\b\.?"
    rf"(?:,?\s(?P<y2>\d{{4}}))?(?!\d)",
    re.IGNORECASE,
)
_VERSION: Final = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){2,5}(?:[-.]?(?:rc|alpha|beta|a|b)\.?\d*)?)")
_NUMBER: Final = re.compile(
    r"(?P<cur>[$€£¥])?(?P<n>\d{1,3}(?:[,'’ \u00a0\u2009\u202f]\d{3})+(?:\.\d{1,30})?(?![\d])"
    r"|\d{1,40}(?:\.\d{1,30})?|(?<![\w.)\]])\.\d{1,30})"
    r"(?P<suffix>[kKMB](?![A-Za-z\d])|bn\b|st\b|nd\b|rd\b|th\b)?"
)
_UNIT: Final = re.compile(r"[ \u00a0-]?(%|[A-Za-zµμ€$£¥]{1,12})")
#: Behind other numbers `second` is a unit.
_ONES: Final = "|".join((*_WORDS[1:10], *(one for one in _ORDINALS if one != "second")))
_TENS: Final = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_TENS_ONES: Final = rf"(?:{_TENS})[\s-](?:{_ONES})"
_BELOW: Final = rf"(?:{_TENS_ONES}|{'|'.join(_VALUES)})\b"
_REST: Final = rf"(?>(?:{_TENS_ONES}|{_ONES}|{'|'.join(_WORDS[10:])}|tenth|{_TENS})\b)"
#: Of "one hundred and two hundred" the end is another number.
_HUNDREDS: Final = (
    rf"{_BELOW}(?:[\s-]hundred\b(?:(?:\sand)?\s{_REST}(?![\s-](?:hundred|dozen)\b))?)?"
)
_SCALES: Final = "thousand|million|billion|trillion"
#: `twenty-five`, `one hundred and twenty`, `two thousand five hundred`; maybe several numbers.
_SPELLED: Final = re.compile(
    rf"\b{_HUNDREDS}(?:[\s-](?:{_SCALES})\b(?:(?:\sand)?\s{_HUNDREDS})?){{0,4}}", re.IGNORECASE
)
#: "five hundred and six thousand" is one number, or two.
_TWO: Final = re.compile(rf"\s(?P<and>and\s){_REST}[\s-](?:{_SCALES})\b", re.IGNORECASE)
_SECOND: Final = re.compile(rf"\b(?:{_TENS})[\s-]second\Z", re.IGNORECASE)
_PIECE: Final = re.compile(r"\w+")
_INSIDE: Final = re.compile(r"[A-Za-z_]\Z")  # a digit behind it is part of a name


@dataclass(frozen=True, slots=True)
class Number:
    """A number at `start`, as `written`: its value (a number without trailing zeros, a date, a
    version) and its unit, empty where it has none that is known. `spelled` is one in letters.
    `sign` is "-" for a negative one, "?" where that is not sure. `otherwise` are the numbers that
    it may be instead, all of them: 8M may be 8 MB."""

    start: int
    written: str
    value: str
    unit: str = ""
    spelled: bool = False
    sign: str = ""
    otherwise: tuple[Number, ...] = ()


def numbers_in(text: str) -> tuple[Number, ...]:
    """The numbers of a text, in order: dates and versions whole, the ends of ranges one by one.
    Digits within names (`utf8`, `gpt-4o`) are none."""
    found: list[Number] = []
    taken = bytearray(len(text) + 1)
    sign_at = signs_of(text)

    def free(start: int, end: int) -> bool:
        return not (taken[start] or taken[max(start, end - 1)])

    for match in _DATE.finditer(text):
        date = _date(match)
        before = text[max(0, match.start() - 1) : match.start()]
        if date and not before.isalnum():
            found.append(Number(match.start(), match[0], date))
            taken[match.start() : match.end()] = b"\1" * len(match[0])
    for match in _VERSION.finditer(text):
        if free(*match.span()) and not _INSIDE.search(text[: match.start()][-1:]):
            found.append(Number(match.start(), match[0], f"v{match[1].lower()}"))
            taken[match.start() : match.end()] = b"\1" * len(match[0])
    for match in _NUMBER.finditer(text):
        if free(*match.span()) and not _within_name(text, match.start(), match.end()):
            one = _number(text, match, sign_at(match.start()))
            found.append(one)
            taken[one.start : one.start + len(one.written)] = b"\1" * len(one.written)
    for match in _SPELLED.finditer(text):
        if free(*match.span()):
            for start, end in _apart(match[0], match.start()):
                found += _in_words(text, start, end, sign_at(start))
    return tuple(sorted(found, key=lambda one: one.start))


def missing(said: tuple[Number, ...], there: tuple[Number, ...]) -> tuple[Number, ...]:
    """Those that are said and not there: no such value, or only with other units or signs. A part
    of a date that is there is there, and so is the beginning of a version."""
    values: dict[str, set[tuple[str, str]]] = {}
    for one in chain(there, *(number.otherwise for number in there)):
        for value in _parts(one.value):
            values.setdefault(value, set()).add((one.unit, one.sign))

    def known(one: Number) -> bool:
        return any(
            _same_unit(one.unit, unit) and (one.sign == sign or "?" in (one.sign, sign))
            for unit, sign in values.get(one.value, ())
        )

    return tuple(
        one
        for one in said
        if not known(one) and not (one.otherwise and all(map(known, one.otherwise)))
    )


def _same_unit(one: str, other: str) -> bool:
    return not (one and other) or not set(one.split("|")).isdisjoint(other.split("|"))


def _apart(words: str, at: int) -> Iterator[tuple[int, int]]:
    """Where the numbers in words that stand at `at` start and end: "one million and two million"
    are two, for a scale is below the one before it."""
    start = end = 0  # of the number, and of what of it has a scale
    last = 0
    for match in re.finditer(_SCALES, words, re.IGNORECASE):
        scale = _TIMES[match[0].lower()]
        alone = words[end : match.start()].isspace()  # "thousand million"
        if last and scale >= last and not alone:
            yield at + start, at + end
            start = end + 1
            if words[start : start + 4].lower() == "and ":
                start += 4
        last, end = scale, match.end()
    yield at + start, at + len(words)


def _in_words(text: str, start: int, end: int, sign: str) -> Iterator[Number]:
    """The number in words there, if it is one."""
    words = text[start:end]
    known = _spelled(words)
    if known is None:
        return
    unit, times, stop = _behind(text, end)
    value = _plain(Decimal(known) * times)
    otherwise: tuple[Number, ...] = ()
    two = _TWO.search(words)
    if two:
        at = two.start("and")
        parts = (_spelled(words[:at]), _spelled(words[at:]))
        otherwise = tuple(
            Number(start, words, str(part), unit if last else "", True, sign)
            for last, part in enumerate(parts)
        )
    elif _SECOND.search(text[start:stop]):
        otherwise = (Number(start, words, str(known + 2), "", True, sign),)
    yield Number(start, text[start:stop], value, unit, True, sign, otherwise)


def _spelled(words: str) -> int | None:
    """The value of a number in words; None for letters that only look like ours, as in "ſix"."""
    whole = part = 0
    for word in (one.lower() for one in _PIECE.findall(words)):
        if word in _VALUES:
            part += _VALUES[word]
        elif word == "hundred":
            part *= 100
        elif word in _TIMES:
            whole, part = whole + part * _TIMES[word] if part else whole * _TIMES[word], 0
        elif word != "and":
            return None
    return whole + part


def _parts(value: str) -> tuple[str, ...]:
    """A value, and what of it may be said alone."""
    if value.startswith("v"):
        pieces = value[1:].split(".")
        shorter = [".".join(pieces[:count]) for count in range(1, len(pieces))]
        return (value, *(_plain(Decimal(one)) for one in shorter[:2] if one.replace(".", "")))
    if value.startswith("d"):
        year, month, day = value[1:].split("-")
        return tuple({value, f"d-{month}-{day}", *filter(None, (year, str(int(day))))})
    return (value,)


def _date(match: re.Match[str]) -> str:
    """`dYYYY-MM-DD`, without the year where none is given; empty for what is no date."""
    year = match["y"] or match["y1"] or match["y2"] or ""
    name = match["mon"] or match["mon2"]
    month = _month(name) if name else int(match["m"])
    day = int(match["d"] or match["d1"] or match["d2"])
    return f"d{year}-{month:02}-{day:02}" if 1 <= month <= 12 and 1 <= day <= 31 else ""


def _month(name: str) -> int:
    """Its number; 0 for one in letters that only look like ours, as in "ſept"."""
    start = name[:3].lower()
    return next((n for n, one in enumerate(_MONTHS, 1) if one.startswith(start)), 0)


def _number(text: str, match: re.Match[str], sign: str) -> Number:
    digits = re.sub(r"[,'’ \u00a0\u2009\u202f]", "", match["n"])
    suffix = match["suffix"] or ""
    own = {"k": 1000, "K": 1000, "M": 10**6, "B": 10**9, "bn": 10**9}.get(suffix, 1)
    counts = not suffix or own > 1
    unit, times, end = _behind(text, match.end()) if counts else ("", 1, match.end())
    if match["cur"]:
        unit = match["cur"]
    value = _plain(Decimal(digits) * own * times)
    written = text[match.start() : end]
    otherwise: tuple[Number, ...] = ()
    if suffix in _SIZES and not unit and times == 1:
        size = _plain(Decimal(digits))
        otherwise = (Number(match.start(), written, size, _SIZES[suffix], sign=sign),)
    return Number(match.start(), written, value, unit, sign=sign, otherwise=otherwise)


def _behind(text: str, at: int) -> tuple[str, int, int]:
    """The unit behind a number, what multiplies it, and where both end."""
    times = 1
    match = _UNIT.match(text, at)
    if match and match[1].lower() in _TIMES:
        times = _TIMES[match[1].lower()]
        at = match.end()
        match = _UNIT.match(text, at)
    if match:
        # Letters that are longer than what was matched are another word.
        following = text[match.end() : match.end() + 1]
        name = match[1] if match[1] in "%$€£¥" else match[1].lower()
        unit = _BINARY.get(match[1]) or _UNITS.get(name)
        if unit and not (following.isalnum() and name != "%"):
            return unit, times, match.end()
    return "", times, at


def _within_name(text: str, start: int, end: int) -> bool:
    """Is it part of a name, as in `utf8`, `gpt-4o`, `x2`, `#L3`?"""
    before = text[max(0, start - 2) : start]
    if _INSIDE.search(before):
        return True
    if before[-1:] in "-./" and before[:1].isalpha() and before[-1:] != "":
        return True
    after = text[end : end + 2]
    return after[:1] == "_" or (after[:1].isalpha() and not _UNIT.match(text, end))


def _plain(value: Decimal) -> str:
    """Without trailing zeros and exponent: 0.50 is 0.5, 1E3 is 1000."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
