"""Errors without the names of collections that no message of a search shows."""

from __future__ import annotations

import re
from copy import copy

from pincite.errors import PinciteError
from pincite.model import Scope


def without_names(text: str, scope: Scope) -> str:
    """Return the text with `a collection` for each unshown collection of the scope and each of its
    members. If the collections may be shown, return it unchanged."""
    if "collections" not in scope.unshown or not scope.collections:
        return text
    names = "|".join(re.escape(one) for one in sorted(scope.collections, key=len, reverse=True))
    named = rf"(['\"`]?)(?<![\w-])(?:{names})(?:__\w+)?(?![\w-])\1"
    return re.sub(rf"(?:\b(?:the|an?) )?(?:\bcollection )?{named}", scope.called(""), text)


def unnamed(error: PinciteError, scope: Scope) -> PinciteError:
    """Return the error itself, or a copy of it without unshown names. A hint that has one becomes
    `pincite status`."""
    message, hint = (without_names(one, scope) for one in (error.message, error.hint))
    if (message, hint) == (error.message, error.hint):
        return error
    told = copy(error)
    told.message, told.args = message, (message,)
    told.hint = hint if hint == error.hint else "pincite status"
    return told
