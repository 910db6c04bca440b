"""Values of digits with separators: 1,000 is 1000; 2,5 is 2.5; German 1.500 is 1500."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from pincite.answering.check.numbers.languages import Language

_NONE: Final = re.compile("['’_ \u00a0\u2009\u202f]")
#: Groups of thousands, and Indian groups.
GROUPS: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d\d)+,\d{3}")
_DOTTED: Final = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_MARK: Final = re.compile("[.,]")
#: Possibly several numbers of three digits: 429,500,502.
_CODES: Final = re.compile(r"[1-9]\d\d(?:(?:,[1-9]\d\d){2,}|(?:[ \u00a0][1-9]\d\d)+)")


def readings_of(
    digits: str, language: Language, *, listed: bool = False
) -> tuple[Decimal, tuple[Decimal, ...]]:
    """Return the value of digits with separators, and the values of the other possible reading: one
    value, or those of a list. `listed` means that groups of three digits may be a list. Takes time
    linear in the digits."""
    bare = _NONE.sub("", digits)
    parts = tuple(Decimal(one) for one in _MARK.split(_NONE.sub(",", digits)) if one)
    if _CODES.fullmatch(digits) or (listed and GROUPS.fullmatch(bare)):
        return Decimal(_MARK.sub("", bare)), parts
    marks = _MARK.findall(bare)
    if len(set(marks)) == 2:  # the last one is before decimals
        *whole, decimals = _MARK.split(bare)
        return Decimal(f"{''.join(whole)}.{decimals}"), ()
    if GROUPS.fullmatch(bare):
        small = language == "comma" and len(marks) == 1
        return Decimal(bare.replace(",", "")), (parts[0] + parts[1] / 1000,) if small else ()
    if marks == [","]:
        return Decimal(bare.replace(",", ".")), parts if language != "comma" else ()
    if len(marks) > 1:
        return Decimal(_MARK.sub("", bare)), ()
    large = language == "comma" and _DOTTED.fullmatch(bare)
    return Decimal(bare.replace(".", "") if large else bare), ()


def plain(value: Decimal) -> str:
    """Return a value without trailing zeros and exponent: 0.50 is 0.5, 1E3 is 1000."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
