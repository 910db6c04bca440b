"""Write values as TOML: texts, numbers, booleans, and lists and tables of them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDTH = 100


def inline(value: object) -> str:
    """Return a value on one line; `none` for None, which TOML does not have."""
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
    """Return `name = value`. A list that is too long for one line has one line for each value."""
    line = f"{key(name)} = {inline(value)}"
    if len(line) <= _WIDTH or isinstance(value, str) or not isinstance(value, Sequence):
        return line
    return "\n".join((f"{key(name)} = [", *(f"    {inline(one)}," for one in value), "]"))


def key(name: str) -> str:
    """Return a key, quoted if necessary."""
    return name if _BARE.fullmatch(name) else inline(name)


def dotted(path: Sequence[str]) -> str:
    """Return a path as a dotted key of TOML."""
    return ".".join(map(key, path))
