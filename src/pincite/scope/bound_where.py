"""Combine a caller's filter with one that a program sets and that no message reveals.

The two are read apart, so that what is wrong with that of the caller has the characters and the
positions that the caller wrote.
"""

from __future__ import annotations

from pincite.errors import UsageError
from pincite.model import Scope
from pincite.ports import Filter
from pincite.scope.where import Schema, parse_where


def joined_where(scope: Scope, schema: Schema) -> Filter:
    """What `where` and `bound_where` say together. Raises UsageError."""
    return parse_where(scope.where, schema, bound_filter(scope, schema))


def bound_filter(scope: Scope, schema: Schema) -> Filter:
    """What `bound_where` alone says. Raises UsageError, the reason is its cause."""
    try:
        return parse_where(scope.bound_where, schema)
    except UsageError as error:
        raise refused_bound() from error


def refused_collection() -> UsageError:
    """The error for a collection that a program names and that does not exist."""
    return UsageError(
        "a collection that this search is bound to does not exist, or is not complete",
        hint="fix it in the program that names it",
    )


def refused_bound() -> UsageError:
    """The error for a `bound_where` that cannot be asked. A model that reads it did not write the
    filter and cannot change it."""
    return UsageError(
        "the filter that this search is bound to cannot be asked of the searched collections",
        hint="fix it in the program that sets it",
    )
