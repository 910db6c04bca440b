"""Split digits and commas into numbers: `1,000` is one, `10,404,5` are three. For `404,500`, the
words around it decide.
"""

from __future__ import annotations

import re
from typing import Final

SEPARATORS: Final = ".,'’"  #: between the digits of a run
#: Groups of thousands, also with a decimal point or comma; Indian groups; and one decimal comma.
_ONE: Final = re.compile(
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:(['’])\d{3})(?:\1\d{3})*(?:[.,]\d+)?"
    r"|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?|\d+,\d+"
)
_THREE: Final = r"[1-9]\d\d"  # digits as of a code or a port
_CODES: Final = re.compile(rf"{_THREE}(?:,{_THREE}){{2,}}")
_TWO_CODES: Final = re.compile(rf"{_THREE}(?:,{_THREE})+")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
#: Words before several codes, or several places in a text: `retry_on: 429,503`, "pages 3,4".
_OF_CODES: Final = re.compile(
    r"(?:\b|_)(?:codes?|status(?:es)?|ports?|http|retry_on)[\"'`]?\s?[:=]?\s?[\"'`]?\Z",
    re.IGNORECASE,
)
_OF_PLACES: Final = re.compile(
    r"\b(?:pages?|pp\.|lines|steps|figures|figs\.|tables|chapters|sections|columns|rows|versions"
    r"|seiten|zeilen|kapitel)\s\Z",
    re.IGNORECASE,
)
_OPENS: Final = re.compile(r"(?:[\[{]|\w\()\Z")
_BETWEEN: Final = re.compile(r"[,'’]+|\.{2,}")


def numbers_of(run: str, before: str, after: str) -> list[tuple[int, int]]:
    """Return the begin and end of each number in a run of digits and `SEPARATORS`. If it may be one
    or several, some characters before and after the run decide. Time linear in the run."""
    inner = run.strip(SEPARATORS)
    start = len(run) - len(run.lstrip(SEPARATORS))
    if not inner:
        return []
    one = _ONE.fullmatch(inner) and not _CODES.fullmatch(inner)
    if one and not is_list(run, before, after):
        return [(start, start + len(inner))]
    found, at = [], 0
    for between in _BETWEEN.finditer(inner):
        found.append((start + at, start + between.start()))
        at = between.end()
    return [*found, (start + at, start + len(inner))]


def is_list(run: str, before: str, after: str) -> bool:
    """Return whether brackets, cells or words around a run of digits show that its commas separate
    numbers. For a number with thousands such as `1,000`, words are not enough."""
    if "," not in run:
        return False
    if run.startswith(",") or (run.endswith(",") and after[:1].isalnum()):
        return True
    if after[:1] in tuple(")]}") and _OPENS.search(before):
        return True
    inner = run.strip(SEPARATORS)
    if _TWO_CODES.fullmatch(inner):
        return _OF_CODES.search(before) is not None
    return not _THOUSANDS.fullmatch(inner) and _OF_PLACES.search(before) is not None
