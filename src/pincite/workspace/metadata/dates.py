"""Find the dates in a text, in forms with a single meaning: `03/04/2024` is ambiguous and
skipped."""

from __future__ import annotations

import re
from datetime import date
from itertools import islice
from typing import Final

_MOST: Final = 20  # guess, unmeasured
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        """january jan januar janvier enero|february feb februar février febrero|
        march mar märz mars marzo|april apr avril abril|may mai mayo|june jun juni juin junio|
        july jul juli juillet julio|august aug août agosto|
        september sep sept septembre septiembre|october oct oktober okt octobre octubre|
        november nov novembre noviembre|december dec dezember dez décembre diciembre""".split("|"),
        start=1,
    )
    for name in names.split()
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE: Final = re.compile(
    rf"""(?<![\w.\-/])(?:
    (?P<y1>\d{{4}})([-/.])(?P<m1>\d{{1,2}})\2(?P<d1>\d{{1,2}})(?=T\d|[^\w/\-]|$)
    |(?P<d2>\d{{1,2}})\.\ ?(?P<m2>\d{{1,2}})\.\ ?(?P<y2>\d{{4}})(?![\w/\-])
    |(?P<d3>\d{{1,2}})(?:st|nd|rd|th|\.)?\ (?:de\ |of\ )?(?P<m3>{_MONTH})\.?,?\ (?:de\ )?
     (?P<y3>\d{{4}})(?!\w)
    |(?P<m4>{_MONTH})\.?\ (?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?\ (?P<y4>\d{{4}})(?!\w)
    )""",
    re.I | re.X,
)
_IN_NAME: Final = re.compile(r"(?<!\d)((?:19|20)\d{2})([-_.]?)(\d{2})\2(\d{2})(?!\d)")


def dates_of(filename: str, text: str) -> tuple[tuple[str, ...], str]:
    """Return at most `_MOST` dates as `2024-05-31` without duplicates, those of the file name
    first, then in the order of the text. The second value is the origin of the first date:
    `filename` or `text`."""
    found: dict[str, None] = {}
    for match in _IN_NAME.finditer(filename):
        _add(found, match[1], match[3], match[4])
    named = bool(found)
    for match in islice(_DATE.finditer(text), 1_000):
        part = {key[0]: value for key, value in match.groupdict().items() if value}
        month = str(_MONTHS.get(part["m"].lower(), part["m"]))
        _add(found, part["y"], month, part["d"])
    return tuple(found)[:_MOST], "filename" if named else "text"


def _add(found: dict[str, None], year: str, month: str, day: str) -> None:
    try:
        known = date(int(year), int(month), int(day))
    except ValueError:
        return  # 2024-13-45 is not a date
    if 1_000 <= known.year < 2_200:
        found[known.isoformat()] = None
