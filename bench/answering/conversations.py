"""Follow-ups, and users kept apart.

- *Follow-ups*: what people rewrote in CAsT 2019 and CANARD (development set) is held against the
  question as it is, the last turn before it, all turns before it, and what `answering.condense`
  makes of it without a model. A term counts that the question does not have: precision and recall
  of those that were added among those that people added, over all follow-ups together, and F1.
  *whole*: F1 of all terms of the query, mean of the follow-ups. Terms are those of the English
  analyser. Constants were chosen on every second topic of CAsT (*tuned*).
- *Retrieval*: the follow-ups of `adk-dev` over documentation and code, searched for in each way,
  by words alone, which follow-ups hurt most; the human rewrite is the upper end. They are few
  (seven): a difference of .1 is noise.
- *Apart*: random calls for users whose names look alike, among them wildcards, quotes, prefixes of
  each other and control characters. A leak is a text, a count or a conversation of another user.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Final

import msgspec

from bench.adk import find_wheel, require_docs
from bench.frame import Options, require
from bench.product import open_product, spec_of, temporary_folder
from bench.retrieval.golden import score
from bench.variants import Variant, deps_of, profile_of
from pincite.answering.condense import condense
from pincite.answering.config import AnswerConfig
from pincite.answering.summarise import summarise
from pincite.errors import ConversationNotFound
from pincite.evals.golden.questions import GoldenQuery, GoldenSet, read_golden
from pincite.evals.golden.targets import find_targets
from pincite.evals.run.runner import Subject, run_golden
from pincite.ingestion.options import IndexOptions
from pincite.model import Scope, Turn
from pincite.ports import ConversationState, Memory
from pincite.providers.conversations.sqlite import SqliteConversations
from pincite.providers.memory.sqlite import SqliteMemory
from pincite.providers.sparse.analyser import Analyser
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from pincite.testing.memories import LOOKALIKES

_CASES: Final = 10_000
_MEM0_CASES: Final = 300
_QUICK: Final = 60
_SIDES: Final[tuple[Variant, ...]] = ("lexical",)
_WORDS: Final = ("tea", "coffee", "bicycle", "printer", "cellar", "exam", "key", "lamp")


@dataclass(frozen=True, slots=True)
class AddedFigures:
    """What one way of asking adds, against what people added."""

    precision: float
    recall: float
    f1: float
    whole: float


@dataclass(frozen=True, slots=True)
class RewriteFigures:
    """Of one set: how many follow-ups, and the figures of each way."""

    name: str
    follow_ups: int
    ways: dict[str, AddedFigures]


@dataclass(frozen=True, slots=True)
class FoundFigures:
    """Of the follow-ups of the golden set, asked in one way."""

    recall_10: float
    recall_50: float
    ndcg_12: float
    mrr_12: float


@dataclass(frozen=True, slots=True)
class ApartFigures:
    """Random calls on one adapter: users, calls, leaks, and calls a second."""

    adapter: str
    users: int
    cases: int
    leaks: int
    cases_s: float


@dataclass(frozen=True, slots=True)
class ConversationFigures:
    """All of it. `condense_ms`: a follow-up without a model, median."""

    rewrites: tuple[RewriteFigures, ...]
    golden: int
    found: dict[str, dict[str, FoundFigures]]
    apart: tuple[ApartFigures, ...]
    condense_ms: float


class Row(msgspec.Struct, frozen=True):
    """A follow-up of a set."""

    id: str = msgspec.field(name="_id")
    question: str
    rewrite: str
    history: tuple[str, ...]


async def run(options: Options) -> ConversationFigures:
    """Rewrite, search, call. Raises SkippedError naming what is missing."""
    cast = _rows(require(options.data / "cast19-rewrite" / "eval.jsonl", "one turn per line"))
    canard = _rows(require(options.data / "canard-dev" / "dev.jsonl", "one turn per line"))
    if options.quick:
        cast, canard = cast[:60], canard[:60]
    topics = sorted({_topic(row) for row in cast})
    tuned = set(topics[::2])
    with temporary_folder() as work:
        states = await _states(cast, work / "cast.db", answers=False)
        spent: list[float] = []
        rewrites = [
            await _rewrites(name, rows, states, spent)
            for name, rows in (
                ("cast19, tuned", [row for row in cast if _topic(row) in tuned]),
                ("cast19, others", [row for row in cast if _topic(row) not in tuned]),
            )
        ]
        states = await _states(canard, work / "canard.db", answers=True)
        rewrites.append(await _rewrites("canard-dev", canard, states, spent))
        golden, found = await _found(options, work)
        cases = _QUICK if options.quick else _CASES
        apart = [
            await _apart_memory("memory, SQLite", SqliteMemory(work / "memory.db"), cases),
            await _apart_conversations(SqliteConversations(work / "apart.db"), cases),
        ]
        if (mem0 := _mem0(work / "mem0")) is not None:
            few = min(cases, _MEM0_CASES)
            apart.append(await _apart_memory("memory, mem0", mem0, few))
    condense_ms = 1_000 * sorted(spent)[len(spent) // 2]
    for one in apart:
        print(f"  {one.adapter}: {one.cases:,} cases, {one.leaks} leaks")
    return ConversationFigures(tuple(rewrites), golden, found, tuple(apart), condense_ms)


def _rows(path: Path) -> list[Row]:
    decoder = msgspec.json.Decoder(Row)
    return [decoder.decode(line) for line in path.read_bytes().splitlines() if line.strip()]


def _topic(row: Row) -> str:
    return row.id.split("#")[0] if "#" in row.id else row.id.split("_")[0]


async def _states(
    rows: Iterable[Row], place: Path, *, answers: bool
) -> Mapping[str, ConversationState]:
    """The state of the conversation before each row, with its rolling summary. With `answers` the
    first two texts of a history are title and section, and then questions and answers alternate."""
    conversations, config = SqliteConversations(place), AnswerConfig()
    begun: dict[str, str] = {}
    said: dict[str, int] = {}
    found = {}
    for row in rows:
        topic = _topic(row)
        if topic not in begun:
            begun[topic] = await conversations.begin("", row.history[0] if answers else "")
        texts = row.history[2:] if answers else row.history
        before = said.get(topic, 0)
        turns = [
            Turn("assistant" if answers and number % 2 else "user", text or "-")
            for number, text in enumerate(texts[before:], start=before)
        ]
        if turns:
            await conversations.append("", begun[topic], turns)
            await summarise(conversations, "", begun[topic], None, config)
        said[topic] = len(texts)
        found[row.id] = await conversations.state("", begun[topic], config.recent_turns)
    await conversations.close()
    return found


async def _rewrites(
    name: str,
    rows: Sequence[Row],
    states: Mapping[str, ConversationState],
    spent: list[float],
) -> RewriteFigures:
    follow_ups = [row for row in rows if row.history]
    queries: dict[str, list[str]] = {
        "the question": [row.question for row in follow_ups],
        "with the last turn": [f"{row.history[-1]} {row.question}" for row in follow_ups],
        "with all turns": [" ".join((*row.history, row.question)) for row in follow_ups],
    }
    made = []
    for row in follow_ups:
        started = time.perf_counter()
        made.append((await condense(row.question, states[row.id], None, AnswerConfig())).query)
        spent.append(time.perf_counter() - started)
    queries["condensed"] = made
    ways = {way: _added(follow_ups, given) for way, given in queries.items()}
    for way, one in ways.items():
        print(f"  {name}, {way}: P {one.precision:.3f} R {one.recall:.3f} F1 {one.f1:.3f}")
    return RewriteFigures(name, len(follow_ups), ways)


def _added(rows: Sequence[Row], queries: Sequence[str]) -> AddedFigures:
    terms: Callable[[str], list[str]] = Analyser().terms
    right = made = wanted = 0
    whole = []
    for row, query in zip(rows, queries, strict=True):
        own, human, got = (set(terms(text)) for text in (row.question, row.rewrite, query))
        right += len((human & got) - own)
        made += len(got - own)
        wanted += len(human - own)
        whole.append(2 * len(human & got) / max(1, len(human) + len(got)))
    precision, recall = right / max(1, made), right / max(1, wanted)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return AddedFigures(precision, recall, f1, mean(whole))


async def _found(options: Options, work: Path) -> tuple[int, dict[str, dict[str, FoundFigures]]]:
    golden = read_golden(require(options.golden / "adk-dev.jsonl", "one question per line"))
    queries = [one for one in golden.queries if one.conversation]
    docs = require_docs(options)
    found: dict[str, dict[str, FoundFigures]] = {}
    async with open_product(work / "index", options) as engine:
        chosen = IndexOptions(lexical=True)
        await engine.index([docs], options=chosen)
        if not options.quick:
            await engine.index([find_wheel(options, work)], options=chosen)
        client = engine.client()
        spec = await spec_of(client)
        for side in _SIDES:
            deps = deps_of(side, spec, client, None)
            subject = Subject(deps, Scope(), await find_targets(queries, deps.collections))
            found[side] = {}
            for way, asked in (await _ways(queries)).items():
                done = await run_golden(subject, asked, profile_of(side, results=50), way)
                one = score(done)
                found[side][way] = FoundFigures(
                    one.recall[10], one.recall[50], one.ndcg_12, one.mrr_12
                )
                print(f"  {side}, {way}: nDCG@12 {one.ndcg_12:.3f}, MRR@12 {one.mrr_12:.3f}")
    return len(queries), found


async def _ways(queries: Sequence[GoldenQuery]) -> dict[str, GoldenSet]:
    texts: dict[str, list[str]] = {}
    for query in queries:
        said = [turn.content for turn in query.conversation]
        asked = [turn.content for turn in query.conversation if turn.role == "user"]
        turns = tuple(
            Turn("user" if one.role == "user" else "assistant", one.content, number=number)
            for number, one in enumerate(query.conversation, start=1)
        )
        state = ConversationState(query.id, "", turns=turns)
        made = await condense(query.query, state, None, AnswerConfig())
        for way, text in (
            ("the question", query.query),
            ("with the user's last turn", f"{asked[-1]} {query.query}"),
            ("with all turns", " ".join((*said, query.query))),
            ("condensed", made.query),
            ("rewritten by a person", query.standalone),
        ):
            texts.setdefault(way, []).append(text)
    return {
        way: GoldenSet(
            way, tuple(replace(q, standalone=t) for q, t in zip(queries, given, strict=True))
        )
        for way, given in texts.items()
    }


def _mem0(folder: Path) -> Memory | None:
    from pincite.providers.memory.mem0 import Mem0Memory, import_quietly

    try:
        import_quietly(folder)
    except Exception as error:  # noqa: BLE001 - what is not installed is left out, and said
        print(f"  mem0 is left out: {error}")
        return None
    return Mem0Memory(folder, HashingEncoder())


async def _apart_memory(name: str, memory: Memory, cases: int) -> ApartFigures:
    """A third of the calls remembers, the rest recall; now and then somebody forgets."""
    chance, said, leaks = random.Random(1), {user: set[str]() for user in LOOKALIKES}, 0
    started = time.perf_counter()
    for number in range(cases):
        user, other = chance.choice(LOOKALIKES), chance.choice(LOOKALIKES)
        words = " ".join(chance.sample(_WORDS, 3))
        if number % 3 == 0:
            text = f"{words} mark{number}"
            await memory.remember(user, text)
            said[user].add(text)
        found = await memory.recall(other, words, 5)
        leaks += sum(one.text not in said[other] or one.user != other for one in found)
        if number % 97 == 0:
            leaks += await memory.forget(user) != len(said[user])
            said[user].clear()
            leaks += {one.text for one in await memory.facts(other)} != said[other]
    spent = time.perf_counter() - started
    await memory.close()
    return ApartFigures(name, len(LOOKALIKES), cases, leaks, cases / spent)


async def _apart_conversations(conversations: SqliteConversations, cases: int) -> ApartFigures:
    """Each call takes any owner and any conversation there is."""
    chance, leaks = random.Random(2), 0
    owned: dict[str, str] = {}
    said: dict[str, int] = {}
    started = time.perf_counter()
    for number in range(cases):
        owner = chance.choice(LOOKALIKES)
        if number % 5 == 0:
            owned[await conversations.begin(owner, f"of {owner}")] = owner
        id_ = chance.choice(list(owned))
        mine = owned[id_] == owner
        work = chance.choices(range(4), weights=(8, 4, 4, 1))[0]
        try:
            found = await _call(conversations, work, owner, id_)
        except ConversationNotFound:
            leaks += mine
            continue
        leaks += not mine
        if work == 0:
            said[id_] = said.get(id_, 0) + 1
            leaks += found != said[id_]
        elif work == 3:
            del owned[id_]
            said.pop(id_, None)
        else:
            texts = [one.text for one in (found if work == 1 else found.turns)]
            leaks += texts != [f"by {owner}!"] * said.get(id_, 0)
        if number % 50 == 0:
            listed = {one.id for one in await conversations.list(owner, 100_000)}
            leaks += listed != {id_ for id_, whose in owned.items() if whose == owner}
    spent = time.perf_counter() - started
    await conversations.close()
    return ApartFigures("conversations, SQLite", len(LOOKALIKES), cases, leaks, cases / spent)


async def _call(conversations: SqliteConversations, work: int, owner: str, id_: str) -> Any:
    if work == 0:
        return await conversations.append(owner, id_, (Turn("user", f"by {owner}!"),))
    if work == 1:
        return await conversations.turns(owner, id_)
    if work == 2:
        return await conversations.state(owner, id_, 6)
    return await conversations.delete(owner, id_)
