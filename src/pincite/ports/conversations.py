"""What was said before, in each conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from pincite.model import Turn


class ConversationState(msgspec.Struct, frozen=True):
    """What a conversation is continued with: the `summary` of its turns up to and with number
    `summarised`, and the turns after that, oldest first."""

    id: str
    owner: str
    title: str = ""
    summary: str = ""
    summarised: int = 0
    turns: tuple[Turn, ...] = ()


class Conversations(Protocol):
    """Turns and summaries, each conversation of one owner. Where a conversation has another owner,
    every call answers as if there were none: ConversationNotFound. An owner may be empty (one
    person's own machine)."""

    async def begin(self, owner: str, title: str = "") -> str:
        """A new conversation; returns its id, which cannot be guessed."""

    async def state(self, owner: str, conversation: str, recent: int) -> ConversationState:
        """The summary, and all turns after it, and of those before as many as make `recent`."""

    async def append(self, owner: str, conversation: str, turns: Sequence[Turn]) -> int:
        """Add turns at the end, all or none; returns the number of the last one."""

    async def summarise(self, owner: str, conversation: str, summary: str, summarised: int) -> bool:
        """Keep a summary of the turns up to that number. False where a later one is kept already,
        which stays."""

    async def list(self, owner: str, limit: int = 50) -> tuple[ConversationState, ...]:
        """The owner's conversations, those with the latest turn first, without turns."""

    async def turns(self, owner: str, conversation: str) -> tuple[Turn, ...]:
        """All that was said, oldest first."""

    async def delete(self, owner: str, conversation: str) -> None:
        """Delete it with its turns and its summary."""

    async def close(self) -> None:
        """Let go of what is open."""
