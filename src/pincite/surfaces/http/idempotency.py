"""Retries of requests: `Idempotency-Key` determines the id of the created object.

The same key of the same user creates the same object once, whichever process is asked and however
often. Nothing is stored besides the object itself, so a key is valid as long as the object exists.
"""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID, uuid5

from litestar.params import HeaderParameter

from pincite.surfaces.http.problems import Conflict
from pincite.workspace import Access

_NAMESPACE: Final = UUID("6f2b0f5e-4f0e-4c0e-9a53-1f6f0a4f7d11")

IdempotencyKey = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        min_length=1,
        max_length=200,
        description="A repeated request with the same value creates nothing new.",
    ),
]


def id_for(access: Access, operation: str, key: str | None) -> str | None:
    """Return the id of the object that this request creates; None for a new one each time. Keys of
    one space have separate ids: they cannot find out what the user has created elsewhere."""
    if key is None:
        return None
    whose = access.user_id if access.space_id is None else f"{access.user_id}/{access.space_id}"
    return str(uuid5(_NAMESPACE, f"{whose}\0{operation}\0{key}"))


def require_same(asked: tuple[object, ...], made: tuple[object, ...]) -> None:
    """Raise Conflict if the object that was created with the key differs from this request."""
    if asked != made:
        raise Conflict("this Idempotency-Key belongs to another request")
