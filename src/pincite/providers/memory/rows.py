"""The interface between facts about users and the store of their rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from pincite.errors import NotFound, UsageError
from pincite.support.arguments import shown

#: The form of an id of a fact. Other ids are not stored.
_ID: Final = re.compile(r"[0-9a-f]{1,64}")


class FactRow(NamedTuple):
    """A stored fact: `text` in the form of `raw`, `vector` as little-endian float32, or None if
    there is none or it was not requested."""

    id: str
    text: bytes
    at: str
    vector: bytes | None = None


class FactRows(Protocol):
    """Rows of facts, each of one user. All methods raise MemoryUnavailable."""

    async def add(self, user: str, row: FactRow, most: int) -> FactRow:
        """Return the row with this id; add it if it is missing. Raises UsageError (`full`) if the
        user already has `most` facts."""

    async def rows(
        self, user: str, *, vectors: bool, after: str = "", limit: int | None = None
    ) -> Sequence[FactRow]:
        """Return the rows of a user, oldest first, with their vectors if requested: all, or at most
        `limit` after the row with the id `after`. Raises NotFound if that row is missing."""

    async def without(self, user: str, encoder: str) -> Sequence[FactRow]:
        """Return the rows without a vector of this encoder, oldest first."""

    async def set_vectors(self, user: str, encoder: str, vectors: Mapping[str, bytes]) -> None:
        """Store vectors by the ids of rows; rows deleted meanwhile stay deleted."""

    async def forget(self, user: str, fact: str) -> int:
        """Delete one fact, or all if the id is empty; return the number deleted."""

    async def close(self) -> None:
        """Release all resources."""


def full(there: int) -> UsageError:
    """Return the error for a user with the maximum of facts."""
    return UsageError(
        f"this user has {there:,} facts, which is the maximum",
        hint="delete some of them",
    )


def is_fact_id(text: str) -> bool:
    """Return whether a fact can have this id."""
    return _ID.fullmatch(text) is not None


def no_fact(id_: str) -> NotFound:
    """Return the error for a fact that the user does not have."""
    return NotFound(f"no fact has the id {shown(id_)}")
