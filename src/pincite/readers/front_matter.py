"""Read the front matter of a Markdown file: YAML between `---`, TOML between `+++`.

The files are untrusted. YAML is therefore accepted without aliases, tags and merge keys, up to a
size, a depth and a number of nodes; and `yes`, `no`, `012` and `12:30` are texts, as in YAML 1.2.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import msgspec

from pincite.readers.front_matter_end import end_of_front_matter

MOST_CHARS = 64_000  # guess, unmeasured
_MOST_NODES = 5_000  # guess, unmeasured
_DEEPEST = 20  # guess, unmeasured
_MOST_DOTS = 200  # of a line of TOML: a key of n parts takes n * n time
_LONGEST_DETAIL = 120
_SCALARS = (str, int, float, date, datetime)  # a boolean is an integer


class FrontMatter(msgspec.Struct, frozen=True):
    """The `values` by name that may become attributes: texts, numbers, dates, booleans, and lists
    of texts. Items of a list that are something else are written as texts, null is left out.
    `title` is that of the document, "" without one. `problem` says why there are no values, if that
    is an error."""

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


@lru_cache(maxsize=4)  # a file is asked for its title and for its attributes
def _read(is_toml: bool, block: str) -> FrontMatter:
    try:
        found = _toml(block) if is_toml else _yaml(block)
        if not isinstance(found, Mapping):
            return FrontMatter()  # nothing, or a text that looks like an entry
        values = {name: _plain(value) for name, value in found.items() if isinstance(name, str)}
        title = _written(found.get("title")) or ""
    except (ValueError, RecursionError, OverflowError) as error:
        return FrontMatter(problem=_one_line(error))
    return FrontMatter({n: value for n, value in values.items() if value is not None}, title)


def _plain(value: object) -> object:
    """Return the value as attributes take it; None for one that is for other programs."""
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


def _one_line(error: BaseException) -> str:
    said = getattr(error, "problem", "") or str(error) or type(error).__name__
    return " ".join(str(said).split())[:_LONGEST_DETAIL]


def _toml(block: str) -> Mapping[str, Any]:
    if any(line.count(".") > _MOST_DOTS for line in block.split("\n")):
        raise ValueError(f"more than {_MOST_DOTS} dots in a line")
    return tomllib.loads(block.replace("\r\n", "\n"))


def _yaml(block: str) -> object:
    import yaml

    loader = _loader()
    try:
        depth = 0
        for number, event in enumerate(yaml.parse(block, Loader=loader)):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise ValueError("aliases and anchors are not read")
            if getattr(event, "tag", None):
                raise ValueError("tags are not read")
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                depth += 1
            elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                depth -= 1
            if depth > _DEEPEST or number > _MOST_NODES:
                raise ValueError("too deep" if depth > _DEEPEST else "too many values")
        return yaml.load(block, Loader=loader)
    except yaml.YAMLError as error:
        raise ValueError(_one_line(error)) from error


@lru_cache(maxsize=1)
def _loader() -> Any:
    """Return PyYAML's safe loader with the scalars of YAML 1.2's core schema. Dates stay texts,
    which attributes accept."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolvers: dict[str, Any] = {}
    loader: Any = type("Loader", (base,), {"yaml_implicit_resolvers": resolvers})
    scalars = (
        ("null", r"(?:~|null|Null|NULL|)", ["~", "n", "N", ""]),
        ("bool", r"(?:true|True|TRUE|false|False|FALSE)", list("tTfF")),
        ("int", r"[-+]?(?:0|[1-9][0-9]{0,30})", list("-+0123456789")),
        ("float", r"[-+]?[0-9]{1,30}\.[0-9]{1,30}(?:[eE][-+]?[0-9]{1,4})?", list("-+0123456789")),
    )
    for name, pattern, first in scalars:
        tag = f"tag:yaml.org,2002:{name}"
        loader.add_implicit_resolver(tag, re.compile(rf"{pattern}\Z"), first)
    for name, read in (("int", int), ("float", float)):
        loader.add_constructor(f"tag:yaml.org,2002:{name}", _reading(read))
    return loader


def _reading(read: Callable[[str], float]) -> Callable[[Any, Any], float]:
    return lambda loader, node: read(loader.construct_scalar(node))
