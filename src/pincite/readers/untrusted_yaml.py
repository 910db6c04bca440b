"""Read YAML of untrusted files: without aliases, tags and merge keys, up to a size, a depth and a
number of nodes. `yes`, `no`, `012` and `12:30` are texts, as in YAML 1.2."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

MOST_CHARS: Final = 64_000  # guess, unmeasured
_MOST_NODES: Final = 5_000  # guess, unmeasured
_DEEPEST: Final = 20  # guess, unmeasured
_CONTENT: Final = 2  # the event after the starts of the stream and of the document
_LONGEST_DETAIL: Final = 120


def load_yaml(block: str) -> object:
    """Return the value of a block of at most `MOST_CHARS`. Raises ValueError with a message of one
    line, RecursionError and OverflowError."""
    import yaml

    try:
        for event in _events(block):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise ValueError("aliases and anchors are not read")
            if getattr(event, "tag", None):
                raise ValueError("tags are not read")
        return yaml.load(block, Loader=_loader())
    except yaml.YAMLError as error:
        raise ValueError(one_line(error)) from error


@lru_cache(maxsize=4)  # several readers of a file need it
def is_mapping(block: str) -> bool:
    """Return whether the syntax of a block is that of one mapping. `load_yaml` may still refuse its
    values. Return False for a block beyond a limit."""
    import yaml

    if len(block) > MOST_CHARS:
        return False
    try:
        for number, event in enumerate(_events(block)):
            if number == _CONTENT and not isinstance(event, yaml.MappingStartEvent):
                return False
            if number > _CONTENT and isinstance(event, yaml.DocumentStartEvent):
                return False
    except (yaml.YAMLError, ValueError):
        return False
    return True


def one_line(error: BaseException) -> str:
    """Return the message of a parser's error on one line, in at most 120 characters."""
    said = getattr(error, "problem", "") or str(error) or type(error).__name__
    return " ".join(str(said).split())[:_LONGEST_DETAIL]


def _events(block: str) -> Iterator[Any]:
    """Yield the parser's events. Raises ValueError beyond a limit, and errors of YAML."""
    import yaml

    depth = 0
    for number, event in enumerate(yaml.parse(block, Loader=_loader())):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST or number > _MOST_NODES:
            raise ValueError("too deep" if depth > _DEEPEST else "too many values")
        yield event


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
