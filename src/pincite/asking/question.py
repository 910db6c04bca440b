"""Build the question of a search from its caller's arguments, after checking them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

from pincite.asking.options import SearchOptions
from pincite.asking.tags import checked_tags
from pincite.errors import UsageError
from pincite.model import Question, Scope, SourceType, TaskMode
from pincite.model.subqueries import checked_subqueries
from pincite.scope.bound_where import joined_where
from pincite.support.arguments import (
    require_choice,
    require_folder,
    require_kind,
    require_number,
    shown,
    texts_of,
)
from pincite.support.fields import replace
from pincite.support.valid_text import valid_text

#: Only a program sets these.
_NOT_ASKED = ("bounds", "bound_where", "unshown", "commits", "placed", "not_placed")
_LISTS = ("collections", "sources", "kinds")
_PATHS = ("paths", "not_paths")


def question_of(asked: SearchOptions) -> Question:
    """Return the question that the options describe. Raises UsageError, whose message has the name
    of the argument, its value, and the values that it takes."""
    given = {
        each.name: getattr(asked, each.name)
        for each in fields(Scope)
        if each.name not in _NOT_ASKED
    }
    given["where"] = "" if given["where"] is None else given["where"]
    given["tags"] = {} if given["tags"] is None else given["tags"]
    if asked.scope is not None:
        twice = [name for name, value in given.items() if value]
        if twice:
            raise UsageError(
                f"scope= and {twice[0]}= exclude each other: a scope has {twice[0]} as well",
                hint=f"Scope(..., {twice[0]}=...) alone",
            )
        require_kind("scope", asked.scope, Scope, "a Scope")
    require_folder("here", asked.here)
    scope = asked.scope if asked.scope is not None else Scope(**given)
    lines = texts_of("subqueries", asked.subqueries)
    return checked(Question(asked.text, scope, asked.mode, asked.budget_ms, lines))


def checked(question: Question) -> Question:
    """Return the question with valid values: texts are valid Unicode, lists are tuples, and a text
    given instead of a list is a list of one. Paths become valid when they are placed. Raises
    UsageError if that is not possible."""
    require_kind("question", question, Question, "a Question")
    require_kind("text", question.text, str, "a question as text")
    if question.mode is not None:
        require_choice("mode", question.mode, get_args(TaskMode))
    require_number("budget_ms", question.budget_ms, above=0, unit="milliseconds")
    text, lines = valid_text(question.text), texts_of("subqueries", question.subqueries)
    lines = checked_subqueries(tuple(map(valid_text, lines)), text)
    return replace(question, text=text, scope=_checked_scope(question.scope), subqueries=lines)


def _checked_scope(scope: Scope) -> Scope:
    require_kind("scope", scope, Scope, "a Scope")
    lists: dict[str, Any] = {
        name: tuple(map(valid_text, texts_of(name, getattr(scope, name)))) for name in _LISTS
    }
    lists |= {name: texts_of(name, getattr(scope, name)) for name in _PATHS}
    for kind in lists["kinds"]:
        require_choice("kinds", kind, get_args(SourceType))
    if isinstance(scope.where, Mapping):
        raise UsageError(
            f"where is {shown(scope.where)}; it takes a filter as text, such as \"kind = 'code'\"",
            hint=f"tags={shown(dict(scope.where))}",
        )
    for name in ("where", "bound_where"):
        given = getattr(scope, name)
        require_kind(name, given, str, "a filter as text, such as \"kind = 'code'\"")
        lists[name] = valid_text(given)
    if scope.ref is not None:
        require_kind("ref", scope.ref, str, "a revision as text")
        lists["ref"] = valid_text(scope.ref)
    tags = checked_tags(scope.tags)
    bounds = _checked_bounds(scope.bounds)
    joined_where(scope, None)  # attributes are not known yet
    return replace(scope, tags=tags, bounds=bounds, **lists)


def _checked_bounds(bounds: Mapping[str, Any]) -> dict[str, Any]:
    """Check only the types of the bounds: they may have 100,000 values, and a program sets them."""
    require_kind("bounds", bounds, Mapping, "attributes and their values")
    for name, values in bounds.items():
        if not isinstance(values, tuple) or any(not isinstance(one, str) for one in values):
            raise UsageError(f"bounds {name!r} is {shown(values)}; it takes a tuple of texts")
    return dict(bounds)
