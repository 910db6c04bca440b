"""Combine a caller's filter with a filter that a program sets and that no message reveals.

The two are parsed separately, so that an error in the caller's filter quotes only the caller's
text, with positions in that text.
"""

from __future__ import annotations

from pincite.errors import UsageError
from pincite.model import Scope
from pincite.ports import Filter
from pincite.scope.where import Schema, parse_where


def joined_where(scope: Scope, schema: Schema) -> Filter:
    """Return the filter for which both `where` and `bound_where` hold. Raises UsageError."""
    return parse_where(scope.where, schema, bound_filter(scope, schema))


def bound_filter(scope: Scope, schema: Schema) -> Filter:
    """Return the filter of `bound_where` only. Raises UsageError, with the reason as its cause."""
    try:
        return parse_where(scope.bound_where, schema)
    except UsageError as error:
        raise refused_bound() from error


def refused_collection() -> UsageError:
    """Return the error for a collection that a program names and that does not exist."""
    return UsageError(
        "a collection that this search is bound to does not exist, or is not complete",
        hint="fix it in the program that names it",
    )


def refused_bound() -> UsageError:
    """Return the error for a `bound_where` that is invalid for the collections. It has no details,
    because the model that reads it did not write the filter and cannot change it."""
    return UsageError(
        "the filter that this search is bound to cannot be asked of the searched collections",
        hint="fix it in the program that sets it",
    )
