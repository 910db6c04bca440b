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

MOST_CHARS = 64_000  # guess, unmeasured
_MOST_LINES = 500  # as in the Markdown chunker
_MOST_NODES = 5_000  # guess, unmeasured
_DEEPEST = 20  # guess, unmeasured
_MOST_DOTS = 200  # of a line of TOML: a key of n parts takes n * n time
_LONGEST_DETAIL = 120


class FrontMatter(msgspec.Struct, frozen=True):
    """The `values` by name that may become attributes: texts, numbers, dates, booleans, and lists
    of texts. `problem` says why there are none, if that is an error."""

    values: Mapping[str, object] = {}
    problem: str = ""


def front_matter_of(text: str) -> FrontMatter:
    """Return the front matter of a Markdown file. Never fails on a text."""
    mark, block = _block(text)
    if not mark:
        return FrontMatter()
    if len(block) > MOST_CHARS:
        return FrontMatter(problem=f"{len(block):,} characters, at most {MOST_CHARS:,} are read")
    try:
        found = _toml(block) if mark == "+++" else _yaml(block)
    except (ValueError, RecursionError, OverflowError) as error:
        return FrontMatter(problem=_one_line(error))
    if not isinstance(found, Mapping):
        return FrontMatter()  # a rule, some text and another rule
    return FrontMatter({n: v for n, v in found.items() if isinstance(n, str) and _is_plain(v)})


def _block(text: str) -> tuple[str, str]:
    """Return the mark of front matter and the text between the marks, both empty without."""
    text = text.removeprefix("\ufeff")
    mark = text[:3]
    if mark not in ("---", "+++"):
        return "", ""
    lines = text[: MOST_CHARS * 4].split("\n", _MOST_LINES)[:_MOST_LINES]
    if lines[0].rstrip() != mark:
        return "", ""
    ends = (mark, "...") if mark == "---" else (mark,)
    end = next((n for n, line in enumerate(lines) if n and line.rstrip() in ends), 0)
    return (mark, "\n".join(lines[1:end])) if end else ("", "")


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return isinstance(value, (str, int, float, bool, date, datetime))


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
