"""Values as TOML: text, numbers, booleans, lists and tables of them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDTH = 100


def inline(value: object) -> str:
    """A value on one line; `none` for None, which TOML does not have."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key(name)} = {inline(of_it)}" for name, of_it in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(inline, value))}]"
    return str(value)


def assignment(name: str, value: object) -> str:
    """`name = value`; a list that is too long for a line has one for each of its values."""
    line = f"{key(name)} = {inline(value)}"
    if len(line) <= _WIDTH or isinstance(value, str) or not isinstance(value, Sequence):
        return line
    return "\n".join((f"{key(name)} = [", *(f"    {inline(one)}," for one in value), "]"))


def key(name: str) -> str:
    """A key, quoted where it must be."""
    return name if _BARE.fullmatch(name) else inline(name)


def dotted(path: Sequence[str]) -> str:
    """A path as TOML writes a dotted key."""
    return ".".join(map(key, path))
