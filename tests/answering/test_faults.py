"""Every fault of a chat model, over real HTTP: an answer all the same, with its evidence and the
documented exit code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

import pytest

from pincite.engine import AsyncPincite
from pincite.model import Answer
from pincite.surfaces.cli.ask import code_of
from pincite.testing.contract_server import CHAT_FAULTS, FAULTS
from tests.answering.world import LLM, TEXTS, World, opened_world
from tests.providers.served import REFUSALS

Mode = Literal["strict", "open"]
GOOD: Final = "do backups run every night?"
WEAK: Final = "which secret opened the castle?"
FOLLOW_UP: Final = "and how long are they kept?"
#: The exit code of each kind of answer, as docs/answers.md has it.
CODES: Final = MappingProxyType({"generated": 0, "refused": 3, "failed": 4})


@dataclass(frozen=True)
class Outcome:
    """What becomes of an answer. `code` is that of the warning, `says` how it begins. `words` of
    the model: all of them, the first half, or none, which leaves sentences of the evidence."""

    code: str = "llm_failed"
    says: str = ""
    words: Literal["all", "half", "none"] = "none"
    whole: bool = False


OUTCOMES: Final[Mapping[str, Outcome]] = MappingProxyType(
    {
        **{name: Outcome(says=error.__name__) for name, error in REFUSALS.items()},
        "cut-off": Outcome(says="BadResponse", words="half"),
        "no-json": Outcome(says="BadResponse"),
        **{
            name: Outcome("", words="all", whole=True)
            for name in ("wrong-count", "wrong-order", "nan")
        },
        "filter": Outcome("answer_filtered"),
        "length": Outcome("answer_length", words="half", whole=True),
        "tools": Outcome(says=f"{LLM}"),
        "empty": Outcome(says=f"{LLM}"),
        "midway-error": Outcome(says="Unavailable", words="half"),
        "midway-cut": Outcome(says="BadResponse", words="half"),
        "stall": Outcome(says="Unavailable", words="half"),
        "no-finish": Outcome(says="BadResponse", words="all"),
    }
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with opened_world(tmp_path_factory.mktemp("faults")) as made:
        yield made


@pytest.fixture
def world(running: World) -> World:
    running.server.heal()
    running.forget()
    return running


def test_no_fault_is_forgotten() -> None:
    assert set(OUTCOMES) == {*FAULTS, *CHAT_FAULTS}


def ask(world: World, question: str, fault: str, mode: Mode, before: str = "") -> Answer:
    """The answer of a model that always has this fault, but for what is asked before."""

    async def work(engine: AsyncPincite) -> Answer:
        name = await engine.begin_conversation("ann")
        if before:
            await engine.answer(before, user="ann", conversation=name)
        world.server.fail(fault, times=99, path="completions", wait_s=1.0)
        return await engine.answer(question, user="ann", conversation=name)

    slow = fault in ("slow", "stall")
    return world.within(work, mode=mode, llm=LLM, timeout_s=0.3 if slow else None)


@pytest.mark.parametrize("mode", ["strict", "open"])
@pytest.mark.parametrize("fault", OUTCOMES)
def test_there_is_evidence(fault: str, mode: Mode, world: World) -> None:
    check(ask(world, GOOD, fault, mode), OUTCOMES[fault], "backups", mode)


@pytest.mark.parametrize("fault", OUTCOMES)
def test_the_evidence_is_weak(fault: str, world: World) -> None:
    answer = ask(world, WEAK, fault, "open")
    check(answer, OUTCOMES[fault], "keys", "open")
    assert len(answer.sources) == 1


@pytest.mark.parametrize("fault", OUTCOMES)
def test_there_is_nothing_to_answer_from(fault: str, world: World) -> None:
    """A model that cannot refuse leaves the refusal to the fixed sentence."""
    answer, outcome = ask(world, WEAK, fault, "strict"), OUTCOMES[fault]
    assert (answer.kind, answer.sources, code_of(answer)) == ("refused", (), 3)
    assert outcome.code in ["", *said(answer)]
    if not outcome.whole:
        assert answer.text == "I could not find anything about that in what is indexed."
    assert [one.path for one in answer.evidence.closest] == ["keys.md"]


@pytest.mark.parametrize("fault", OUTCOMES)
def test_the_question_cannot_be_rewritten(fault: str, world: World) -> None:
    """It is searched for as it is, and a warning says so; what comes then has the fault as well."""
    answer = ask(world, FOLLOW_UP, fault, "open", before=GOOD)
    rewritten = fault in ("wrong-count", "wrong-order", "nan")
    assert bool(answer.retrieval_query) == rewritten
    assert bool({"rewrite_unavailable", "rewrite_refused"} & set(said(answer))) != rewritten
    assert answer.kind == ("generated" if OUTCOMES[fault].whole else "failed")
    assert answer.sources
    assert code_of(answer) == CODES[answer.kind]


def check(answer: Answer, outcome: Outcome, near: str, mode: Mode) -> None:
    assert answer.kind == ("generated" if outcome.whole else "failed")
    assert code_of(answer) == CODES[answer.kind]
    assert answer.mode == mode
    assert answer.evidence.evidence
    assert {one.number for one in answer.sources} >= set(answer.cited)
    assert any(f"{near}.md#" in one.citation for one in answer.sources)
    (message,) = [one.message for one in answer.warnings if one.code == outcome.code] or [""]
    assert message.startswith(outcome.says)
    first = TEXTS[near].split()[0]
    if outcome.words == "none":
        lead, _, rest = answer.text.partition("\n\n")
        assert lead == "The language model gave no answer. Sentences of the evidence:"
        assert rest.endswith("]")
    else:
        assert answer.text.startswith(first)
        assert (TEXTS[near] in answer.text) or outcome.words == "half"


def said(answer: Answer) -> list[str]:
    return [one.code for one in answer.warnings]
