"""Numbers in words: `twenty-five`, `half a million`, `one hundred and twenty`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from pincite.answering.check.numbers.units import SCALES

_WORDS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
).split()
_ORDINALS: Final = "first second third fourth fifth sixth seventh eighth ninth".split()
_HALF: Final = Decimal("0.5")
_VALUES: Final[Mapping[str, int | Decimal]] = MappingProxyType(
    dict[str, int | Decimal](zip(_WORDS, range(len(_WORDS)), strict=True))
    | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80}
    | {"ninety": 90, "once": 1, "twice": 2, "thrice": 3, "half": _HALF}
    | {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7}
    | {"eighth": 8, "ninth": 9, "tenth": 10}
)
#: After other numbers, `second` is a unit.
_ONES: Final = "|".join((*_WORDS[1:10], *(one for one in _ORDINALS if one != "second")))
_TENS: Final = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_TENS_ONES: Final = rf"(?:{_TENS})[\s-](?:{_ONES})"
_SCALES: Final = "thousand|million|billion|trillion"
#: `a hundred`, `half a million`.
_ARTICLE: Final = rf"(?:half(?:[\s-]an?)?|an?)(?=[\s-](?:hundred|dozen|{_SCALES})\b)"
_BELOW: Final = rf"(?:{_ARTICLE}|(?:{_TENS_ONES}|dozen|{'|'.join(_VALUES)})\b)"
_REST: Final = rf"(?>(?:{_TENS_ONES}|{_ONES}|{'|'.join(_WORDS[10:])}|tenth|{_TENS})\b)"
#: In "one hundred and two hundred", the end is another number.
_HUNDREDS: Final = (
    rf"{_BELOW}(?:[\s-](?:dozen|hundred)\b(?:(?:\sand)?\s{_REST}(?![\s-](?:hundred|dozen)\b))?)?"
)
#: Possibly several numbers, as in "one million and two million".
_SPELLED: Final = re.compile(
    rf"\b{_HUNDREDS}(?:[\s-](?:{_SCALES})\b(?:(?:\sand)?\s{_HUNDREDS})?){{0,4}}"
)
_SCALE: Final = re.compile(_SCALES)
#: "five hundred and six thousand" may be one number or two.
_TWO: Final = re.compile(rf"\s(?P<and>and\s){_REST}[\s-](?:{_SCALES})\b")
_SECOND: Final = re.compile(rf"\b(?:{_TENS})[\s-]second\b")
_WORD: Final = re.compile(r"[a-z]+")
_AND_HALF: Final = re.compile(r"\sand\sa\shalf\b")
_SMALL: Final = str.maketrans({chr(one): chr(one + 32) for one in range(ord("A"), ord("Z") + 1)})


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words at `text[start:end]`, and the numbers of another possible reading."""

    start: int
    end: int
    value: Decimal
    otherwise: tuple[Decimal, ...] = ()


def small(text: str) -> str:
    """Return the text with A to Z in lower case. Other letters stay, such as the ſ that
    case-insensitive patterns take for an s, and so does the length."""
    return text.translate(_SMALL)


def spelled_in(text: str) -> Iterator[Spelled]:
    """Yield the numbers in words of a text, which must be `small`. Takes time linear in the
    text."""
    for match in _SPELLED.finditer(text):
        for start, end in _apart(match[0], match.start()):
            yield _spelled(text, start, end)


def with_half(text: str, at: int) -> int:
    """Return the end of "and a half" if it is at this position, otherwise the position."""
    match = _AND_HALF.match(text, at)
    return match.end() if match else at


def _apart(words: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each number in these words, which begin at `at`. "one million
    and two million" are two numbers, because a scale must be smaller than the one before it."""
    start = end = 0  # of the number, and end of its part with a scale
    last = 0
    for match in _SCALE.finditer(words):
        scale = SCALES[match[0]]
        alone = words[end : match.start()].isspace()  # "thousand million"
        if last and scale >= last and not alone:
            yield at + start, at + end
            start = end + 1
            if words[start : start + 4] == "and ":
                start += 4
        last, end = scale, match.end()
    yield at + start, at + len(words)


def _spelled(text: str, start: int, end: int) -> Spelled:
    words = text[start:end]
    value = _value(words)
    half = with_half(text, end)
    if half > end:
        return Spelled(start, half, value + _HALF)
    if two := _TWO.search(words):
        at = two.start("and")
        return Spelled(start, end, value, (_value(words[:at]), _value(words[at:])))
    second = _SECOND.search(text, start, end + 8)  # 22nd, or 20 seconds
    return Spelled(start, end, value, (value + 2,) if second and second.end() > end else ())


def _value(words: str) -> Decimal:
    whole = part = Decimal(0)
    for word in _WORD.findall(words):
        if word in _VALUES:
            part += _VALUES[word]
        elif word in ("a", "an"):
            part = part or Decimal(1)
        elif word == "hundred":
            part *= 100
        elif word == "dozen":
            part = (part or Decimal(1)) * 12
        elif word in SCALES:
            whole, part = whole + part * SCALES[word] if part else whole * SCALES[word], Decimal(0)
    return whole + part
