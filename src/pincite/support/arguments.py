"""Arguments of callers: what is of the wrong kind is refused with what would be right."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

from pincite.errors import UsageError

_SHOWN = 60
_MOST = 1e12


def require_kind(name: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    """Raises UsageError for a value of another type."""
    if not isinstance(value, kind):
        raise UsageError(f"{name} is {shown(value)}; it takes {wanted}")


def require_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Raises UsageError that lists what there is, and names what was perhaps meant."""
    if isinstance(value, str) and value in known:
        return
    close = get_close_matches(value, known, n=1) if isinstance(value, str) else []
    raise UsageError(
        f"{name} is {shown(value)}; it takes one of {', '.join(map(repr, known))}",
        hint=f"{name}={close[0]!r}" if close else "",
    )


def require_count(name: str, value: object, *, least: int = 1, most: int) -> None:
    """Raises UsageError unless it is a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(
            f"{name} is {shown(value)}; it takes a whole number from {least} to {most:,}"
        )


def require_number(name: str, value: object, *, above: float, unit: str) -> None:
    """Raises UsageError unless it is None or a finite number above that one."""
    if value is None:
        return
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else above
    if not above < number <= _MOST:  # NaN is not either
        raise UsageError(f"{name} is {shown(value)}; it takes {unit} above {above:g}, or None")


def texts_of(name: str, value: object) -> tuple[str, ...]:
    """Several texts: those of an iterable, or one where a text stands in place of several. Raises
    UsageError for anything else."""
    return tuple(str(one) for one in _several(name, value, "texts", str))


def locations_of(name: str, value: object) -> tuple[str | Path, ...]:
    """As `texts_of`, of texts and paths. An empty text is no location."""
    found = _several(name, value, "paths", (str, PathLike))
    if "" in found:
        raise UsageError(f"{name} has an empty text in it", hint="'.' for the current folder")
    places = tuple(one if isinstance(one, str) else Path(os.fsdecode(one)) for one in found)
    for one in places:
        if "\0" in str(one):
            raise UsageError(f"{name} has {shown(one)} in it, which cannot be a path")
    return places


def require_known(what: str, names: Iterable[str], known: Sequence[str]) -> None:
    """Raises UsageError for the first name that is none of those."""
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            raise UsageError(
                f"{what} takes no {name!r}; there are {', '.join(known)}",
                hint=f"{close[0]}=..." if close else "",
            )


def shown(value: object) -> str:
    """The value as it is written in a program, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - it is what a caller gave; it is named all the same
        text = f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _several(name: str, value: object, what: str, kinds: Any) -> tuple[Any, ...]:
    if isinstance(value, kinds):
        return (value,)
    if not isinstance(value, Iterable) or isinstance(value, bytes | bytearray | Mapping):
        raise UsageError(f"{name} is {shown(value)}; it takes one or several {what}")
    found = tuple(value)
    for one in found:
        if not isinstance(one, kinds):
            raise UsageError(f"{name} has {shown(one)} in it; it takes {what}")
    return found
