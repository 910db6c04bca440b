"""Read the route of HTTP that a question names, such as `POST /users/{id}`."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from pincite.support.late_patterns import late_pattern

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_PATH: Final = r"(?P<path>/[^\s?#\"'`,;]{1,300})"
_ROUTE: Final = late_pattern(rf"(?<![\w/])(?P<method>{'|'.join(METHODS)}) {_PATH}")
#: A path alone may be that of a file, so a word must say what it is.
_NAMED: Final = late_pattern(r"\b(?:route|endpoint|handle[rsd]?|url)\b", re.IGNORECASE)
_ALONE: Final = late_pattern(rf"(?<![\w./:]){_PATH}")
#: Segments of a path that are read.
MOST_SEGMENTS: Final = 20
#: Segments that all routes of a program have.
_OF_ALL: Final = late_pattern(r"api|rest|v\d{1,3}", re.IGNORECASE)
_PARAMETERS: Final = frozenset("{:[<*$(")


class Route(msgspec.Struct, frozen=True):
    """A route: its `method` in capitals, "" if the question names none, and its segments."""

    method: str
    segments: tuple[str, ...]


def asked_route(question: str) -> Route | None:
    """Return the route that the question names, None for none. A path without a method must be
    called a route, an endpoint, a URL or something that is handled."""
    found = _ROUTE.search(question)
    method = found["method"] if found else ""
    if found is None and _NAMED.search(question):
        found = _ALONE.search(question)
    segments = segments_of(found["path"].rstrip(".:)!")) if found else ()
    return Route(method, segments) if segments and not all(map(is_parameter, segments)) else None


def segments_of(path: str) -> tuple[str, ...]:
    """Return the segments of a path, at most 20, without those that all routes of a program
    have, such as `api` and `v1`."""
    parts = path.split("/")[: MOST_SEGMENTS + 1]
    return tuple(one for one in parts if one and not _OF_ALL.fullmatch(one))


def is_parameter(segment: str) -> bool:
    """Return whether a segment stands for any text: `{id}`, `:id`, `<id>`, `[id]`, `42`."""
    return segment[:1] in _PARAMETERS or segment.isdigit() or "${" in segment
