"""Storage of conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from pincite.model import Turn


class ConversationState(msgspec.Struct, frozen=True):
    """The state of a conversation: the `summary` of its turns up to and including number
    `summarised`, and the turns after that, oldest first. In a list, `length` is the number of all
    turns and `updated` the time of the last one, empty if there is none."""

    id: str
    owner: str
    title: str = ""
    summary: str = ""
    summarised: int = 0
    turns: tuple[Turn, ...] = ()
    length: int = 0
    updated: str = ""


class Conversations(Protocol):
    """Turns and summaries. Each conversation has one owner. For a conversation of another owner,
    every call raises ConversationNotFound, as if it did not exist. An owner may be empty (a machine
    with a single user)."""

    async def begin(self, owner: str, title: str = "") -> str:
        """Begin a conversation; returns its id, which cannot be guessed."""

    async def state(self, owner: str, conversation: str, recent: int) -> ConversationState:
        """The summary and all turns after it; if fewer than `recent`, also earlier ones."""

    async def append(self, owner: str, conversation: str, turns: Sequence[Turn]) -> int:
        """Add turns at the end, all or none; returns the number of the last one."""

    async def summarise(self, owner: str, conversation: str, summary: str, summarised: int) -> bool:
        """Store a summary of the turns up to that number. Returns False if a later summary is
        stored already; that one stays."""

    async def list(self, owner: str, limit: int = 50) -> tuple[ConversationState, ...]:
        """The owner's conversations without turns, the latest turn first."""

    async def turns(self, owner: str, conversation: str) -> tuple[Turn, ...]:
        """All turns, oldest first."""

    async def delete(self, owner: str, conversation: str) -> None:
        """Delete it with its turns and its summary."""

    async def close(self) -> None:
        """Release all resources."""
