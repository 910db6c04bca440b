"""Maintain the rolling summary of a conversation, after each answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pincite.answering.config import AnswerConfig
from pincite.answering.transcript import (
    ANSWERED,
    ASKED,
    LINE_TOKENS,
    fenced,
    new_marker,
    prompt_text,
    said_of,
    shortened,
    told,
    without_failed,
)
from pincite.errors import PinciteError
from pincite.model import Notice, Turn
from pincite.model.reasoning import without_thought
from pincite.ports import LLM, Conversations, ConversationState, Message
from pincite.ports.failures import rate_notices
from pincite.support.concurrency import within
from pincite.support.token_estimate import cut_estimated, estimate_tokens

_TURN_TOKENS: Final = 600  # of each turn in the prompt at most; guess, unmeasured
_THOUGHT_TOKENS: Final = 1_024  # before the summary; guess, unmeasured
_WORDS: Final = 0.6  # for each estimated token, so that the summary is seldom cut


@dataclass(frozen=True, slots=True)
class Summarised:
    """The summary of a conversation, and the number of the last turn that it covers. `by` says how
    it was made just now: by a model, from parts of the turns (`extract`), or not at all, because
    nothing was due or the model failed, which the notices report."""

    summary: str = ""
    summarised: int = 0
    by: Literal["none", "model", "extract"] = "none"
    notices: tuple[Notice, ...] = ()


async def summarise(
    conversations: Conversations,
    owner: str,
    conversation: str,
    llm: LLM | None,
    config: AnswerConfig,
    marker: str = "",
) -> Summarised:
    """Make and store a new summary if more than `recent_turns` turns are in none. It is made from
    these turns and the previous summary, and has at most `summary_tokens`. If there are more turns
    than fit into one request, it covers the oldest; the next call continues.

    If a model fails or returns nothing, nothing changes: the turns stay until a summary covers
    them. Raises ConversationNotFound and MemoryUnavailable.
    """
    state = await conversations.state(owner, conversation, 0)
    if len(state.turns) <= config.recent_turns:
        return Summarised(state.summary, state.summarised)
    if llm is None:
        text, last = _extracted(state, config.summary_tokens), state.turns[-1].number
        return await _kept(conversations, state, text, last, "extract")
    turns = _fitting(state.turns, config.context_tokens)
    said = _messages(state, turns, config, marker or new_marker())
    try:
        async with within(config.timeout_s):
            limit = config.summary_tokens + _THOUGHT_TOKENS
            completion = await llm.complete(said, max_tokens=limit)
    except (PinciteError, TimeoutError) as error:
        reason = str(error) or f"no answer within {config.timeout_s:g} s"
        return _unchanged(state, f"{llm.fingerprint}: {reason}", *rate_notices(error))
    text = cut_estimated(without_thought(completion.text), config.summary_tokens)
    if not text.strip() or completion.finish == "filter":
        return _unchanged(state, f"{llm.fingerprint} gave no summary ({completion.finish})")
    return await _kept(conversations, state, text, turns[-1].number, "model")


async def _kept(
    conversations: Conversations,
    state: ConversationState,
    text: str,
    last: int,
    by: Literal["model", "extract"],
) -> Summarised:
    if await conversations.summarise(state.owner, state.id, text, last):
        return Summarised(text, last, by)
    now = await conversations.state(state.owner, state.id, 0)  # another process was first
    return Summarised(now.summary, now.summarised)


def _unchanged(state: ConversationState, reason: str, *notices: Notice) -> Summarised:
    said = f"the conversation was not summarised and stays unchanged: {reason}"
    told_ = (Notice("summary_unavailable", said), *notices)
    return Summarised(state.summary, state.summarised, notices=told_)


def _fitting(turns: Sequence[Turn], tokens: int) -> Sequence[Turn]:
    """Return the oldest turns that fit, at least one."""
    spent = 0
    for number, one in enumerate(turns):
        spent += estimate_tokens(shortened(one.text, _TURN_TOKENS)) + 5
        if spent > tokens and number:
            return turns[:number]
    return turns


def _messages(
    state: ConversationState, turns: Sequence[Turn], config: AnswerConfig, marker: str
) -> tuple[Message, ...]:
    blocks = []
    if state.summary:
        before = shortened(state.summary, config.summary_tokens)
        blocks.append(fenced("summary so far", before, marker))
    said = told(without_failed(turns), _TURN_TOKENS)
    blocks.append(fenced("what was said then", said, marker))
    words = str(int(_WORDS * config.summary_tokens))
    system = prompt_text("summary", marker=marker, words=words)
    return Message("system", system), Message("user", "\n\n".join(blocks))


def _extracted(state: ConversationState, tokens: int) -> str:
    """Return the questions, one per line, with the beginnings of answers as far as there is room:
    first the first line of the conversation, then the latest ones, questions before answers."""
    lines = state.summary.splitlines()
    for one in without_failed(state.turns):
        before = ASKED if one.role == "user" else ANSWERED
        lines.append(f"{before}{shortened(said_of(one), LINE_TOKENS)}")
    if not lines:
        return ""
    latest = list(range(len(lines) - 1, 0, -1))
    asked = [n for n in latest if not lines[n].startswith(ANSWERED)]
    kept, left = {0}, tokens - estimate_tokens(lines[0]) - 3
    for number in (*asked, *(n for n in latest if n not in set(asked))):
        cost = estimate_tokens(lines[number]) + 3
        if cost <= left:
            kept.add(number)
            left -= cost
    return cut_estimated("\n".join(lines[n] for n in sorted(kept)), tokens)
