"""From what a caller says to a question, checked before anything is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date
from typing import Any, TypeAlias, get_args

from pincite.asking.options import SearchOptions
from pincite.errors import UsageError
from pincite.model import Question, Scope, SourceType, TaskMode
from pincite.scope.where import parse_where
from pincite.support.arguments import (
    require_choice,
    require_kind,
    require_number,
    shown,
    texts_of,
)
from pincite.support.plain import plain

_Tag: TypeAlias = str | int | float | bool
_MOST = 2**63  # as attributes
_LISTS = ("collections", "sources", "kinds", "paths", "not_paths")


def question_of(asked: SearchOptions) -> Question:
    """The question that is meant. Raises UsageError that names the argument, what it is and what
    it takes."""
    given = {each.name: getattr(asked, each.name) for each in fields(Scope)}
    given["where"] = given["where"] or ""
    given["tags"] = {} if given["tags"] is None else given["tags"]
    if asked.scope is not None:
        twice = [name for name, value in given.items() if value]
        if twice:
            raise UsageError(
                f"scope= and {twice[0]}= were both given, and a scope says {twice[0]}, too",
                hint=f"Scope(..., {twice[0]}=...) alone",
            )
        require_kind("scope", asked.scope, Scope, "a Scope")
    scope = asked.scope if asked.scope is not None else Scope(**given)
    return checked(Question(asked.text, scope, asked.mode, asked.budget_ms))


def checked(question: Question) -> Question:
    """The same question with what can be asked: text that is valid Unicode, lists as tuples, a
    text in place of a list as a list of one. Raises UsageError."""
    require_kind("question", question, Question, "a Question")
    require_kind("text", question.text, str, "a question as text")
    require_choice("mode", question.mode, get_args(TaskMode))
    require_number("budget_ms", question.budget_ms, above=0, unit="milliseconds")
    return replace(question, text=_valid(question.text), scope=_checked_scope(question.scope))


def _checked_scope(scope: Scope) -> Scope:
    require_kind("scope", scope, Scope, "a Scope")
    lists: dict[str, Any] = {
        name: tuple(map(_valid, texts_of(name, getattr(scope, name)))) for name in _LISTS
    }
    for kind in lists["kinds"]:
        require_choice("kinds", kind, get_args(SourceType))
    if isinstance(scope.where, Mapping):
        raise UsageError(
            f"where is {shown(scope.where)}; it takes a filter as text, such as \"kind = 'code'\"",
            hint=f"tags={shown(dict(scope.where))}",
        )
    require_kind("where", scope.where, str, "a filter as text, such as \"kind = 'code'\"")
    if scope.ref is not None:
        require_kind("ref", scope.ref, str, "a revision as text")
        lists["ref"] = _valid(scope.ref)
    tags = checked_tags(scope.tags)
    parse_where(scope.where, None)  # attributes are not known yet
    return replace(scope, where=_valid(scope.where), tags=tags, **lists)


def checked_tags(tags: object) -> dict[str, Any]:
    """The tags with values that can be sent; lists as tuples, dates as texts. Raises UsageError for
    no value, so that a tag that a program has nothing for never searches everything."""
    require_kind("tags", tags, Mapping, "names and values, such as {'course': 'ml'}")
    given: Mapping[object, object] = tags  # type: ignore[assignment]
    return {_name(name): _tag(name, plain(value)) for name, value in given.items()}


def _name(name: object) -> str:
    if not isinstance(name, str):
        require_kind("tags", name, str, "names and values, such as {'course': 'ml'}")
    return _valid(str(name))


def _tag(name: object, value: object) -> _Tag | tuple[_Tag, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(_one(name, plain(one)) for one in value)
    return _one(name, value)


def _one(name: object, value: object) -> _Tag:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        return _valid(value)
    if isinstance(value, (int, float)) and -_MOST < value < _MOST:
        return value
    raise UsageError(
        f"tag {name!r} is {shown(value)}; it takes a text, a number, true or false, a date, or a"
        " list of them",
        hint="leave it out to search without it" if value is None else "",
    )


def _valid(text: str) -> str:
    """The text without what is no valid Unicode, which could not be sent or logged."""
    return text.encode(errors="replace").decode()
