"""What is wrong with a key or a value of a table, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec

_PLACE: Final = re.compile(r" - at `\$([^`]*)`$")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]")


def path_of(error: msgspec.ValidationError) -> tuple[str, ...]:
    """Return the path of the wrong value as far as the error tells it. Entries of lists count
    from 1."""
    found = _PLACE.search(str(error))
    steps: list[str] = []
    position = 0
    while found and (step := _STEP.match(found[1], position)):
        steps.append(step[1] or str(int(step[2]) + 1))
        position = step.end()
    return tuple(steps)


def said_of(error: msgspec.ValidationError, kind: Any) -> str:
    """Return the error of a value of this type; of a value among a few, with these."""
    hint = kind
    for step in path_of(error):
        if step.isdecimal():
            hint = next(iter(get_args(hint)), None)
        else:
            hint = get_type_hints(hint).get(step) if isinstance(hint, type) else None
    values = _choices(hint) if "enum" in str(error) else []
    return f"{error}; one of: {', '.join(values)}" if values else str(error)


def closest_first(name: str, known: Iterable[str]) -> str:
    """Return all known names in one text: the most similar one, then the others in their order."""
    names = tuple(known)
    return ", ".join(dict.fromkeys((*get_close_matches(name, names, n=1), *names)))


def _choices(hint: Any) -> list[str]:
    if get_origin(hint) is Literal:
        return [str(one) for one in get_args(hint) if one != ""]
    return [value for one in get_args(hint) for value in _choices(one)]
