"""Rewrite a follow-up question as a standalone question, for retrieval only. The answer is to the
original question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pincite.answering.config import AnswerConfig
from pincite.answering.follow_up import (
    SaidBefore,
    content_terms,
    language_of,
    points_back,
    subject_terms,
)
from pincite.answering.sentences.split import split
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
)
from pincite.errors import PinciteError
from pincite.model import Notice, Turn
from pincite.model.reasoning import without_thought
from pincite.ports import LLM, Completion, ConversationState, Message
from pincite.ports.failures import rate_notices
from pincite.support.concurrency import within
from pincite.support.fields import replace
from pincite.support.terminal import one_line

_TURN_TOKENS: Final = 300  # of each turn in the prompt at most; guess, unmeasured
_QUESTION_TOKENS: Final = 2_000
_ANSWER_TOKENS: Final = 1_024  # one line, and thoughts before it; guess, unmeasured
#: The most characters by which a rewrite is longer than its question. Those of people are longer by
#: 19 on average and 137 at most, on CAsT 2019.
_LONGER: Final = 300
_UNSAID: Final = 0.5  # share of a rewrite's terms that may be new; guess, unmeasured
_SHOWN: Final = 80
_LABEL: Final = re.compile(
    r"^(?:standalone |rewritten |search )?(?:question|query|rewrite)\s*:\s*", re.IGNORECASE
)
_ASKED: Final = ("?", "？", "؟", ";")  # the last is Greek
_CLOSING: Final = " \t\n\"')]}»”’"
_ENDS: Final = f"{_CLOSING}.。．」』"
_FIRST_WORD: Final = re.compile(r"\w+")
#: Ends of questions without a question mark, in Japanese, Chinese and Korean.
_ASKING_ENDS: Final = ("か", "かな", "吗", "嗎", "呢", "까", "까요", "나요")
#: Verbs that begin a request, but not an answer.
_ASKING_VERBS: Final = frozenset(
    (
        "explain describe list show give tell compare summarise summarize define find outline"
        " discuss please erkläre erklär beschreibe nenne zeige vergleiche explique expliquez décris"
        " décrivez explica explícame compara spiega descrivi confronta"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Condensed:
    """The query to search for. `rewritten` means that it differs from the question. `by` is the
    author of the rewrite: a model, rules that add words of earlier turns (`deterministic`), or
    none. `notices` say why a rewrite was not used."""

    query: str
    rewritten: bool = False
    by: Literal["none", "model", "deterministic"] = "none"
    notices: tuple[Notice, ...] = ()


async def condense(
    question: str,
    state: ConversationState,
    llm: LLM | None,
    config: AnswerConfig,
    marker: str = "",
) -> Condensed:
    """Return the question with the words that it leaves out, taken from the summary and the recent
    turns. The question is unchanged if there are no earlier turns or if `rewrite` is off. Without a
    model, words of earlier turns are added if the question refers to them or has too few words.

    If a model fails, is late, or returns something that cannot be the question, the question stays
    unchanged, with a notice. `marker` fences the earlier texts; by default it is a new one.
    """
    recent = state.turns[-config.recent_turns :] if config.recent_turns else ()
    if not config.rewrite or not (recent or state.summary) or not question.strip():
        return Condensed(question)
    if llm is None:
        return _by_rules(question, state, recent)
    said = _messages(question, state, recent, config, marker or new_marker())
    try:
        async with within(config.timeout_s):
            completion = await llm.complete(said, max_tokens=_ANSWER_TOKENS)
    except (PinciteError, TimeoutError) as error:
        reason = str(error) or f"no answer within {config.timeout_s:g} s"
        message = f"the question was searched unchanged, without {llm.fingerprint}: {reason}"
        notice = Notice("rewrite_unavailable", message)
        return Condensed(question, notices=(notice, *rate_notices(error)))
    query = _read(completion.text)
    context = (question, state.title, state.summary, *(one.text for one in recent))
    wrong = _wrong(query, completion, question, context)
    if wrong:
        message = f"the question was searched unchanged: {llm.fingerprint} {wrong}"
        return Condensed(question, notices=(Notice("rewrite_refused", message),))
    return Condensed(query, query != question.strip(), "model")


def _by_rules(question: str, state: ConversationState, recent: Sequence[Turn]) -> Condensed:
    said = [SaidBefore(one.text, one.role == "assistant") for one in recent]
    said[:0] = _summarised(state.summary, recent)
    if state.title and not (said and said[0].text.startswith(state.title.rstrip(". …"))):
        said.insert(0, SaidBefore(state.title))
    said[0] = replace(said[0], first=True)
    language = language_of((*(one.text for one in said), question))
    if not points_back(question, language):
        return Condensed(question)
    terms = subject_terms(question, said, language)
    if not terms:
        return Condensed(question)
    return Condensed(f"{question.strip()} {' '.join(terms)}", True, "deterministic")


def _summarised(summary: str, recent: Sequence[Turn]) -> list[SaidBefore]:
    """Return the lines of a summary that are not in the recent turns."""
    known = {shortened(said_of(one), LINE_TOKENS) for one in recent}
    found = []
    for line in summary.splitlines():
        text = line.removeprefix(ASKED).removeprefix(ANSWERED)
        if text.strip() and text not in known:
            found.append(SaidBefore(text, line.startswith(ANSWERED)))
    return found


def _messages(
    question: str,
    state: ConversationState,
    recent: Sequence[Turn],
    config: AnswerConfig,
    marker: str,
) -> tuple[Message, ...]:
    blocks = []
    if state.summary:
        summary = shortened(state.summary, config.summary_tokens)
        blocks.append(fenced("summary of what was said before", summary, marker))
    if recent:
        blocks.append(fenced("what was said last", told(recent, _TURN_TOKENS), marker))
    asked = shortened(question, _QUESTION_TOKENS)
    blocks.append(fenced("the last question", asked, marker))
    system = prompt_text("condense", marker=marker)
    return Message("system", system), Message("user", "\n\n".join(blocks))


def _read(text: str) -> str:
    said = without_thought(text)
    if said.startswith("```"):
        said = said.strip("`").strip()
    said = _LABEL.sub("", said).strip()
    for mark in ('"', "'", "`", "“”", "«»"):
        if len(said) > 1 and said[0] == mark[0] and said[-1] == mark[-1]:
            said = said[1:-1].strip()
    return said


def _is_statement(query: str, question: str) -> bool:
    """Return whether a rewrite has the form of an answer. A rewrite with a question mark does not,
    nor one that begins as the question or a request does. Otherwise it does if the question has a
    question mark, or if the rewrite ends with a full stop or exclamation mark. None of the 3,909
    rewrites by people in CAsT 2019 and CANARD does."""
    if query.rstrip(_CLOSING).endswith(_ASKED) or query.rstrip(_ENDS).endswith(_ASKING_ENDS):
        return False
    if _first_word(query) in (_first_word(question), *_ASKING_VERBS):
        return False
    return question.rstrip(_CLOSING).endswith(_ASKED) or query.endswith((".", "!", "。"))


def _first_word(text: str) -> str:
    found = _FIRST_WORD.search(text)
    return found[0].casefold() if found else ""


def _wrong(query: str, completion: Completion, question: str, context: Sequence[str]) -> str:
    """Return why this cannot be the question, "" if it can."""
    shown = repr(one_line(query[:_SHOWN]))
    if not query:
        return "gave an empty rewrite"
    if completion.finish != "stop":
        return f"did not finish its rewrite ({completion.finish}): {shown}"
    if len(query.splitlines()) > 1:
        return f"gave several lines instead of a question: {shown}"
    if len(query) > len(question.strip()) + _LONGER:
        return f"gave a rewrite of {len(query):,} characters: {shown}"
    if len(split(query)) > max(1, len(split(question))):
        return f"gave several sentences instead of a question: {shown}"
    language = language_of(context)
    terms = content_terms([query], language)
    unsaid = terms - content_terms(context, language)
    if len(unsaid) > _UNSAID * len(terms):
        return f"gave words that are not in the conversation: {shown}"
    if _is_statement(query, question):
        return f"gave a statement instead of a question: {shown}"
    return ""
