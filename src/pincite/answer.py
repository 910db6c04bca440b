"""Turns a question into an answer that cites its evidence. Only this module orders the steps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from pincite.answering.basis import Basis, basis_of, nothing_indexed
from pincite.answering.check.check_answer import CheckedAnswer, check_answer
from pincite.answering.check.declined import declined
from pincite.answering.condense import condense
from pincite.answering.config import AnswerConfig
from pincite.answering.extract import extract
from pincite.answering.generate import Written, generate
from pincite.answering.prompt_files import PromptFolder, read_prompts
from pincite.answering.transcript import without_failed
from pincite.answering.write_prompt import Spoken, WrittenPrompt, write_prompt, write_refusal
from pincite.errors import IndexNotFound, MemoryUnavailable, PinciteError
from pincite.model import (
    Answer,
    AnswerEvent,
    AnswerKind,
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
from pincite.support.fields import replace
from pincite.support.terminal import one_line

SCHEMA_VERSION = "1.0"
#: The line above extracted sentences if the model gave no answer.
NO_ANSWER = "The language model gave no answer. Sentences of the evidence:"
_NO_MODEL = (
    "no language model is configured, so the answer quotes the evidence: set [models] llm ="
    ' "PROVIDER:MODEL" in pincite.toml'
)
_NOT_ANSWERED = "the model found no answer in the passages"
_NO_WORDS = "the language model's answer had nothing but citations of unknown passages"
_MOST_TURNS = 3  # times `recent_turns`, if the older turns could not be summarised


@dataclass(frozen=True, slots=True)
class AnswerDeps:
    """Dependencies of an answer. `search` returns the evidence for a question. `terms_of` returns
    a function that finds the informative words of a text in the language of the evidence. `mark`
    is a string of random letters, new for each answer. `now` is the time in ISO 8601, `clock`
    counts seconds. `prompts` returns what the folder `answer.prompts` replaces.
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
    prompts: Callable[[str], PromptFolder] = read_prompts


async def answer(
    asked: Asked, deps: AnswerDeps, config: AnswerConfig
) -> AsyncIterator[AnswerEvent]:
    """Yield pieces as they are written, then the answer. Raises ConversationNotFound and the errors
    of the search except IndexNotFound. Any other failure is a warning of the answer."""
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
    done, by_model = _finished(done, basis, prompt, written, deps, config, way)
    way.lap("check")
    if not by_model:
        shown = written is not None and written.text.strip()
        yield AnswerPiece(f"\n\n{done.text}" if shown else done.text)
    await _keep(asked, done, deps, way)
    said = tuple(dict.fromkeys(way.notices))
    yield replace(done, warnings=said, timings_ms=way.timings_ms)


@dataclass(slots=True)
class _Way:
    """Collects warnings and the duration of each step."""

    clock: Callable[[], float]
    notices: list[Notice]
    timings_ms: dict[str, float] = field(default_factory=dict)
    since: float = field(init=False)

    def __post_init__(self) -> None:
        self.since = self.clock()

    def lap(self, name: str) -> None:
        """Record the time since the last step under this name."""
        now = self.clock()
        self.timings_ms[name] = round((now - self.since) * 1000, 3)
        self.since = now


async def _condense(
    asked: Asked, deps: AnswerDeps, config: AnswerConfig, way: _Way
) -> tuple[Spoken, str]:
    """Return the previous turns and the query for the search."""
    text = asked.question.text
    if not asked.conversation or deps.conversations is None:
        return Spoken(), text
    try:
        state = await deps.conversations.state(asked.user, asked.conversation, config.recent_turns)
    except MemoryUnavailable as error:
        way.notices.append(Notice("conversation_unavailable", str(error)))
        return Spoken(), text
    way.lap("conversation")
    state = replace(state, turns=without_failed(state.turns))
    condensed = await condense(text, state, deps.llm, config, deps.mark)
    way.lap("condense")
    way.notices += condensed.notices
    if condensed.by == "deterministic":
        said = (
            f"without a language model, rules rewrote the question; searched for: {condensed.query}"
        )
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
    """Return the facts about the user that fit the query. Empty without a user, evidence, memory or
    language model."""
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
) -> WrittenPrompt | None:
    """Return the prompt; None if no model is called."""
    if deps.llm is None or (not basis.evidence and config.refusal == "sentence"):
        return None
    refused = not basis.evidence
    told = deps.prompts(config.prompts).of(config.mode, refused=refused)
    if refused:
        return write_refusal(told.text, question, deps.mark)
    return write_prompt(
        *(told.text, question, basis.evidence, deps.mark),
        weak=basis.weak,
        facts=facts,
        spoken=spoken,
        context_tokens=config.context_tokens,
        order=config.order,
    )


def _of_prompt(prompt: WrittenPrompt) -> list[Notice]:
    """Return notices about evidence that the prompt leaves out or cuts."""
    said = []
    if prompt.left_out:
        named = ", ".join(f"[{number}]" for number in prompt.left_out)
        text = f"the prompt had no room for {named} (answer.context_tokens)"
        said.append(Notice("evidence_left_out", text))
    if prompt.cut:
        text = f"the prompt has only the beginning of [{prompt.cut[0]}] (answer.context_tokens)"
        said.append(Notice("evidence_cut", text))
    return said


def _finished(
    base: Answer,
    basis: Basis,
    prompt: WrittenPrompt | None,
    written: Written | None,
    deps: AnswerDeps,
    config: AnswerConfig,
    way: _Way,
) -> tuple[Answer, bool]:
    """Return the answer with its text, sources and citations, and whether a model wrote it."""
    if written is not None:
        way.notices += written.notices
    terms = deps.terms_of(base.evidence)
    text = written.text if written is not None else ""
    if not basis.evidence:
        if written is None or written.failed:
            return replace(base, text=config.sentence), False
        bare = check_answer(text, (), terms, must_cite=False)
        own = bare.text.strip()
        return replace(base, text=own or config.sentence, removed=bare.removed), bool(own)
    whole = written is not None and not written.failed
    if whole and config.mode == "strict" and (refusal := declined(text)):
        way.notices.append(Notice("refused_not_answered", _NOT_ANSWERED))
        return replace(base, text=refusal), True
    checked = CheckedAnswer("")
    if prompt is not None and text.strip():
        checked = check_answer(text, prompt.told, terms, must_cite=config.mode == "strict")
    if prompt is not None and written is not None and checked.text.strip():
        kind: AnswerKind = "failed" if written.failed else "generated"
        made = replace(
            base,
            kind=kind,
            text=checked.text,
            sources=tuple(one.source for one in prompt.told),
            cited=checked.cited,
            doubts=checked.doubts,
            removed=checked.removed,
        )
        return made, True
    found = extract(base.evidence.query, basis.evidence, terms)
    if found.lacking:
        said = f"all passages are about other versions than {' or '.join(found.lacking)}"
        way.notices.append(Notice("refused_other_version", said))
        return replace(base, text=config.sentence, removed=checked.removed), False
    cited = tuple(one.number for one in found.sources)
    taken = replace(base, text=found.text, sources=found.sources, cited=cited)
    if written is None:
        way.notices.append(Notice("extractive", _NO_MODEL))
        return replace(taken, kind="extractive"), False
    if not written.failed:
        way.notices.append(Notice("llm_failed", _NO_WORDS))
    taken = replace(taken, removed=checked.removed)
    return replace(taken, kind="failed", text=f"{NO_ANSWER}\n\n{found.text}"), False


async def _keep(asked: Asked, done: Answer, deps: AnswerDeps, way: _Way) -> None:
    """Store the user's turn and the answer in the conversation."""
    if not asked.conversation or deps.conversations is None:
        return
    at = deps.now()
    cited = (one.citation for one in done.sources if one.number in done.cited)
    citations = tuple(one for one in cited if one_line(one) == one)  # no control characters
    turns = (
        Turn("user", done.question, at),
        Turn("assistant", done.text, at, citations=citations, kind=done.kind),
    )
    try:
        await deps.conversations.append(asked.user, asked.conversation, turns)
    except PinciteError as error:
        way.notices.append(Notice("conversation_unavailable", f"this turn was not saved: {error}"))
