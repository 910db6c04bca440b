"""A word that the index lacks, in a question that it has other words of."""

from __future__ import annotations

import asyncio

from pincite.model import EvidencePack, Scope
from pincite.ports import Searchable
from pincite.profile import Profile
from pincite.stages.gate import GateConfig
from pincite.support.fields import replace
from tests.small_search import TEXTS, TopicEncoder, ask, make

QUESTION = "how are keys of Facebook rotated in Kazakhstan?"


def collection(*, lexical: bool = True) -> Searchable:
    return asyncio.run(make(None if lexical else TopicEncoder(), TEXTS))


def asked(question: str, gate: GateConfig | None = None, *, lexical: bool = True) -> EvidencePack:
    profile = replace(Profile(), gate=gate or GateConfig())
    return ask(question, collection(lexical=lexical), profile=profile)


def test_by_words_alone_it_makes_the_verdict_weak() -> None:
    without = asked(QUESTION, GateConfig(absent_share=0)).verdict
    assert (without.level, without.kind) == ("grounded", "share")
    pack = asked(QUESTION)
    assert (pack.verdict.level, pack.verdict.value) == ("weak", without.value)
    assert "“Facebook”, “Kazakhstan” occur nowhere" in pack.verdict.reason
    assert pack.absent_terms.index == ("Facebook", "Kazakhstan")
    assert pack[0].path == asked(QUESTION, GateConfig(absent_share=0))[0].path


def test_a_question_without_such_a_word_is_grounded() -> None:
    assert asked("how are keys rotated?").verdict.level == "grounded"


def test_words_that_ask_and_mistyped_words_keep_it() -> None:
    pack = asked("pls, how are keys of bakups rotated?")
    assert (pack.verdict.level, pack.verdict.value < 0.6) == ("grounded", True)
    assert pack.absent_terms.index == ("pls", "bakups")


def test_with_a_model_too_unless_the_passage_is_near_enough() -> None:
    near = asked("key secret Facebook", lexical=False).verdict
    assert (near.level, near.kind) == ("grounded", "normalised")
    strict = asked("key secret Facebook", GateConfig(absent_normalised=1.0), lexical=False).verdict
    assert (strict.level, strict.value) == ("weak", near.value)


def test_a_search_of_nothing_says_of_no_word_that_the_index_lacks_it() -> None:
    pack = ask(QUESTION, collection(), scope=Scope(paths=("nowhere/*",)))
    assert [one.code for one in pack.warnings] == ["nothing_in_scope"]
    assert (pack.absent_terms.index, pack.absent_terms.evidence) == ((), ())
