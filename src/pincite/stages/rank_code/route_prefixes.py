"""Read the prefixes that routers and controllers give to the routes of their file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from pincite.questions.routes import segments_of

_LITERAL: Final = r"[\"'`](?P<prefix>[\w{}:.<>$\[\]/-]{1,200})[\"'`]"
#: `APIRouter(prefix="/users")`, `Blueprint("users", __name__, url_prefix="/users")`,
#: `new Router({ prefix: "/users" })`, `engine.Group("/users")`, `app.MapGroup("/users")`
_MADE: Final = re.compile(
    r"(?:\b(?:APIRouter|Blueprint|Router)\([^()]{0,400}?prefix\s{0,5}[:=]\s{0,5}"
    rf"|\.(?:Map)?Group\(\s{{0,20}}){_LITERAL}"
)
_ASSIGNED: Final = re.compile(
    r"(?<!\w)(?P<name>\w{1,60})(?:\s?:\s?\w{1,40})?\s{0,5}:?=\s{0,5}(?:new )?\w{0,40}\.?\Z"
)
_BEFORE: Final = 100  # characters before a router in which its name is
#: `app.use("/users", checked, router)`
_USED: Final = re.compile(
    rf"\.use\(\s{{0,20}}{_LITERAL}\s{{0,5}},[^()]{{0,200}}?(?<!\w)(?P<name>\w{{1,60}}),?\s{{0,20}}\)"
)
#: `app.include_router(router, prefix="/users")`, `app.register_blueprint(bp, url_prefix="/users")`
_INCLUDED: Final = re.compile(
    r"\.(?:include_router|register_blueprint)\(\s{0,20}(?P<name>\w{1,60})\s{0,5},"
    rf"[^()]{{0,200}}?prefix\s{{0,5}}=\s{{0,5}}{_LITERAL}"
)
#: `@RequestMapping("/users") class`, `[Route("users")] class`, `@Controller("users")`
_OF_CLASS: Final = re.compile(
    r"(?:@RequestMapping|\[Route)\(\s{0,20}(?:(?:value|path) ?= ?)?[\[{]?\s{0,9}"
    rf"{_LITERAL}[^()]{{0,200}}\)\]?"
    r"(?:\s+(?:@[\w.]{1,60}(?:\([^()]{0,300}\))?|\[[^\[\]]{1,200}\]|[a-z]{1,20})){0,10}?"
    r"\s+(?:class|interface)\b"
)
_OF_CONTROLLER: Final = re.compile(
    rf"@Controller\(\s{{0,20}}(?:\{{[^{{}}]{{0,200}}?path\s{{0,5}}:\s{{0,5}})?{_LITERAL}"
)
_MOST: Final = 20  # prefixes of a passage; guess, most files have one
_SIGNS: Final = ("refix", "Group(", ".use(", "@RequestMapping", "[Route", "@Controller")
#: The prefixes of routes by the name of their router, "" for those of a class.
Prefixes = Mapping[str, frozenset[tuple[str, ...]]]


def prefixes_in(texts: Iterable[str]) -> Prefixes:
    """Return the prefixes that the passages of one file give to its routes."""
    found: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for text in texts:
        if any(sign in text for sign in _SIGNS):
            for name, prefix in islice(_prefixes(text), _MOST):
                if segments := segments_of(prefix):
                    found[name].add(segments)
    return {name: frozenset(some) for name, some in found.items()}


def is_of_class(text: str, start: int) -> bool:
    """Return whether the mapping that begins here is the prefix of a class."""
    return _OF_CLASS.match(text, start) is not None


def _prefixes(text: str) -> Iterator[tuple[str, str]]:
    for made in _MADE.finditer(text):
        before = text[max(0, made.start() - _BEFORE) : made.start()]
        if assigned := _ASSIGNED.search(before):
            yield assigned["name"], made["prefix"]
    for pattern in (_USED, _INCLUDED):
        for one in pattern.finditer(text):
            yield one["name"], one["prefix"]
    for pattern in (_OF_CLASS, _OF_CONTROLLER):
        for one in pattern.finditer(text):
            yield "", one["prefix"]
