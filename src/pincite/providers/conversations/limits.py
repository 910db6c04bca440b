"""Limits of conversations and the stored form of a turn's citations, for every kind of storage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, get_args

import msgspec

from pincite.errors import ConversationNotFound, MemoryUnavailable, UsageError
from pincite.model import AnswerKind, Turn
from pincite.support.arguments import require_choice, require_kind, shown
from pincite.support.kept_text import USER_CHARS, require_length, require_text
from pincite.support.terminal import one_line

#: Characters of a turn, a title and a summary, citations of a turn, turns of a conversation:
#: guesses, unmeasured. A turn is a question or an answer, not a book.
TURN_CHARS: Final = 200_000
TITLE_CHARS: Final = 500
SUMMARY_CHARS: Final = 50_000
CITATIONS: Final = 1_000
CITATION_CHARS: Final = 4_000
TURNS: Final = 10_000
MOST: Final = 1_000_000  # the most that can be requested at once
_TEXTS: Final = msgspec.json.Decoder(tuple[str, ...])


def require_owner(owner: str) -> None:
    """Check an owner's name. Raises UsageError."""
    require_length("owner", owner, USER_CHARS)


def require_turn(turn: Turn) -> None:
    """Check a turn. Raises UsageError if it cannot be stored."""
    require_kind("turns", turn, Turn, "Turns")
    require_choice("role", turn.role, ("user", "assistant"))
    require_choice("kind", turn.kind, ("", *get_args(AnswerKind)))
    require_text("text", turn.text, TURN_CHARS)
    require_length("at", turn.at, 64)
    if len(turn.citations) > CITATIONS:
        raise UsageError(
            f"a turn has {len(turn.citations):,} citations; it takes {CITATIONS:,} at most"
        )
    for one in turn.citations:
        require_length("citation", one, CITATION_CHARS)
        if one_line(one) != one:
            raise UsageError(f"citation is {shown(one)}; it takes one printable line")


def require_room(last: int, more: int, most: int) -> None:
    """Raise UsageError if a conversation would have too many turns."""
    if last + more > most:
        raise UsageError(
            f"the conversation has {last:,} turns, so {more} more would exceed the limit of"
            f" {most:,}",
            hint="begin a new conversation",
        )


def require_said(summarised: int, last: int) -> None:
    """Raise UsageError if a summary covers turns that do not exist yet."""
    if summarised > last:
        raise UsageError(f"summarised is {summarised}, but the conversation has only {last} turns")


def no_conversation(id_: object) -> ConversationNotFound:
    """Return the error for a conversation that does not exist or belongs to another owner; both
    have the same message."""
    return ConversationNotFound(
        f"no conversation has the id {shown(id_)}",
        hint="begin a new conversation, or list yours",
    )


def citations_text(citations: Sequence[str]) -> str:
    """Return the stored form of citations."""
    return msgspec.json.encode(citations).decode()


def citations_of(number: int, kept: str) -> tuple[str, ...]:
    """Return the citations of a turn from their stored form. Raises MemoryUnavailable if it is
    invalid."""
    try:
        return _TEXTS.decode(kept)
    except msgspec.MsgspecError as error:
        raise MemoryUnavailable(f"turn {number} of a conversation is damaged: {error}") from error
