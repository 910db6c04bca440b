"""Convert values of other libraries to types of Python."""

from __future__ import annotations

import sys
from datetime import date, datetime
from decimal import Decimal
from typing import Any

_OWN = frozenset((str, int, float, bool, date, datetime, list, tuple, type(None)))


def plain(value: object) -> object:
    """Return the value as a type of Python. Converted are numbers, texts, times and lists of numpy,
    decimals (to floats), sets of texts (sorted), members of enumerations of texts or numbers, and
    times of pandas. Missing values, `NaT` or `NA`, become None. Other values are returned
    unchanged."""
    if type(value) in _OWN:
        return value
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    numpy: Any = sys.modules.get("numpy")  # if it is not imported, no value is from it
    if numpy is not None and isinstance(value, (numpy.generic, numpy.ndarray)):
        return _of_numpy(value, numpy)
    if isinstance(value, datetime):
        clock = (value.hour, value.minute, value.second, value.microsecond, value.tzinfo)
        return datetime(value.year, value.month, value.day, *clock, fold=value.fold)
    if isinstance(value, Decimal):
        return float(value) if not value.is_snan() else float("nan")
    if isinstance(value, (set, frozenset)) and all(isinstance(one, str) for one in value):
        return sorted(str.__str__(one) for one in value)
    if isinstance(value, str):
        return str.__str__(value)
    return int(value) if isinstance(value, int) else value


def _of_numpy(value: Any, numpy: Any) -> object:
    if isinstance(value, numpy.ndarray):
        return [plain(one) for one in value.tolist()] if value.ndim == 1 else value
    if isinstance(value, numpy.datetime64):
        if numpy.isnat(value):
            return None
        days = numpy.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D")
        held = value.astype("datetime64[D]" if days else "datetime64[us]").item()
        return held if isinstance(held, date) else value  # beyond the years of Python
    held = value.item()
    return value if isinstance(held, numpy.generic) else held
