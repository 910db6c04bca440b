"""Read untrusted TOML files within limits, and find the lines of their keys."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pincite.errors import ConfigError
from pincite.support.wrong_values import check_numbers

#: A file with all keys has 13 kB.
MOST_BYTES: Final = 128_000
#: The time of `tomllib` for `a.a.a = 1` is quadratic in the number of parts, and longer for such a
#: header. With these limits, the worst known file takes 1 to 2 s.
_MOST_DOTS: Final = 100
_DEEPEST: Final = 30
#: Lines and characters of a statement. Above, its line is not determined, because the time to find
#: its end is quadratic.
_MOST_LINES, _MOST_CHARS = 200, 20_000

KeyPath = tuple[str, ...]


def read_file(path: Path) -> str:
    """Return the text of a regular file of at most 128,000 bytes. Raises ConfigError."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device may never end
            raise ConfigError(f"{path} is not a file")
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    if len(raw) > MOST_BYTES:
        raise ConfigError(
            f"{path} has more than {MOST_BYTES:,} bytes, which is too large for a configuration"
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: {error}") from error


def parse(text: str, origin: str) -> dict[str, Any]:
    """Return the table of a TOML file. Raises ConfigError with `origin`, and with the line if it is
    known."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MOST_DOTS:
            raise ConfigError(
                f"{origin}: line {number} has more than {_MOST_DOTS} dots",
                hint="write the list on several lines",
            )
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise ConfigError(f"{origin}: tables or lists are nested too deep") from error
    except ValueError as error:  # also for a number with thousands of digits
        raise ConfigError(f"{origin}: {error}") from error
    level: list[Any] = [table]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in _inside(value)]
    if level:
        raise ConfigError(f"{origin}: tables or lists are nested more than {_DEEPEST} deep")
    try:
        check_numbers(table)
    except ConfigError as error:
        line_number = line_in(lines_of(text), error.at)
        where = f"{origin}:{line_number}" if line_number else origin
        raise ConfigError(f"{where}: {error.message}", hint=error.hint, at=error.at) from error
    return table


def _inside(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def lines_of(text: str) -> Mapping[KeyPath, int]:
    """Return the lines of keys and headers by path, without unknown ones. Entries of a list of
    tables count from 1: `("source", "1", "path")`. The text must be valid TOML."""
    found: dict[KeyPath, int] = {}
    for number, paths, _ in statements(text):
        for path in paths:
            found.setdefault(path, number)
    return found


def line_in(lines: Mapping[KeyPath, int], path: Sequence[str]) -> int | None:
    """Return the line of a key, or of the first key in a table, or of a value that contains the
    key; None if unknown."""
    inside = [number for key, number in lines.items() if key[: len(path)] == tuple(path)]
    if inside:
        return min(inside)
    return next(
        (lines[above] for n in range(len(path) - 1, 0, -1) if (above := tuple(path[:n])) in lines),
        None,
    )


def statements(text: str) -> Iterator[tuple[int, tuple[KeyPath, ...], str]]:
    """Yield each header, key, comment and empty line of valid TOML: its first line, the paths that
    it sets, and its text. Ends early at a statement that is too long.

    A statement is the smallest number of lines that is valid TOML by itself.
    """
    header: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    held: list[str] = []
    start = 1
    for number, line in enumerate(re.split(r"\r?\n", text), 1):
        held.append(line)
        chunk = "\n".join(held)
        if len(held) > _MOST_LINES or len(chunk) > _MOST_CHARS:
            return
        try:
            table = tomllib.loads(chunk)
        except ValueError:
            continue
        if chunk.lstrip().startswith("["):
            (header,) = _headers(table)
            if chunk.lstrip().startswith("[["):
                counts[header] = counts.get(header, 0) + 1
                header = (*header, str(counts[header]))
            paths: tuple[KeyPath, ...] = (header,)
        else:
            paths = tuple((*header, *path) for path in leaves(table))
        yield start, paths, chunk
        held, start = [], number + 1


def leaves(table: Mapping[str, Any]) -> Iterator[KeyPath]:
    """Yield the paths of all values except tables with keys."""
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            for rest in leaves(value):
                yield (key, *rest)
        else:
            yield (key,)


def _headers(table: Mapping[str, Any]) -> list[KeyPath]:
    path: list[str] = []
    inner: Any = table
    while isinstance(inner, Mapping) and inner:
        ((key, inner),) = inner.items()
        path.append(key)
    return [tuple(path)]
