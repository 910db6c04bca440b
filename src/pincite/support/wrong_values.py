"""Error messages for wrong keys and values of a table, with their place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from math import inf
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec

from pincite.errors import ConfigError
from pincite.support.decodable import ready
from pincite.support.fields import field_names
from pincite.support.time_limits import LIMITS

_PLACE: Final = re.compile(r" - at `\$([^`]*)`$")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]")
#: TOML has integers of 64 bits, and no valid value is outside.
_LEAST: Final = -(2**63)
_MOST: Final = 2**63 - 1
_LIMIT_DEPTH: Final = 3  # providers.NAME.deadline_s, but no key in the body of its requests


def path_of(error: msgspec.ValidationError) -> tuple[str, ...]:
    """Return the path of the wrong value as far as the error has it. Entries of lists count from
    1."""
    found = _PLACE.search(str(error))
    steps: list[str] = []
    position = 0
    while found and (step := _STEP.match(found[1], position)):
        steps.append(step[1] or str(int(step[2]) + 1))
        position = step.end()
    return tuple(steps)


def check_numbers(values: object) -> None:
    """Raise ConfigError for a number in nested tables, lists or structs that is not finite or that
    has more than 64 bits. A time limit may be infinite. The error names the key, and has the path
    as `at`. Entries of lists count from 1."""
    for path, number in _numbers(values, ()):
        if number == inf and len(path) <= _LIMIT_DEPTH and path[-1].endswith(LIMITS):
            continue
        if not _LEAST <= number <= _MOST:  # also of nan, which is not comparable
            said = str(number) if isinstance(number, float) else "outside of 64 bits"
            raise ConfigError(
                f"{'.'.join(path)} is {said}; it takes a finite number of 64 bits",
                hint="write another number, or remove the key for its default",
                at=path,
            )


def blamed(values: Mapping[str, Any], kind: type, error: ConfigError) -> tuple[str, ...]:
    """Return the path of the first key whose removal from a table of this type removes this error;
    empty if there is none."""
    for key in values:
        others = {name: one for name, one in values.items() if name != key}
        try:
            msgspec.convert(others, ready(kind))
        except ConfigError as other:
            if str(other) == str(error):
                continue
        except msgspec.ValidationError:
            continue  # the key is required
        return (key,)
    return ()


def said_of(error: msgspec.ValidationError, kind: Any, within: tuple[str, ...] = ()) -> str:
    """Return the message for a wrong value, with its key; if it takes one of few values, with
    these. `kind` is the type of the table and `within` its path."""
    hint = kind
    for step in path_of(error):
        if step.isdecimal():
            hint = next(iter(get_args(hint)), None)
        else:
            hint = get_type_hints(hint).get(step) if isinstance(hint, type) else None
    values = _choices(hint) if "enum" in str(error) else []
    key = ".".join((*within, *path_of(error)))
    said = f"{key}: {_PLACE.sub('', str(error))}" if key else str(error)
    return f"{said}; one of: {', '.join(values)}" if values else said


def closest_first(name: str, known: Iterable[str]) -> str:
    """Return all known names in one text: the most similar one, then the others in their order."""
    names = tuple(known)
    return ", ".join(dict.fromkeys((*get_close_matches(name, names, n=1), *names)))


def _numbers(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
    if isinstance(value, (int, float)):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers(inner, (*path, key))
    elif isinstance(value, (list, tuple)):
        for position, inner in enumerate(value, 1):
            yield from _numbers(inner, (*path, str(position)))
    elif not isinstance(value, str):
        for name in field_names(type(value)):
            inner = getattr(value, name)
            if not isinstance(inner, (str, bool)):  # most of them
                yield from _numbers(inner, (*path, name))


def _choices(hint: Any) -> list[str]:
    if get_origin(hint) is Literal:
        return [str(one) for one in get_args(hint) if one != ""]
    return [value for one in get_args(hint) for value in _choices(one)]
