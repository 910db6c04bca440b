from __future__ import annotations

import pytest

from pincite.errors import ConfigError
from pincite.model import Candidate, Signal
from pincite.stages.cover import CoverageConfig, CoverFacts, cover
from tests.builders import chunk

QUESTION = "rotate the signing key"


def terms(text: str) -> frozenset[str]:
    return frozenset(text.lower().split()) - {"the"}


def candidate(text: str, cosine: float | None = None, **values: object) -> Candidate:
    dense = () if cosine is None else (Signal("dense", "cosine", cosine),)
    return Candidate("main", chunk("a", text=text, **values), dense)


def coverage(one: Candidate, **options: object) -> Signal:
    found = cover(QUESTION, (one,), terms, CoverageConfig(), **options)  # type: ignore[arg-type]
    return found[0].signals[-1]


def test_without_a_cosine_it_is_the_share_of_the_words() -> None:
    assert coverage(candidate("the key of the door")) == Signal("coverage", "share", 1 / 3)
    assert coverage(candidate("how to rotate a signing key")) == Signal("coverage", "share", 1.0)


def test_with_a_cosine_the_words_weigh_half_as_much() -> None:
    signal = coverage(candidate("rotate a key", 0.6))
    assert signal.kind == "normalised"
    assert signal.value == pytest.approx((0.6 + 0.5 * 2 / 3) / 1.5)


def test_a_negative_cosine_counts_as_nothing() -> None:
    assert coverage(candidate("a door", -0.2)) == Signal("coverage", "normalised", 0.0)


def test_where_the_model_does_not_know_the_language_only_words_count() -> None:
    facts = CoverFacts(foreign=frozenset({"main"}))
    signal = coverage(candidate("rotate a key", 0.9), facts=facts)
    assert signal == Signal("coverage", "share", 2 / 3)


def test_what_a_reranker_moved_down_is_still_looked_at() -> None:
    best, others = candidate("rotate the signing key"), [candidate(f"a door {n}") for n in "abc"]
    best, *others = (
        Candidate("main", chunk(f"c{n}", text=one.chunk.text), ())
        for n, one in enumerate((best, *others))
    )
    config = CoverageConfig(candidates=1)
    moved = (*others, best)
    alone = cover(QUESTION, moved, terms, config)
    assert [one.signal("coverage") is not None for one in alone] == [True, False, False, False]
    found = cover(QUESTION, moved, terms, config, before=(best, *others))
    assert [one.chunk.id for one in found] == [one.chunk.id for one in moved]
    assert [one.signal("coverage") is not None for one in found] == [True, False, False, True]
    assert found[-1].signals[-1].value == 1.0


def test_title_headings_and_symbols_are_read_too() -> None:
    one = candidate("...", title="Signing", headings=("Rotate",), symbols=("key",))
    assert coverage(one).value == 1.0


def test_a_question_without_words_is_not_covered() -> None:
    found = cover("the", (candidate("the"),), terms, CoverageConfig())
    assert found[0].signals[-1] == Signal("coverage", "share", 0.0)


def test_only_the_best_few_are_looked_at_and_the_order_stays() -> None:
    candidates = tuple(candidate(f"key {n}") for n in range(4))
    found = cover(QUESTION, candidates, terms, CoverageConfig(candidates=2))
    assert [one.signal("coverage") is not None for one in found] == [True, True, False, False]
    assert [one.chunk for one in found] == [one.chunk for one in candidates]
    assert cover(QUESTION, (), terms, CoverageConfig()) == ()


def test_a_profile_that_makes_no_sense_is_refused() -> None:
    for wrong in ({"candidates": 0}, {"word_weight": -1}):
        with pytest.raises(ConfigError):
            CoverageConfig(**wrong)


def test_what_has_no_vector_yet_has_the_share_of_the_words() -> None:
    found = (candidate("rotate a key", 0.6), candidate("how to rotate the signing key"))
    alone = cover(QUESTION, found, terms, CoverageConfig())
    assert alone[1].signal("coverage") is None
    partial = cover(QUESTION, found, terms, CoverageConfig(), CoverFacts(partial={"main"}))
    signal = partial[1].signal("coverage")
    assert signal == Signal("coverage", "share", 1.0)
    assert partial[0] == alone[0]


def test_question_words_of_asia_are_not_asked_for() -> None:
    one = candidate("SIGPIPE 表示")
    covered = cover("SIGPIPE 表示 什么", (one,), terms, CoverageConfig())
    assert covered[0].signals[-1] == Signal("coverage", "share", 1.0)


def test_values_of_a_message_do_not_count_where_code_has_the_message() -> None:
    def value(text: str, kind: str = "code", asked: str = "cannot open the file 17 /a") -> float:
        one = candidate(text, source_type=kind)
        (found,) = cover(asked, (one,), terms, CoverageConfig())
        return found.signals[-1].value

    raises = 'fail("cannot open the file %d %s")'
    words = raises.replace("(", "( ").replace('"', " ")
    assert value(words) == 1.0
    assert value(words, "docs") == 3 / 5  # a page may be about another number
    assert value("open , cannot , file") == 3 / 5  # the same words, but not the message
    assert value(words, asked="cannot open the file twice 17") == 3 / 4
