"""The symbol search: find chunks that define a name of the question, whatever their scores."""

from __future__ import annotations

from collections.abc import Iterable

from pincite.model import Query
from pincite.ports import AnyOf, SearchRequest
from pincite.support.names import last_component

_NAMES = 8  # of one question; guess, unmeasured


def defining(request: SearchRequest, query: Query, limit: int) -> SearchRequest | None:
    """Return the same request limited to chunks that define one of the question's names, up to
    `limit` for each name and side. None for a question without names.

    The names are those of `Query.sought`. Definitions of `API`, `JSON` or the product's name
    displaced better passages (code-search-dev, nDCG@10 .9029 to .9015).
    """
    names = query.sought[:_NAMES]
    if not names or not limit:
        return None
    return request.only(AnyOf("symbols", spellings(names)), most=limit * len(names))


def spellings(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names as an index may have them: whole, their last components, and both with the
    first letter in lower or upper case, all in lower case, and all in upper case."""
    ends = [form for name in names for form in (name, last_component(name)) if form]
    return tuple(
        dict.fromkeys(
            form
            for end in ends
            for form in (end, end[0].lower() + end[1:], end[0].upper() + end[1:])
        )
        | dict.fromkeys(form for end in ends for form in (end.lower(), end.upper()))
    )
