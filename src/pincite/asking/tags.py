"""Check the tags of a call, and bind calls to fixed tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, TypeAlias

from pincite.errors import UsageError
from pincite.support.arguments import require_kind, shown
from pincite.support.plain import plain
from pincite.support.valid_text import valid_text

_Tag: TypeAlias = str | int | float | bool
_MOST = 2**63  # the limit of attributes, too
_WANTED = "names and values, such as {'course': 'ml'}"


def checked_tags(tags: Mapping[Any, object] | None) -> dict[str, Any]:
    """Return the tags with values that can be sent: lists as tuples, dates as texts. None gives no
    tags. Raises UsageError for a value of None, so that a missing value does not widen the search
    to everything."""
    given: Mapping[object, object] = {} if tags is None else tags
    require_kind("tags", given, Mapping, _WANTED)
    return {_name(name): _tag(name, plain(value)) for name, value in given.items()}


def _name(name: object) -> str:
    if not isinstance(name, str):
        require_kind("tags", name, str, _WANTED)
    return valid_text(str(name))


def _tag(name: object, value: object) -> _Tag | tuple[_Tag, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(_one(name, plain(one)) for one in value)
    return _one(name, value)


def _one(name: object, value: object) -> _Tag:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, (int, float)) and -_MOST < value < _MOST:
        return value
    raise UsageError(
        f"tag {name!r} is {shown(value)}; it takes a text, a number, true or false, a date, or a"
        " list of them",
        hint="omit it to search without it" if value is None else "",
    )


def tags_of_texts(texts: Iterable[str], argument: str = "--tag") -> Mapping[str, Any]:
    """Parse texts `NAME=VALUE` to tags. Several values of one name are alternatives. Raises
    UsageError."""
    found: dict[str, tuple[str, ...]] = {}
    for one in texts:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise UsageError(f"{argument} {one}: give NAME=VALUE")
        found[name] = (*found.get(name, ()), value)
    return {name: held[0] if len(held) == 1 else held for name, held in found.items()}


def bound_tags(tags: Mapping[str, object] | None) -> Mapping[str, Any]:
    """Return the checked tags that calls are to be bound to. Raises UsageError for a tag without a
    value, because it would not restrict anything."""
    given = checked_tags(tags)
    for name, value in given.items():
        if not _words(value):
            raise UsageError(f"the tag {name!r} has no value", hint=f"omit it, or give {name}=...")
    return given


def bind_tags(bound: Mapping[str, object], given: Mapping[str, object] | None) -> Mapping[str, Any]:
    """Return the tags of a call together with the `bound` tags. A call may repeat a bound tag, or
    give fewer of its values. Raises UsageError if it gives another value, because a call must not
    widen its restriction."""
    asked = checked_tags(given)
    for name in bound.keys() & asked.keys():
        values = _words(asked[name])
        if not values or not values <= _words(bound[name]):
            raise UsageError(
                f"the tag {name!r} is fixed by the server and cannot be changed",
                hint=f"omit {name}",
            )
    return {**bound, **asked}


def _words(value: object) -> frozenset[str]:
    values = value if isinstance(value, list | tuple) else (value,)
    texts = (str(one).lower() if isinstance(one, bool) else str(one) for one in values)
    return frozenset(filter(None, texts))
