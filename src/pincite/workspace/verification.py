"""A key that a caller shows becomes an access, or is refused."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pincite.errors import Unauthenticated
from pincite.workspace.keys import make_key, matches, prefix_of
from pincite.workspace.model import Access, ApiKey
from pincite.workspace.ports import Workspaces

_NOBODYS = make_key()  # what there is no key for is compared, too: it takes as long


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: the key that was shown, and what it may touch."""

    key: ApiKey
    access: Access


async def verify_key(workspaces: Workspaces, text: str, now: datetime) -> Caller:
    """Who shows this key. It is looked up each time, so that one which is revoked is refused at
    once by every process. Raises Unauthenticated, which says as much of a wrong key as of one that
    there never was, and WorkspaceUnavailable."""
    prefix = prefix_of(text)
    if prefix is None:
        raise Unauthenticated("a key has the form pin_...", hint="Authorization: Bearer pin_...")
    async with workspaces.administration() as operator:
        found = await operator.key_by_prefix(prefix)
        key, hashed = found if found else (None, _NOBODYS.hash)
        if not matches(text, hashed) or key is None:
            raise Unauthenticated("the key is not known")
        if key.revoked is not None:
            raise Unauthenticated("the key has been revoked")
        if key.expires is not None and key.expires <= now:
            raise Unauthenticated("the key has expired")
        await operator.used(key.id)
    return Caller(key, Access(key.user_id, key.space_id, scopes=key.scopes))
