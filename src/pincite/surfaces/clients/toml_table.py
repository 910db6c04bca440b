"""Add a table at the end of a TOML file, or remove it, and leave the rest unchanged."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import accumulate
from typing import Any

from pincite.settings.file.toml_text import assignment, dotted
from pincite.surfaces.clients.jsonc import Malformed, newline_of

_WHERE = re.compile(r"\(at line (?P<line>[0-9]+), column [0-9]+\)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_HEADER = re.compile(r"[ \t]*\[")


def parse(text: str) -> dict[str, Any]:
    """Parse a TOML text. Raises Malformed."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        where = _WHERE.search(str(error))
        line = int(where["line"]) if where else text.count("\n") + 1
        raise Malformed(line, _WHERE.sub("", str(error)).strip()) from error
    except RecursionError as error:
        raise Malformed(1, "it is nested too deeply") from error


def set_value(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """Return the text with this table at its end. An existing table is replaced at its place, and a
    text with an equal table is returned unchanged. Raises Malformed if the table cannot be replaced
    without changing the rest."""
    held = _held(parse(text), path)
    if held == value:
        return text
    if held is not None:
        span = _span(text, path)
        if span is None:
            raise Malformed(1, f"{'.'.join(path)} is not written as a table of its own")
        end = newline_of(text)
        kept = text[span[1] :]
        return text[: span[0]] + _table(path, value, end) + (end if kept.strip() else "") + kept
    newline = newline_of(text)
    joined = text
    if text.strip("\ufeff \t\r\n"):
        joined += ("" if text.endswith("\n") else newline) + newline
    return joined + _table(path, value, newline)


def remove(text: str, path: Sequence[str]) -> str:
    """Return the text without the table, unchanged if there is none. Raises Malformed as
    `set_value`."""
    if _held(parse(text), path) is None:
        return text
    span = _span(text, path)
    if span is None:
        raise Malformed(1, f"{'.'.join(path)} is not written as a table of its own")
    before, after = text[: span[0]], text[span[1] :]
    if not after.strip() and before.strip():
        before = before.rstrip("\r\n") + newline_of(text)
    return before + after


def _held(data: Mapping[str, Any], path: Sequence[str]) -> Any:
    held: Any = data
    for key in path:
        if not isinstance(held, Mapping) or key not in held:
            return None
        held = held[key]
    return held


def _table(path: Sequence[str], value: Mapping[str, Any], newline: str) -> str:
    lines = [f"[{dotted(path)}]", *(assignment(key, held) for key, held in value.items())]
    return "".join(f"{line}\n" for line in lines).replace("\n", newline)


def _span(text: str, path: Sequence[str]) -> tuple[int, int] | None:
    """Return the span of the table and its subtables, from its header to the header of another
    table. None if the text without this span would differ in other content."""
    lines = _LINE.findall(text)
    starts = [0, *accumulate(map(len, lines))]
    names = [_name_of(line) if _HEADER.match(line) else None for line in lines]
    ours = [name is not None and name[: len(path)] == tuple(path) for name in names]
    expected = parse(text)
    holder = expected
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    for first in (at for at, is_ours in enumerate(ours) if is_ours):  # may be in a string
        others = (at for at in range(first, len(lines)) if names[at] is not None and not ours[at])
        last = next(others, None)
        end = len(lines) if last is None else last
        while last is not None and end > first + 1 and lines[end - 1].lstrip().startswith("#"):
            end -= 1  # comments above the next header belong to that header
        try:
            left = parse(text[: starts[first]] + text[starts[end] :])
        except Malformed:
            continue
        if _same(left, deepcopy(expected), path[:-1]):
            return starts[first], starts[end]
    return None


def _same(left: dict[str, Any], expected: dict[str, Any], path: Sequence[str]) -> bool:
    """Return whether two contents are equal; a table that contained only ours may be missing."""
    if left == expected:
        return True
    if not path:
        return False
    holder = expected
    for key in path[:-1]:
        holder = holder[key]
    if holder.get(path[-1]) != {}:
        return False
    del holder[path[-1]]
    return _same(left, expected, path[:-1])


def _name_of(line: str) -> tuple[str, ...] | None:
    """Return the keys of a header, None for a line that is not a valid header."""
    try:
        data: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return None
    keys: list[str] = []
    while isinstance(data, dict) and len(data) == 1:
        (key,) = data
        keys.append(key)
        data = data[key]
        if isinstance(data, list):
            data = data[0] if data else None
    return tuple(keys)
