"""Read the front matter of a Markdown file: YAML between `---`, TOML between `+++`.

The files are untrusted, so blocks have limits (see `untrusted_yaml`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import msgspec

from pincite.readers.front_matter_end import end_of_front_matter
from pincite.readers.untrusted_yaml import MOST_CHARS, load_yaml, one_line

_MOST_DOTS = 200  # of a line of TOML: a key of n parts takes n * n time
_SCALARS = (str, int, float, date, datetime)  # a boolean is an integer


class FrontMatter(msgspec.Struct, frozen=True):
    """The `values` by name that may become attributes: texts, numbers, dates, booleans, and lists
    of texts. Other items of a list become texts, null is left out. `title` is that of the document,
    "" without one. `problem` says why there are no values, if that is an error."""

    values: Mapping[str, object] = {}
    title: str = ""
    problem: str = ""


def front_matter_of(text: str) -> FrontMatter:
    """Return the front matter of a Markdown file. Never fails on a text."""
    end = end_of_front_matter(text)
    if not end:
        return FrontMatter()
    first, last = text.index("\n") + 1, text.rfind("\n", 0, end - 1) + 1
    if (size := last - 1 - first) > MOST_CHARS:
        return FrontMatter(problem=f"{size:,} characters, at most {MOST_CHARS:,} are read")
    return _read(text[last : last + 3] == "+++", text[first:last])


def without_front_matter(text: str) -> str:
    """Return the lines of a Markdown file after its front matter; all of them if it has none."""
    return text[end_of_front_matter(text) :]


@lru_cache(maxsize=4)  # read for the title and for the attributes of a file
def _read(is_toml: bool, block: str) -> FrontMatter:
    try:
        found = _toml(block) if is_toml else load_yaml(block)
        if not isinstance(found, Mapping):
            return FrontMatter()  # nothing, or a text that looks like an entry
        values = {name: _plain(value) for name, value in found.items() if isinstance(name, str)}
        title = _written(found.get("title")) or ""
    except (ValueError, RecursionError, OverflowError) as error:
        return FrontMatter(problem=one_line(error))
    return FrontMatter({n: value for n, value in values.items() if value is not None}, title)


def _plain(value: object) -> object:
    """Return the value in a form for attributes, or None if attributes cannot have it."""
    if isinstance(value, list):
        items = [_written(one) for one in value if one is not None]
        return None if None in items else items
    return value if isinstance(value, _SCALARS) else None


def _written(value: object) -> str | None:
    """Return a scalar as a text; None for anything else."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    return str(value) if isinstance(value, _SCALARS) else None


def _toml(block: str) -> Mapping[str, Any]:
    if any(line.count(".") > _MOST_DOTS for line in block.split("\n")):
        raise ValueError(f"more than {_MOST_DOTS} dots in a line")
    return tomllib.loads(block.replace("\r\n", "\n"))
