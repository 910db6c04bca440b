"""Storage of conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from pincite.model import Turn


class ConversationState(msgspec.Struct, frozen=True):
    """The state of a conversation: the `summary` of its turns up to and including number
    `summarised`, and the later `turns`, oldest first. In a list, `length` is the number of all
    turns, and `updated` the time of the last turn, empty if there is none."""

    id: str
    owner: str
    title: str = ""
    summary: str = ""
    summarised: int = 0
    turns: tuple[Turn, ...] = ()
    length: int = 0
    updated: str = ""


class Conversations(Protocol):
    """A store for the turns and summaries of conversations. Each conversation has one owner. For a
    conversation of another owner, every call raises ConversationNotFound, as if it did not exist.
    An owner may be empty (a machine with a single user)."""

    async def begin(self, owner: str, title: str = "") -> str:
        """Begin a conversation and return its id, which cannot be guessed."""

    async def state(self, owner: str, conversation: str, recent: int) -> ConversationState:
        """Return the summary and all turns after it. If these are fewer than `recent`, include
        earlier turns, too."""

    async def append(self, owner: str, conversation: str, turns: Sequence[Turn]) -> int:
        """Add turns at the end, all or none. Returns the number of the last turn."""

    async def summarise(self, owner: str, conversation: str, summary: str, summarised: int) -> bool:
        """Store a summary of the turns up to number `summarised`. Returns False, without a change,
        if a later summary is stored already."""

    async def list(self, owner: str, limit: int = 50) -> tuple[ConversationState, ...]:
        """Return at most `limit` of the owner's conversations without their turns, most recently
        updated first."""

    async def turns(self, owner: str, conversation: str) -> tuple[Turn, ...]:
        """Return all turns of a conversation, oldest first."""

    async def delete(self, owner: str, conversation: str) -> None:
        """Delete a conversation with its turns and its summary."""

    async def close(self) -> None:
        """Release all resources."""
