"""The path from a question to an answer that cites its evidence. Nothing else knows its order."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from msgspec.structs import replace as alike

from pincite.answering.basis import Basis, basis_of, nothing_indexed
from pincite.answering.check import Checked, check
from pincite.answering.condense import condense
from pincite.answering.config import AnswerConfig
from pincite.answering.extract import extract
from pincite.answering.generate import Written, generate
from pincite.answering.prompting import Prompt, Spoken, write_prompt, write_refusal
from pincite.answering.prompts import prompt_of
from pincite.errors import IndexNotFound, MemoryUnavailable, PinciteError
from pincite.model import (
    Answer,
    AnswerEvent,
    AnswerPiece,
    Asked,
    EvidencePack,
    Fact,
    Notice,
    Question,
    Turn,
)
from pincite.ports import LLM, Conversations, Memory
from pincite.stages.pack import SCHEMA_VERSION as EVIDENCE_VERSION
from pincite.support.terminal import one_line

SCHEMA_VERSION = "1.0"
#: What stands above sentences of the evidence where the model gave no answer.
NO_ANSWER = "The language model gave no answer. From what was found:"
_NO_MODEL = (
    "no language model is named, so these are sentences of the evidence:"
    ' set [models] llm = "PROVIDER:MODEL" in pincite.toml'
)
_NO_WORDS = "the language model wrote nothing but citations of unknown passages"
_MOST_TURNS = 3  # times the recent ones, where a summary of those before could not be written


@dataclass(frozen=True, slots=True)
class AnswerDeps:
    """What an answer needs besides its configuration. `search` gives the evidence for a question,
    `terms_of` what finds the informative words of a text in the language of the evidence. `mark`
    are random letters for this answer alone, `now` is the time in ISO 8601, `clock` counts seconds.
    """

    search: Callable[[Question], Awaitable[EvidencePack]]
    terms_of: Callable[[EvidencePack], Callable[[str], frozenset[str]]]
    mark: str
    now: Callable[[], str]
    clock: Callable[[], float]
    llm: LLM | None = None
    memory: Memory | None = None
    conversations: Conversations | None = None
    notices: tuple[Notice, ...] = ()


async def answer(
    asked: Asked, deps: AnswerDeps, config: AnswerConfig
) -> AsyncIterator[AnswerEvent]:
    """Pieces as they are written, and at last the answer. Raises what the search raises but for
    IndexNotFound, and ConversationNotFound; whatever else fails is a warning of the answer."""
    way = _Way(deps.clock, list(deps.notices))
    question, llm = asked.question, deps.llm
    spoken, query = await _condense(asked, deps, config, way)
    pack = await _search(replace(question, text=query), deps)
    way.lap("search")
    basis = basis_of(pack, config.mode)
    way.notices += basis.notices
    facts = await _recall(asked.user, query, deps, config, basis, way)
    prompt = _prompt(question.text, basis, facts, spoken, deps, config)
    written: Written | None = None
    if prompt is not None and llm is not None:
        way.notices += _of_prompt(prompt)
        begun = False
        writing = generate(llm, prompt.messages, config.answer_tokens, config.timeout_s)
        async with aclosing(writing) as events:  # type: ignore[type-var]
            async for event in events:
                if isinstance(event, Written):
                    written = event
                else:
                    if not begun:
                        way.lap("first_piece")
                    begun = True
                    yield AnswerPiece(event)
        way.lap("written")
    done = Answer(
        schema_version=SCHEMA_VERSION,
        question=question.text,
        text="",
        kind="refused",
        mode=config.mode,
        sources=(),
        evidence=pack,
        retrieval_query=query if query != question.text else "",
        model=llm.fingerprint if llm is not None and prompt is not None else "",
        prompt=prompt.sha256 if prompt is not None else "",
        facts=facts,
        conversation=asked.conversation,
    )
    done = _finished(done, basis, prompt, written, deps, config, way)
    way.lap("check")
    if written is None or not written.text.strip():
        yield AnswerPiece(done.text)
    await _keep(asked, done, deps, way)
    said = tuple(dict.fromkeys(way.notices))
    yield alike(done, warnings=said, timings_ms=way.timings_ms)


@dataclass(slots=True)
class _Way:
    """What becomes known on the way: warnings, and how long each step took."""

    clock: Callable[[], float]
    notices: list[Notice]
    timings_ms: dict[str, float] = field(default_factory=dict)
    since: float = field(init=False)

    def __post_init__(self) -> None:
        self.since = self.clock()

    def lap(self, name: str) -> None:
        """The time since the last step is that of this one."""
        now = self.clock()
        self.timings_ms[name] = round((now - self.since) * 1000, 3)
        self.since = now


async def _condense(
    asked: Asked, deps: AnswerDeps, config: AnswerConfig, way: _Way
) -> tuple[Spoken, str]:
    """What was said before, and what is searched for."""
    text = asked.question.text
    if not asked.conversation or deps.conversations is None:
        return Spoken(), text
    try:
        state = await deps.conversations.state(asked.user, asked.conversation, config.recent_turns)
    except MemoryUnavailable as error:
        way.notices.append(Notice("conversation_unavailable", str(error)))
        return Spoken(), text
    way.lap("conversation")
    condensed = await condense(text, state, deps.llm, config, deps.mark)
    way.lap("condense")
    way.notices += condensed.notices
    if condensed.by == "deterministic":
        said = f"by rules, without a language model, was searched for: {condensed.query}"
        way.notices.append(Notice("rewrite_deterministic", said))
    turns = state.turns[-_MOST_TURNS * config.recent_turns :] if config.recent_turns else ()
    return Spoken(turns, state.summary), condensed.query


async def _search(question: Question, deps: AnswerDeps) -> EvidencePack:
    try:
        return await deps.search(question)
    except IndexNotFound as error:
        return nothing_indexed(question.text, EVIDENCE_VERSION, str(error))


async def _recall(
    user: str, query: str, deps: AnswerDeps, config: AnswerConfig, basis: Basis, way: _Way
) -> tuple[Fact, ...]:
    """What is remembered of the user that has to do with what is searched for, unless nobody is
    told anything."""
    if not (user and config.facts and basis.evidence and deps.memory and deps.llm):
        return ()
    try:
        facts = await deps.memory.recall(user, query, config.facts)
    except PinciteError as error:
        way.notices.append(Notice("memory_unavailable", str(error)))
        return ()
    way.lap("memory")
    return facts[: config.facts]


def _prompt(
    question: str,
    basis: Basis,
    facts: tuple[Fact, ...],
    spoken: Spoken,
    deps: AnswerDeps,
    config: AnswerConfig,
) -> Prompt | None:
    """What the model is told; None where none is asked."""
    if deps.llm is None or (not basis.evidence and config.refusal == "sentence"):
        return None
    refused = not basis.evidence
    told = prompt_of(config.mode, refused=refused, folder=config.prompts)
    if refused:
        return write_refusal(told.text, question, deps.mark)
    return write_prompt(
        *(told.text, question, basis.evidence, deps.mark),
        weak=basis.weak,
        facts=facts,
        spoken=spoken,
        context_tokens=config.context_tokens,
    )


def _of_prompt(prompt: Prompt) -> list[Notice]:
    """What of the evidence the model was not told."""
    said = []
    if prompt.left_out:
        named = ", ".join(f"[{number}]" for number in prompt.left_out)
        text = f"there was no room for {named} in the prompt (answer.context_tokens)"
        said.append(Notice("evidence_left_out", text))
    if prompt.cut:
        text = f"of [{prompt.cut[0]}] only the beginning is in the prompt (answer.context_tokens)"
        said.append(Notice("evidence_cut", text))
    return said


def _finished(
    base: Answer,
    basis: Basis,
    prompt: Prompt | None,
    written: Written | None,
    deps: AnswerDeps,
    config: AnswerConfig,
    way: _Way,
) -> Answer:
    """The answer with its text and what that cites."""
    if written is not None:
        way.notices += written.notices
    terms = deps.terms_of(base.evidence)
    text = written.text if written is not None else ""
    if not basis.evidence:
        if written is None or written.failed:
            return alike(base, text=config.sentence)
        bare = check(text, (), terms, must_cite=False)
        return alike(base, text=bare.text.strip() or config.sentence, removed=bare.removed)
    checked = Checked("")
    if prompt is not None and text.strip():
        checked = check(text, prompt.told, terms, must_cite=config.mode == "strict")
    if prompt is not None and written is not None and checked.text.strip():
        return alike(
            base,
            kind="failed" if written.failed else "generated",
            text=checked.text,
            sources=tuple(one.source for one in prompt.told),
            cited=checked.cited,
            doubts=checked.doubts,
            removed=checked.removed,
        )
    found = extract(base.evidence.query, basis.evidence, terms)
    cited = tuple(one.number for one in found.sources)
    taken = alike(base, text=found.text, sources=found.sources, cited=cited)
    if written is None:
        way.notices.append(Notice("extractive", _NO_MODEL))
        return alike(taken, kind="extractive")
    if not written.failed:
        way.notices.append(Notice("llm_failed", _NO_WORDS))
    taken = alike(taken, removed=checked.removed)
    return alike(taken, kind="failed", text=f"{NO_ANSWER}\n\n{found.text}")


async def _keep(asked: Asked, done: Answer, deps: AnswerDeps, way: _Way) -> None:
    """The turn of the user and that of the answer, for what is asked next."""
    if not asked.conversation or deps.conversations is None:
        return
    at = deps.now()
    cited = (one.citation for one in done.sources if one.number in done.cited)
    citations = tuple(one for one in cited if one_line(one) == one)  # names of files may be odd
    turns = (
        Turn("user", done.question, at),
        Turn("assistant", done.text, at, citations=citations),
    )
    try:
        await deps.conversations.append(asked.user, asked.conversation, turns)
    except PinciteError as error:
        way.notices.append(Notice("conversation_unavailable", f"this turn is not kept: {error}"))
