"""Lines of reports and of the catalog about files that were left out or noted."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

#: Codes of files whose content could not be had: no permission, damaged or half written, over a
#: time limit, without their extractor. Another attempt may succeed.
NOT_READ: Final = frozenset({"unreadable", "failed", "timed_out", "no_extractor"})

_BRACKETS = str.maketrans("()", "[]")


def line_of(code: str, path: str, detail: str = "") -> str:
    """Return the line of a file: `code: path (detail)`. Brackets that a detail does not close are
    made square, so that the line tells where its path ends."""
    if not detail:
        return f"{code}: {path}"
    return f"{code}: {path} ({detail if _is_closed(detail) else detail.translate(_BRACKETS)})"


def _is_closed(text: str) -> bool:
    depth = 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return False
    return not depth


def code_of(line: str) -> str:
    """Return the code in a line."""
    return line.partition(": ")[0]


def path_of(line: str) -> str:
    """Return the path in a line. Brackets in its detail are expected to be closed."""
    path = line.partition(": ")[2]
    depth = 0
    for place in range(len(path) - 1, 0, -1) if path.endswith(")") else ():
        depth += (path[place] == ")") - (path[place] == "(")
        if not depth:
            return path[: place - 1] if path[place - 1] == " " else path
    return path


def detail_of(line: str) -> str:
    """Return the detail in a line, "" if it has none."""
    rest = line[len(code_of(line)) + 2 + len(path_of(line)) :]
    return rest[2:-1]


def is_of(line: str, path: str) -> bool:
    """Return whether a line is about the file at this path, or about a file in a folder at this
    path. "" matches every line."""
    said = line.partition(": ")[2]
    return not path or path in (said, path_of(line)) or said.startswith(f"{path}/")


def lies_in(path: str, part: str) -> bool:
    """Return whether a path, or a part, lies within a part of a source. A folder ends in a slash;
    "" is the whole source."""
    return not part or path == part or (part.endswith("/") and path.startswith(part))


def outer_parts(parts: Collection[str]) -> tuple[str, ...]:
    """Return the parts that lie in no other part, in order of path. Each of them is listed by
    itself."""
    found: list[str] = []
    for part in sorted(parts):  # a folder comes before what is in it
        if not (found and lies_in(part, found[-1])):
            found.append(part)
    return tuple(found)
