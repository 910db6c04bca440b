"""Verify a caller's key and return its access."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pincite.errors import Unauthenticated
from pincite.workspace.access.keys import make_key, matches, prefix_of
from pincite.workspace.model import Access, ApiKey
from pincite.workspace.ports import Workspaces

_NOBODYS = make_key()  # compared if there is no such key, so that both cases take as long


@dataclass(frozen=True, slots=True)
class Caller:
    """A verified caller: the key and its access."""

    key: ApiKey
    access: Access


async def verify_key(workspaces: Workspaces, text: str, now: datetime) -> Caller:
    """Return the caller that a key identifies. The key is looked up each time, so that every
    process refuses a revoked key at once. Raise Unauthenticated, with the same message for a wrong
    key and for one that never existed, and WorkspaceUnavailable."""
    prefix = prefix_of(text)
    if prefix is None:
        raise Unauthenticated("a key has the form pin_...", hint="Authorization: Bearer pin_...")
    async with workspaces.administration() as operator:
        found = await operator.key_by_prefix(prefix)
        key, hashed = (found.key, found.secret_hash) if found else (None, _NOBODYS.hash)
        if not matches(text, hashed) or key is None:
            raise Unauthenticated("the key is unknown")
        if key.revoked is not None:
            raise Unauthenticated("the key has been revoked")
        if key.expires is not None and key.expires <= now:
            raise Unauthenticated("the key has expired")
        if found is not None and found.user != "enabled":
            raise Unauthenticated("the user of the key is disabled")
        await operator.used(key.id)
    return Caller(key, Access(key.user_id, key.space_id, scopes=key.scopes))
