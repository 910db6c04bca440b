"""What tests of follow-ups and summaries share."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Turn
from pincite.ports import ConversationState, Message


def state_of(*texts: str, title: str = "", summary: str = "") -> ConversationState:
    """A conversation in which the user and the assistant have said these in turn."""
    roles = ("user", "assistant")
    turns = tuple(
        Turn(roles[number % 2], text, number=number + 1)  # type: ignore[arg-type]
        for number, text in enumerate(texts)
    )
    return ConversationState("c", "ada", title, summary, turns=turns)


def outside_of_fences(messages: Sequence[Message], marker: str) -> str:
    """What a model is told by us: all but what stands between two lines with the marker."""
    kept, inside = [], False
    for line in "\n".join(one.content for one in messages).splitlines():
        if line.startswith("<<<") and line.endswith(marker):
            inside = True
        elif line.endswith(f"{marker}>>>"):
            inside = False
        elif not inside:
            kept.append(line)
    assert not inside
    return "\n".join(kept)
