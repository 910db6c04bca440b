"""Cursors of pages: the last id of a page, for the user that it was given to."""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error

from pincite.errors import UsageError

_MARK = 8  # bytes


def cursor_after(user_id: str, last: str) -> str:
    """The cursor of the page behind an id. It keeps no secret: what it points behind is filtered
    like everything else. Its mark tells a cursor of somebody else from a user's own."""
    return urlsafe_b64encode(_mark(user_id, last) + last.encode()).decode().rstrip("=")


def last_of(user_id: str, cursor: str) -> str:
    """The id that a page begins behind; empty for no cursor. Raises UsageError."""
    if not cursor:
        return ""
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        last = raw[_MARK:].decode()
    except (Error, ValueError) as error:
        raise UsageError("cursor: it is none of this API", hint="the `next` of a page") from error
    if not hmac.compare_digest(raw[:_MARK], _mark(user_id, last)):
        raise UsageError("cursor: it was not given to you", hint="the `next` of a page of yours")
    return last


def _mark(user_id: str, last: str) -> bytes:
    return hashlib.sha256(f"{user_id}\0{last}".encode()).digest()[:_MARK]
