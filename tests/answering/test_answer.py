"""The path to an answer: what the model is sent, and what the user reads."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from pincite.answer import NO_ANSWER, AnswerDeps, answer
from pincite.answering.config import NOTHING_FOUND, AnswerConfig
from pincite.answering.generate import Written, generate
from pincite.errors import IndexNotFound, MemoryUnavailable, TagsRequired, Unavailable
from pincite.model import (
    Answer,
    AnswerPiece,
    Asked,
    ChatMode,
    EvidencePack,
    Fact,
    Notice,
    Omitted,
    Question,
)
from pincite.ports import LLM, Completion, Finish
from pincite.testing.fakes import ScriptedLLM
from tests.answering.evidence import BACKUPS, KEYS, TERMS, evidence, pack

QUESTION = "how is a key rotated?"
NEAR = evidence(BACKUPS)
PACKS = {
    "good": pack(evidence(KEYS), evidence(BACKUPS, 2)),
    "weak": pack(evidence(KEYS), level="weak"),
    "off topic": pack(level="none", closest=(NEAR,)),
    "nothing": pack(level="none", found=0),
    "stale": pack(level="none", omitted=(Omitted("stale", "a:b#L1", "main", "b"),)),
    "out of scope": pack(
        level="none", found=0, warnings=(Notice("nothing_in_scope", "no file is below nope/"),)
    ),
}


@dataclass
class Recalled:
    """A memory that has one fact, or is out of reach."""

    broken: bool = False
    fingerprint: str = "recalled"
    asked: list[str] = field(default_factory=list)

    async def recall(self, user: str, query: str, limit: int) -> tuple[Fact, ...]:
        self.asked.append(user)
        if self.broken:
            raise MemoryUnavailable("the disk is gone")
        return tuple(Fact(str(n), user, f"fact {n}") for n in range(limit + 3))


def events(
    found: EvidencePack | Exception,
    llm: LLM | None = None,
    *,
    mode: ChatMode = "strict",
    user: str = "",
    memory: Any = None,
    terms: Callable[[str], frozenset[str]] = TERMS,
    **config: Any,
) -> list[Any]:
    """All that the path yields."""

    async def search(_: Question) -> EvidencePack:
        if isinstance(found, Exception):
            raise found
        return found

    ticks = itertools.count()
    deps = AnswerDeps(
        search, lambda _: terms, "c0ffee", lambda: "2026-01-01T00:00:00Z", lambda: next(ticks)
    )
    deps = AnswerDeps(
        **{f: getattr(deps, f) for f in deps.__slots__} | {"llm": llm, "memory": memory}
    )
    asked = Asked(Question(QUESTION), user)

    async def run() -> list[Any]:
        return [one async for one in answer(asked, deps, AnswerConfig(mode=mode, **config))]

    return asyncio.run(run())


def answered(*args: Any, **kwargs: Any) -> Answer:
    *pieces, last = events(*args, **kwargs)
    assert all(isinstance(one, AnswerPiece) for one in pieces)
    assert isinstance(last, Answer)
    return last


def codes(of: Answer) -> list[str]:
    return [one.code for one in of.warnings]


@pytest.mark.parametrize("mode", ["strict", "open", "learning"])
@pytest.mark.parametrize("found", ["good", "weak"])
def test_evidence_is_told_and_cited_in_every_mode(found: str, mode: ChatMode) -> None:
    llm = ScriptedLLM("Call `rotate_key` with the new secret [1].")
    one = answered(PACKS[found], llm, mode=mode)
    assert (one.kind, one.text) == ("generated", "Call `rotate_key` with the new secret [1].")
    assert [source.number for source in one.sources] == list(range(1, len(PACKS[found]) + 1))
    assert one.cited == (1,)
    sent = llm.asked[0][-1].content
    assert KEYS in sent
    assert ("This passage is weak" in sent) == (found == "weak")
    assert (one.model, len(one.prompt)) == ("scripted", 64)
    assert one.doubts == ()


@pytest.mark.parametrize("mode", ["strict", "open", "learning"])
@pytest.mark.parametrize("found", ["nothing", "stale", "out of scope"])
@pytest.mark.parametrize("llm", [None, ScriptedLLM("invented")])
def test_without_any_passage_the_sentence_is_said_and_no_model_is_asked(
    llm: ScriptedLLM | None, found: str, mode: ChatMode
) -> None:
    one = answered(PACKS[found], llm, mode=mode, sentence="Nope.")
    assert (one.kind, one.text, one.sources, one.cited) == ("refused", "Nope.", (), ())
    assert llm is None or llm.asked == []
    reason = {"nothing": "nothing_found", "out of scope": "scope"}.get(found, found)
    assert codes(one) == [f"refused_{reason}"]
    assert (one.model, one.prompt) == ("", "")


def test_an_answer_of_another_version_is_refused() -> None:
    notes = evidence("Released 2010-05-28", headings=("Version 0.3.1",))
    found = pack(notes, level="weak", query="when was version 3.9.9 released?")
    one = answered(found, sentence="Nope.")
    assert (one.kind, one.text, one.sources) == ("refused", "Nope.", ())
    assert codes(one) == ["weak_evidence", "refused_other_version"]
    assert one.warnings[-1].message == "all passages are about other versions than 3.9.9"
    failed = answered(found, ScriptedLLM(""), sentence="Nope.")
    assert (failed.kind, failed.text) == ("refused", "Nope.")


def test_off_topic_strict_refuses_and_tells_nobody_anything() -> None:
    llm = ScriptedLLM("invented")
    one = answered(PACKS["off topic"], llm, user="ann", memory=Recalled())
    assert (one.kind, one.text, one.sources) == ("refused", NOTHING_FOUND, ())
    assert llm.asked == []
    assert codes(one) == ["refused_off_topic"]


@pytest.mark.parametrize("mode", ["open", "learning"])
def test_off_topic_open_and_learning_tell_the_nearest_passage_as_weak(mode: ChatMode) -> None:
    llm = ScriptedLLM("From general knowledge: keys rotate.")
    one = answered(PACKS["off topic"], llm, mode=mode)
    assert one.kind == "generated"
    assert "This passage is weak" in llm.asked[0][-1].content
    assert "general knowledge" in llm.asked[0][0].content
    assert [source.citation for source in one.sources] == [NEAR.citation]
    assert codes(one) == ["weak_evidence"]
    assert one.doubts == ()


@pytest.mark.parametrize("llm", [None, ScriptedLLM("Keys rotate [1].")])
def test_weak_evidence_is_named_with_the_reason_of_the_verdict(llm: ScriptedLLM | None) -> None:
    weak = PACKS["weak"]
    one = answered(weak, llm)
    (notice,) = [said for said in one.warnings if said.code == "weak_evidence"]
    assert notice.message.endswith(weak.verdict.reason)
    assert one.evidence.verdict.level == "weak"
    assert "weak_evidence" not in codes(answered(PACKS["good"], llm))
    below = (Notice("below_threshold", "The best passage is weak."),)
    told = pack(evidence(KEYS), level="weak", warnings=below)
    assert "weak_evidence" not in codes(answered(told, llm))


def test_a_model_that_refuses_is_told_no_passage_and_cites_none() -> None:
    llm = ScriptedLLM("Sorry, nothing about that [1].")
    one = answered(PACKS["off topic"], llm, refusal="model")
    assert (one.kind, one.text, one.removed) == ("refused", "Sorry, nothing about that.", ("[1]",))
    assert one.sources == ()
    assert BACKUPS not in str(llm.asked)
    assert answered(PACKS["off topic"], None, refusal="model").text == NOTHING_FOUND


@pytest.mark.parametrize("mode", ["strict", "open"])
def test_without_a_model_sentences_of_the_evidence_are_the_answer(mode: ChatMode) -> None:
    one = answered(PACKS["good"], mode=mode)
    assert (one.kind, codes(one)) == ("extractive", ["extractive"])
    assert one.sources[0].text in KEYS
    assert one.cited == tuple(source.number for source in one.sources)


def test_no_index_is_a_refusal_that_says_so() -> None:
    one = answered(IndexNotFound("there is no index", hint="pincite index PATH"), ScriptedLLM("x"))
    assert (one.kind, codes(one)) == ("refused", ["refused_no_index"])
    assert "pincite index PATH" in one.warnings[0].message
    assert Answer.from_dict(one.to_dict()) == one


def test_missing_tags_are_no_refusal_but_an_error() -> None:
    with pytest.raises(TagsRequired):
        answered(TagsRequired("tags"), ScriptedLLM("x"))


def test_pieces_are_as_written_and_the_answer_has_lost_what_is_foreign() -> None:
    *pieces, last = events(PACKS["good"], ScriptedLLM("Call `rotate_key` [9] now [1]."))
    assert "".join(one.text for one in pieces) == "Call `rotate_key` [9] now [1]."
    assert last.text == "Call `rotate_key` now [1]."
    assert last.removed == ("[9]",)
    assert [one.why for one in last.doubts] == ["foreign_citation"]


def test_what_the_passages_do_not_say_is_doubtful() -> None:
    one = answered(PACKS["good"], ScriptedLLM("Keys expire after 90 days [1]."))
    assert [(doubt.why, doubt.detail) for doubt in one.doubts] == [("number", "90 days")]


def test_what_a_model_thinks_aloud_is_no_part_of_its_answer() -> None:
    llm = ScriptedLLM("<think> is it [1]? </think>\nCall `rotate_key` [1].")
    *pieces, last = events(PACKS["good"], llm)
    assert last.text == "".join(one.text for one in pieces) == "Call `rotate_key` [1]."
    assert answered(PACKS["good"], ScriptedLLM("<think> for ever")).kind == "failed"


def test_thoughts_of_any_length_and_number_are_left_out() -> None:
    text = "<think>a[1]</think> <think></think>\n<thin ice> [1]."
    (written,) = [one for one in spoken(list(text)) if isinstance(one, Written)]
    assert written.text == "<thin ice> [1]."
    thoughts = ["<think>", *["ab "] * 50_000, "</th", "ink>", "Yes [1]."]
    assert spoken(thoughts, 25_000)[-1] == Written("Yes [1].")


def test_one_piece_is_no_longer_than_an_answer_may_be() -> None:
    *pieces, last = spoken(["word " * 1_000_000], 10)
    assert pieces == [last.text]
    assert len(last.text) == 200
    assert [one.code for one in last.notices] == ["answer_length"]


def spoken(pieces: list[str], max_tokens: int = 1_000) -> list[Any]:
    """What is left of these pieces."""

    async def run() -> list[Any]:
        llm = Broken(tuple(pieces))
        return [one async for one in generate(llm, (), max_tokens, 60.0)]

    return asyncio.run(run())


def test_an_answer_of_foreign_citations_alone_is_none() -> None:
    one = answered(PACKS["good"], ScriptedLLM("[8] [９]"))
    assert (one.kind, codes(one), one.removed) == ("failed", ["llm_failed"], ("[8]", "[9]"))
    assert one.text.startswith("The language model gave no answer.")
    refused = answered(PACKS["off topic"], ScriptedLLM("[8]"), refusal="model")
    assert (refused.kind, refused.text) == ("refused", NOTHING_FOUND)


def test_sentences_that_replace_a_model_s_text_are_a_piece_too() -> None:
    *pieces, last = events(PACKS["good"], ScriptedLLM("[8][9]"))
    assert pieces[-1].text == f"\n\n{last.text}"
    *pieces, last = events(PACKS["good"], ScriptedLLM(""))
    assert [one.text for one in pieces] == [last.text]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "The passages do not answer the question. [0]",
            "The passages do not answer the question.",
        ),
        ("Davon steht dort nichts [0].", "Davon steht dort nichts."),
        ("The passages do not answer the question.", None),
        ("The provided context doesn't contain this information.", None),
        ("There is no information about tomatoes in the passages.", None),
    ],
)
def test_a_model_that_finds_no_answer_in_the_passages_refuses(said: str, text: str | None) -> None:
    one = answered(PACKS["good"], ScriptedLLM(said))
    assert (one.kind, one.text, codes(one)) == ("refused", text or said, ["refused_not_answered"])
    assert (one.sources, one.doubts, one.removed) == ((), (), ())
    assert answered(PACKS["good"], ScriptedLLM(said), mode="open").kind != "refused"


@pytest.mark.parametrize(
    "said",
    [
        "Keys expire after 30 days [1]. The passages do not answer the rest [0].",
        "The passages do not say it [1].",
        "Keys do not expire.",
        "Documents do not contain keys.",
        "The passages answer the question.",
        "Call it. Then wait. Then go [0].",
    ],
)
def test_any_other_answer_is_no_refusal(said: str) -> None:
    assert answered(PACKS["good"], ScriptedLLM(said)).kind == "generated"


def test_pieces_may_cut_a_citation_anywhere() -> None:
    text = "Call `rotate_key` [1][8] with the new secret [９]."
    for cuts in range(1, 4):
        pieces = [text[at : at + cuts] for at in range(0, len(text), cuts)]
        one = answered(PACKS["good"], Broken(tuple(pieces)))
        assert one.text == "Call `rotate_key` [1] with the new secret."
        assert (one.cited, one.removed) == ((1,), ("[8]", "[9]"))


def test_facts_are_told_once_there_is_evidence_and_kept_to_their_number() -> None:
    llm = ScriptedLLM("Call `rotate_key` [1].")
    one = answered(PACKS["good"], llm, user="ann", memory=Recalled(), facts=2)
    assert [fact.text for fact in one.facts] == ["fact 0", "fact 1"]
    assert "- fact 1\n" in llm.asked[0][-1].content
    assert "fact 2" not in llm.asked[0][-1].content
    nobody = Recalled()
    assert answered(PACKS["good"], llm, memory=nobody).facts == ()
    assert nobody.asked == []


def test_memory_that_is_gone_costs_a_warning() -> None:
    one = answered(PACKS["good"], ScriptedLLM("Yes [1]."), user="ann", memory=Recalled(broken=True))
    assert (one.kind, codes(one)) == ("generated", ["memory_unavailable"])


@dataclass
class Broken:
    """A model that writes some words and fails, or ends for another reason."""

    words: tuple[str, ...] = ()
    error: Exception | None = None
    finish: Finish = "stop"
    hangs: bool = False
    closed: bool = False
    fingerprint: str = "broken"

    async def complete(self, *_: Any, **__: Any) -> Completion:
        raise NotImplementedError

    async def stream(
        self, *_: Any, on_finish: Callable[[Finish], None] | None = None, **__: Any
    ) -> AsyncIterator[str]:
        try:
            for word in self.words:
                yield word
            if self.hangs:
                await asyncio.Event().wait()
            if self.error is not None:
                raise self.error
            if on_finish is not None:
                on_finish(self.finish)
        finally:
            self.closed = True


def test_a_model_that_fails_leaves_the_evidence_and_its_sentences() -> None:
    one = answered(PACKS["good"], Broken(error=Unavailable("it is down")))
    assert one.kind == "failed"
    assert one.text.startswith(f"{NO_ANSWER}\n\nTo rotate a key")
    assert one.sources[0].text in KEYS
    assert one.evidence == PACKS["good"]
    assert codes(one) == ["llm_failed"]
    assert one.warnings[0].message == "Unavailable: it is down"


def test_what_was_written_before_a_fault_is_kept_and_checked() -> None:
    one = answered(PACKS["good"], Broken(("Keys ", "expire ", "[7]"), Unavailable("cut")))
    assert (one.kind, one.text, one.removed) == ("failed", "Keys expire", ("[7]",))
    assert [source.number for source in one.sources] == [1, 2]


@pytest.mark.parametrize(
    ("llm", "kind", "code"),
    [
        (Broken(("Keys ", "expire"), finish="length"), "generated", "answer_length"),
        (Broken((), finish="filter"), "failed", "answer_filtered"),
        (Broken(("Keys",), finish="filter"), "failed", "answer_filtered"),
        (Broken((), finish="tools"), "failed", "llm_failed"),
        (Broken((" \n",)), "failed", "llm_failed"),
        (Broken(("Keys ",), hangs=True), "failed", "llm_failed"),
        (Broken(("word " * 50,) * 9), "generated", "answer_length"),
    ],
)
def test_every_other_end_is_named(llm: Broken, kind: str, code: str) -> None:
    one = answered(PACKS["good"], llm, timeout_s=0.2, answer_tokens=20)
    assert one.kind == kind
    assert code in codes(one)
    assert one.evidence == PACKS["good"]
    assert llm.closed


def test_a_model_that_fails_to_refuse_leaves_the_sentence() -> None:
    one = answered(PACKS["off topic"], Broken(("I think ",), Unavailable("cut")), refusal="model")
    assert (one.kind, one.text) == ("refused", NOTHING_FOUND)
    assert codes(one) == ["refused_off_topic", "llm_failed"]


def test_leaving_early_closes_the_request() -> None:
    llm = Broken(("one ", "two "), hangs=True)

    async def search(_: Question) -> EvidencePack:
        return PACKS["good"]

    deps = AnswerDeps(search, lambda _: TERMS, "c0ffee", str, lambda: 0.0, llm)

    async def run() -> None:
        stream: Any = answer(Asked(Question(QUESTION)), deps, AnswerConfig())
        async for _ in stream:
            break
        await stream.aclose()

    asyncio.run(run())
    assert llm.closed


def test_what_had_no_room_in_the_prompt_is_a_warning() -> None:
    long = pack(evidence(KEYS), evidence("word " * 3_000, 2))
    one = answered(long, ScriptedLLM("Yes [1]."), context_tokens=400)
    assert codes(one) == ["evidence_left_out"]
    assert [source.number for source in one.sources] == [1]
