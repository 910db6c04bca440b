"""Pages of lists, and their cursors: the last id of a page, bound to the user who received it."""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Sequence
from typing import Protocol, TypeVar

from pincite.errors import UsageError

_MARK = 8  # bytes


class _Listed(Protocol):
    @property
    def id(self) -> str: ...


_Item = TypeVar("_Item", bound=_Listed)


def page_of(
    user_id: str, found: Sequence[_Item], limit: int
) -> tuple[tuple[_Item, ...], str | None]:
    """Return at most `limit` items, and the cursor of the next page, None for the last one. Ask for
    one item more than `limit`: if it is found, another page follows."""
    page = tuple(found[:limit])
    return page, cursor_after(user_id, page[-1].id) if len(found) > limit else None


def cursor_after(user_id: str, last: str) -> str:
    """Return the cursor of the page after an id. It contains no secret: the next page is filtered
    like everything else. Its mark distinguishes a user's own cursors from those of others."""
    return urlsafe_b64encode(_mark(user_id, last) + last.encode()).decode().rstrip("=")


def last_of(user_id: str, cursor: str) -> str:
    """Return the id after which a page begins; empty without a cursor. Raises UsageError."""
    if not cursor:
        return ""
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        last = raw[_MARK:].decode()
    except (Error, ValueError) as error:
        raise UsageError("cursor: invalid", hint="pass the `next` of a page") from error
    if not hmac.compare_digest(raw[:_MARK], _mark(user_id, last)):
        raise UsageError(
            "cursor: it is invalid or belongs to another user",
            hint="pass the `next` of one of your pages",
        )
    return last


def _mark(user_id: str, last: str) -> bytes:
    return hashlib.sha256(f"{user_id}\0{last}".encode()).digest()[:_MARK]
