"""Every cell of strategy, mode, question, turn and model of the preset `chat`, over real HTTP: what
the store was asked, what the models were sent, the sources, and what the user reads.

What is expected follows from the rules of `Cell`, which say again in a few lines what docs/chat.md
and docs/answers.md promise.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

import numpy as np
import pytest

from pincite.asking import SearchOptions
from pincite.asking.answers import AnswerOptions
from pincite.engine import AsyncPincite
from pincite.model import Answer, ChatMode, Turn
from pincite.surfaces.cli.ask import code_of, show_answer
from pincite.testing.contract_server.texts import embed
from tests.answering.world import FACT, LLM, MODEL, RERANKER, TEXTS, World, opened_world

Strategy = Literal["mmr", "hybrid", "hybrid_rerank", "hybrid_rerank without"]
Case = Literal["good", "weak", "off topic", "empty"]
Place = Literal["first turn", "follow-up"]
Writer = Literal["llm", "none"]

#: What is asked first, what is asked then, a word of the first that the second leaves out, and the
#: document that is nearest to both, where one is meant.
QUESTIONS: Final[Mapping[Case, tuple[str, str, str, str]]] = MappingProxyType(
    {
        "good": (
            "do backups run every night?",
            "and how long are they kept?",
            "backups",
            "backups",
        ),
        "weak": ("which secret opened the castle?", "who carried it?", "castle", "keys"),
        "off topic": ("when did Vesuvius bury Pompeii?", "and who saw it?", "Vesuvius", ""),
        "empty": ("do backups run every night?", "and how long are they kept?", "backups", ""),
    }
)
#: How what a model is told begins.
TOLD: Final[Mapping[str, str]] = MappingProxyType(
    {
        "strict": "You answer a question from numbered passages, and from nothing else.",
        "open": "You answer a question with the help of numbered passages.",
        "learning": "You help somebody to understand something,",
        "refusal": "Nothing was found that is about the question.",
        "rewrite": "You rewrite the last question of a conversation",
    }
)


@dataclass(frozen=True)
class Cell:
    """One case, and what must be so in it."""

    strategy: Strategy
    mode: ChatMode
    case: Case
    place: Place
    writer: Writer

    @property
    def passages(self) -> Literal["all", "nearest", "none"]:
        """Above the threshold all that is found counts; below it the nearest alone, where the mode
        lets it."""
        if self.case == "good":
            return "all"
        return "none" if self.case == "empty" or self.mode == "strict" else "nearest"

    @property
    def kind(self) -> str:
        if self.passages == "none":
            return "refused"
        return "generated" if self.writer == "llm" else "extractive"

    @property
    def sides(self) -> list[set[str]]:
        """By what the store is searched in each step."""
        second = {"dense"} if self.strategy == "mmr" else {"dense", "sparse"}
        return [{"dense"}, second] if self.case == "good" else [{"dense"}]

    @property
    def prompts(self) -> list[str]:
        """What the model is told, in order."""
        if self.writer == "none":
            return []
        rewrite = ["rewrite"] if self.place == "follow-up" else []
        return [*rewrite, "refusal" if self.passages == "none" else self.mode]

    @property
    def reranked(self) -> bool:
        return self.strategy == "hybrid_rerank" and self.case == "good"

    @property
    def warnings(self) -> set[str]:
        refused = "refused_nothing_found" if self.case == "empty" else "refused_off_topic"
        every = {
            refused: self.passages == "none",
            "nothing_relevant": self.passages == "none" and self.case != "empty",
            "below_threshold": self.passages == "nearest",
            "extractive": self.kind == "extractive",
            "rewrite_deterministic": self.place == "follow-up" and self.writer == "none",
            "rerank_missing": self.strategy == "hybrid_rerank without" and self.case == "good",
        }
        return {code for code, there in every.items() if there}

    @property
    def code(self) -> int:
        return 3 if self.kind == "refused" else 0

    @property
    def question(self) -> str:
        first, second, _, _ = QUESTIONS[self.case]
        return second if self.place == "follow-up" else first


CELLS: Final = [
    Cell(*one)
    for one in itertools.product(
        *(get_args(each) for each in (Strategy, ChatMode, Case, Place, Writer))
    )
]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened_world(tmp_path_factory.mktemp("cells")) as made:
        yield made


@dataclass(frozen=True)
class Happened:
    """What came back, what went over the wire meanwhile, and the turns that are kept."""

    answer: Answer
    searched: Sequence[Any]
    chats: Sequence[Any]
    reranked: Sequence[Any]
    turns: tuple[Turn, ...]


def ask(world: World, cell: Cell) -> Happened:
    """The question of the cell as `pincite ask` asks it, in a conversation of its own."""

    async def work(engine: AsyncPincite) -> tuple[Answer, tuple[Turn, ...]]:
        name = await engine.begin_conversation("ann")
        if cell.place == "follow-up":
            await engine.answer(QUESTIONS[cell.case][0], user="ann", conversation=name)
        world.forget()
        options = AnswerOptions(SearchOptions(cell.question), "ann", name)
        answer = await show_answer(engine, options, shown=False)
        return answer, await engine.turns(name, "ann")

    strategy, _, without = cell.strategy.partition(" ")
    answer, turns = world.within(
        work,
        empty=cell.case == "empty",
        strategy=strategy,
        mode=cell.mode,
        llm=LLM if cell.writer == "llm" else "",
        rerank=RERANKER if strategy == "hybrid_rerank" and not without else "",
    )
    chats, reranked = world.asked("/completions"), world.asked("/rerank")
    return Happened(answer, world.searches(), chats, reranked, turns)


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
@pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: "-".join(vars(cell).values()))
def test_every_cell(cell: Cell, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    happened = ask(world, cell)
    shown = capsys.readouterr()
    check_searches(cell, happened)
    check_requests(cell, happened)
    check_answer(cell, happened)
    check_what_is_read(cell, happened.answer, shown.out, shown.err)


def check_searches(cell: Cell, happened: Happened) -> None:
    """The nearest first, and more only where it is near; a follow-up with what it leaves out."""
    query = happened.answer.retrieval_query or cell.question
    lost = QUESTIONS[cell.case][2]
    assert lost in query
    assert (cell.place == "first turn") == (query == cell.question)
    steps = [each for each in happened.searched if not _scores_alone(each)]
    assert [{one["using"] for one in each} for each in steps] == cell.sides
    (probe,) = steps[0]
    assert (probe["limit"], probe["params"]["exact"]) == (1, True)
    vector = embed(query, len(probe["query"]["nearest"]), model=MODEL)
    for each in steps:
        (dense,) = (one for one in each if one["using"] == "dense")
        np.testing.assert_allclose(dense["query"]["nearest"], vector, atol=1e-5)
    assert [body["query"] for body in happened.reranked] == [query] * cell.reranked


def _scores_alone(searches: Sequence[Any]) -> bool:
    """Asks for the other side's score of what one side has found."""
    filters = [one.get("filter", {}).get("must", [{}])[0] for one in searches]
    return all("has_id" in one for one in filters)


def check_requests(cell: Cell, happened: Happened) -> None:
    """What the model was told, and what it was not."""
    systems = [body["messages"][0]["content"] for body in happened.chats]
    assert len(systems) == len(cell.prompts)
    for system, name in zip(systems, cell.prompts, strict=True):
        assert system.startswith(TOLD[name])
    if not happened.chats:
        return
    *rewrites, body = happened.chats
    assert not any(FACT in str(one) for one in rewrites)
    assert body["stream"] is True
    *earlier, last = [one["content"] for one in body["messages"][1:]]
    passages = [text for text in TEXTS.values() if text in last]
    assert len(passages) == {"all": 3, "nearest": 1, "none": 0}[cell.passages]
    assert ("This passage is weak" in last) == (cell.passages == "nearest")
    assert (FACT in last) == (cell.passages != "none")
    assert f">\n{cell.question}\n</question-" in last
    before = cell.place == "follow-up" and cell.passages != "none"
    assert earlier[:1] == [QUESTIONS[cell.case][0]] * before
    assert [one["role"] for one in body["messages"][1:]] == [
        *["user", "assistant"] * before,
        "user",
    ]
    if happened.answer.retrieval_query:
        assert happened.answer.retrieval_query not in str(body)


def check_answer(cell: Cell, happened: Happened) -> None:
    answer = happened.answer
    assert (answer.kind, answer.mode, code_of(answer)) == (cell.kind, cell.mode, cell.code)
    said = {one.code for one in (*answer.warnings, *answer.evidence.warnings)}
    assert said == (cell.warnings | {"no_documents"} if cell.case == "empty" else cell.warnings)
    assert (answer.removed, answer.doubts) == ((), ())
    assert bool(answer.sources) == (cell.passages != "none")
    assert bool(answer.model) == bool(answer.prompt) == (cell.writer == "llm")
    assert (FACT in [fact.text for fact in answer.facts]) == (
        cell.writer == "llm" and cell.passages != "none"
    )
    if cell.passages == "nearest":
        assert len(answer.sources) == 1
    if cell.kind == "generated":
        assert len(answer.sources) == len(answer.evidence.evidence)
    assert [one.role for one in happened.turns][-2:] == ["user", "assistant"]
    assert [one.text for one in happened.turns][-2:] == [cell.question, answer.text]
    cited = [one.citation for one in answer.sources if one.number in answer.cited]
    assert list(happened.turns[-1].citations) == cited


def check_what_is_read(cell: Cell, answer: Answer, out: str, err: str) -> None:
    """The text, a line for each source that it cites, and the warnings beside it."""
    if cell.passages == "none":
        by_model, by_rule = "Nothing about that was found.", "I could not find anything about that"
        assert out.startswith(by_model if cell.writer == "llm" else by_rule)
        assert "[1]" not in out
    near = QUESTIONS[cell.case][3]
    if near and cell.passages != "none":
        (number,) = {one.number for one in answer.sources if f"{near}.md#" in one.citation}
        assert f"{TEXTS[near]} [{number}]" in out
        assert f"\n[{number}] docs@" in out
    assert len([line for line in out.splitlines() if line.startswith("[")]) == len(answer.cited)
    assert {code for code in cell.warnings if f"{code}: " not in err} == set()
