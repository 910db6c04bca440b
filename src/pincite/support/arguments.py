"""Check the arguments of callers and name valid values in errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from pincite.errors import UsageError
from pincite.support.drives import has_drive

T = TypeVar("T")

_SHOWN = 60
_MOST = 1e12


def require_kind(name: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    """Raise UsageError for a value of another type."""
    if not isinstance(value, kind):
        raise UsageError(f"{name} is {shown(value)}; it takes {wanted}")


def require_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Raise UsageError for an unknown value, with the known values and the most similar one."""
    if isinstance(value, str) and value in known:
        return
    close = get_close_matches(value, known, n=1) if isinstance(value, str) else []
    raise UsageError(
        f"{name} is {shown(value)}; it takes one of {', '.join(map(repr, known))}",
        hint=f"{name}={close[0]!r}" if close else "",
    )


def require_count(name: str, value: object, *, least: int = 1, most: int) -> None:
    """Raise UsageError unless the value is an integer from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UsageError(
            f"{name} is {shown(value)}; it takes a whole number from {least} to {most:,}"
        )


def require_function(name: str, value: object) -> None:
    """Raise UsageError for a value that cannot be called."""
    if not callable(value):
        raise UsageError(f"{name} is {shown(value)}; it takes a function")


def progress_of(value: Callable[[T], None] | None) -> Callable[[T], None]:
    """Return the callback for progress; for None, a function that ignores it. Raises UsageError for
    other values."""
    if value is None:
        return _ignore
    require_function("progress", value)
    return value


def _ignore(_: object) -> None: ...


def require_folder(name: str, value: object) -> None:
    """Raise UsageError unless the value is None or an absolute path as text."""
    if value is None:
        return
    wanted = "the absolute path of a folder as text, or None"
    require_kind(name, value, str, wanted)
    if "\0" in str(value) or not (str(value).startswith("/") or has_drive(str(value))):
        raise UsageError(f"{name} is {shown(value)}; it takes {wanted}")


def require_number(name: str, value: object, *, above: float, unit: str) -> None:
    """Raise UsageError unless the value is None or a finite number greater than `above`."""
    if value is None:
        return
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else above
    if not above < number <= _MOST:  # also refuses NaN
        raise UsageError(f"{name} is {shown(value)}; it takes {unit} above {above:g}, or None")


def texts_of(name: str, value: object) -> tuple[str, ...]:
    """Return the texts of an iterable, or a single text as a tuple. Raises UsageError for other
    values."""
    return tuple(str(one) for one in _several(name, value, "texts", str))


def locations_of(name: str, value: object) -> tuple[str | Path, ...]:
    """Return texts and paths as `texts_of` does. Raises UsageError also for an empty text."""
    found = _several(name, value, "paths", (str, PathLike))
    if "" in found:
        raise UsageError(f"{name} has an empty text in it", hint="'.' for the current folder")
    places = tuple(one if isinstance(one, str) else Path(os.fsdecode(one)) for one in found)
    for one in places:
        if "\0" in str(one) or not _is_encodable(str(one)):
            raise UsageError(f"{name} has {shown(one)} in it, which is not a valid path")
    return places


def _is_encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def require_known(what: str, names: Iterable[str], known: Sequence[str]) -> None:
    """Raise UsageError for the first name that is not in `known`."""
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            raise UsageError(
                f"{what} does not take {name!r}; known names: {', '.join(known)}",
                hint=f"{close[0]}=..." if close else "",
            )


def shown(value: object) -> str:
    """Return the value in Python syntax, cut if it is long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - the value may have a failing `__repr__`
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
