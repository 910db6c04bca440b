"""Tell declarations from definitions, and constructors from their classes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Set

from pincite.model import Chunk
from pincite.support.names import last_component

NO_NAMES: Set[str] = frozenset()
_OF_C = ("c", "cpp", "objective_c")
#: Languages whose constructors have the name of their class.
_NAMED_LIKE_CLASS = ("cpp", "c_sharp", "java", "dart")
#: A name, perhaps with the parenthesis behind it, or with what defines it in front of it.
_NAMED = (
    r"(?:(?P<macro>#[ \t]*define[ \t]+)|(?P<type>\b(?:class|struct|union|enum)"
    r"(?:\s+(?:class|[A-Z][A-Z0-9_]*(?:\([^()\n]{{0,80}}\))?)){{0,3}}\s+))?"
    r"(?<![\w~>.]){}(?!\w)(?:\s*(?P<opened>\())?"
)
_PARENTHESIS = re.compile(r"[()]")
_END = re.compile(r"[;{}]")


def only_declares(chunk: Chunk, names: Iterable[str], constructors: Set[str] = NO_NAMES) -> bool:
    """Return whether a passage of C, C++ or Objective-C declares functions of these names without
    their bodies: each time, `;` follows the parameters. False for macros, and for types but those
    whose `constructors` are asked for. Takes time nearly linear in the length of the text."""
    if chunk.language not in _OF_C:
        return False
    text = chunk.text
    opened: list[int] = []
    for name in names:
        pattern = re.compile(_NAMED.format(re.escape(name)))
        for found in pattern.finditer(text):
            if found["macro"] or (found["type"] and name not in constructors):
                return False
            if found["opened"]:
                opened.append(found.start("opened"))
    closed = _closed(text) if opened else {}
    ends = [found.start() for found in _END.finditer(text)] if opened else []
    return bool(opened) and all(
        _end(text, ends, closed.get(start, len(text))) == ";" for start in opened
    )


def _closed(text: str) -> dict[int, int]:
    """Return the place of the closing parenthesis for that of each opening one."""
    closed: dict[int, int] = {}
    stack: list[int] = []
    for found in _PARENTHESIS.finditer(text):
        if found[0] == "(":
            stack.append(found.start())
        elif stack:
            closed[stack.pop()] = found.start()
    return closed


def _end(text: str, ends: list[int], place: int) -> str:
    """Return the first `;` or brace behind this place, "" if there is none."""
    following = bisect_left(ends, place)
    return text[ends[following]] if following < len(ends) else ""


def is_constructor(chunk: Chunk) -> bool:
    """Return whether the passage is a constructor of C++. It is often in another file than its
    class."""
    last = [last_component(name) for name in chunk.headings[-2:]]
    return chunk.language == "cpp" and len(last) == 2 and last[0] == last[1]


def lacks_constructor(chunk: Chunk, constructors: Set[str]) -> bool:
    """Return whether the question asks for these constructors (`Shop::Shop`), and the passage has
    none of them: it may be the class, or a part of it."""
    if not constructors or chunk.language not in _NAMED_LIKE_CLASS:
        return False
    return not any(
        re.search(rf"(?<![\w~]){re.escape(name)}\s*\(", chunk.text) for name in constructors
    )
