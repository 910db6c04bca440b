"""Time limits of settings, which may be infinite. JSON has no infinity: msgspec writes null."""

from __future__ import annotations

import re
from math import inf
from typing import Any, Final, TypeVar

import msgspec

from pincite.support.decodable import ready

T = TypeVar("T")

#: The ends of keys of limits in seconds, for which inf means none.
LIMITS: Final = ("timeout_s", "deadline_s", "answerable_s")
_DEEPEST: Final = 4  # `stamp.profile.retrieve.timeout_s`
_NO_LIMIT: Final = re.compile(rb'(?:timeout|deadline|answerable)_s"\s*:\s*null')


def decode_settings(raw: bytes, kind: type[T]) -> T:
    """Return the value of a JSON text that has settings, as a run or an event of the log does.
    A time limit that is null there is infinite. Raises msgspec.DecodeError."""
    if not _NO_LIMIT.search(raw):
        return msgspec.json.decode(raw, type=ready(kind))
    values = _with_limits(msgspec.json.decode(raw), _DEEPEST)
    return msgspec.convert(values, ready(kind), str_keys=True)


def _with_limits(value: Any, depth: int) -> Any:
    if not isinstance(value, dict) or not depth:
        return value
    return {
        key: inf if inner is None and key.endswith(LIMITS) else _with_limits(inner, depth - 1)
        for key, inner in value.items()
    }
