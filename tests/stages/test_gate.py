from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Candidate, Signal, SignalKind, SignalName
from pincite.questions.versions import asked_versions as about
from pincite.stages.gate import (
    GateConfig,
    OnTopic,
    RerankedThresholds,
    Thresholds,
    at_most_weak,
    gate,
)
from tests.builders import chunk

CONFIG = GateConfig(
    coverage_normalised=Thresholds(0.6, 0.4),
    coverage_share=Thresholds(0.7, 0.3),
    dense_cosine=Thresholds(0.5, 0.2),
    reranked_probability=RerankedThresholds(0.8, 0.1, calibrated=True, reranker="judge"),
)


Value = tuple[SignalName, SignalKind, float]


def candidate(*signals: Value) -> Candidate:
    return Candidate("main", chunk("a"), tuple(Signal(*signal) for signal in signals))


@pytest.mark.parametrize(
    ("value", "level"),
    [(0.6, "grounded"), (0.59, "weak"), (0.4, "weak"), (0.39, "none"), (0.0, "none")],
)
def test_a_threshold_belongs_to_the_level_it_opens(value: float, level: str) -> None:
    verdict = gate((candidate(("coverage", "normalised", value)),), CONFIG).verdict
    assert verdict.level == level
    assert (verdict.signal, verdict.kind, verdict.value) == ("coverage", "normalised", value)
    assert (verdict.grounded_at, verdict.weak_at) == (0.6, 0.4)


def test_the_same_number_means_different_things_in_different_kinds() -> None:
    pairs: tuple[tuple[SignalName, SignalKind], ...] = (
        ("coverage", "share"),
        ("coverage", "normalised"),
        ("dense", "cosine"),
        ("reranked", "probability"),
    )
    levels = {
        kind: gate((candidate((name, kind, 0.5)),), CONFIG, "judge").verdict.level
        for name, kind in pairs
    }
    assert levels == {
        "share": "weak",
        "normalised": "weak",
        "cosine": "grounded",
        "probability": "weak",
    }


def test_the_best_candidate_decides_wherever_it_stands() -> None:
    found = gate(
        (
            candidate(("coverage", "share", 0.2)),
            candidate(("coverage", "share", 0.9)),
            candidate(("fused", "normalised", 1.0)),
        ),
        CONFIG,
    )
    assert (found.verdict.level, found.verdict.value) == ("grounded", 0.9)


DENSE: Value = ("dense", "cosine", 0.9)
COVER: Value = ("coverage", "normalised", 0.9)
JUDGED: Value = ("reranked", "probability", 0.01)


def test_a_calibrated_judge_goes_before_coverage_and_coverage_before_the_cosine() -> None:
    assert gate((candidate(DENSE, COVER, JUDGED),), CONFIG, "judge").verdict.level == "none"
    assert gate((candidate(DENSE, COVER),), CONFIG, "judge").verdict.signal == "coverage"
    assert gate((candidate(DENSE),), CONFIG, "judge").verdict.signal == "dense"


def test_a_judge_whose_thresholds_are_a_guess_does_not_move_the_verdict() -> None:
    """The irrelevant tail of one hosted reranker lies at .26 to .28, above the guess of .2."""
    candidates = (candidate(("coverage", "normalised", 0.2), ("reranked", "probability", 0.27)),)
    found = gate(candidates, GateConfig(), "judge")
    assert (found.verdict.level, found.verdict.signal) == ("none", "coverage")
    assert (found.verdict.thresholds, found.notices) == ("measured", ())


def test_a_calibration_is_worth_nothing_with_another_judge_and_the_pack_says_so() -> None:
    found = gate((candidate(COVER, JUDGED),), CONFIG, "another judge")
    assert (found.verdict.level, found.verdict.signal) == ("grounded", "coverage")
    (notice,) = found.notices
    assert notice.code == "calibration_of_another_reranker"
    assert "judge, not with another judge" in notice.message
    nameless = GateConfig(reranked_probability=RerankedThresholds(0.8, 0.1, calibrated=True))
    found = gate((candidate(COVER, JUDGED),), nameless, "judge")
    assert found.verdict.signal == "coverage"
    assert "a reranker that they do not name" in found.notices[0].message
    assert gate((candidate(COVER),), nameless).notices == ()  # nothing reranks


def test_who_asks_for_the_judge_by_name_gets_it_and_hears_that_its_thresholds_are_assumed() -> None:
    asked = GateConfig(signal="reranked", reranked_probability=RerankedThresholds(0.6, 0.3))
    verdict = gate((candidate(COVER, JUDGED),), asked, "judge").verdict
    assert (verdict.level, verdict.signal, verdict.thresholds) == ("none", "reranked", "assumed")
    assert (verdict.grounded_at, verdict.weak_at) == (0.6, 0.3)


def test_a_judge_that_gave_no_answer_is_stood_in_for_out_loud() -> None:
    found = gate((candidate(COVER, DENSE),), GateConfig(signal="reranked"), "judge")
    assert (found.verdict.level, found.verdict.signal) == ("grounded", "coverage")
    assert [notice.code for notice in found.notices] == ["rerank_missing"]
    assert "judge returned no scores" in found.notices[0].message


def test_without_a_judge_what_is_measured_decides_and_that_is_said() -> None:
    found = gate((candidate(COVER, DENSE),), GateConfig(signal="reranked"))
    assert (found.verdict.level, found.verdict.thresholds) == ("grounded", "measured")
    assert [notice.code for notice in found.notices] == ["rerank_missing"]
    assert "no reranker is configured" in found.notices[0].message


IS_PLACE = OnTopic("grounded", "a.py:3 is the place.")
HAS_WORD = OnTopic("weak", "a.py has the word.")
OTHER = OnTopic("weak", "b.py has the word.")


@pytest.mark.parametrize(
    ("value", "said", "level", "reason"),
    [
        (0.1, (), "none", "off topic."),
        (0.1, (HAS_WORD, OTHER), "weak", "off topic. But a.py has the word."),
        (0.1, (IS_PLACE, HAS_WORD), "grounded", "a.py:3 is the place."),
        (0.45, (IS_PLACE, HAS_WORD), "grounded", "a.py:3 is the place."),
        (0.45, (HAS_WORD,), "weak", "something else."),
        (0.9, (IS_PLACE,), "grounded", "about the question."),
    ],
)
def test_the_first_that_is_above_the_verdict_raises_it(
    value: float, said: tuple[OnTopic, ...], level: str, reason: str
) -> None:
    one = candidate(("coverage", "normalised", value))
    verdict = gate((one,), CONFIG, on_topic=said).verdict
    assert (verdict.level, verdict.value) == (level, value)
    assert verdict.reason.endswith(reason)
    off = GateConfig(coverage_normalised=Thresholds(0.6, 0.4), defined=False)
    assert gate((one,), off, on_topic=said).verdict == gate((one,), off).verdict


def test_no_further_reason_is_looked_for_than_the_first_that_raises() -> None:
    def reasons() -> Iterator[OnTopic]:
        yield HAS_WORD
        raise AssertionError("asked for more")

    assert gate((candidate(("coverage", "share", 0.1)),), CONFIG, on_topic=reasons())
    unread = reasons()
    gate((candidate(("coverage", "share", 0.9)),), CONFIG, on_topic=unread)
    assert next(unread) == HAS_WORD


@pytest.mark.parametrize(
    ("value", "level", "reason"),
    [
        (0.9, "weak", "It is elsewhere."),
        (0.5, "weak", "It is elsewhere."),
        (0.1, "none", "off topic. It is elsewhere."),
    ],
)
def test_a_verdict_is_lowered_to_weak_and_never_raised(
    value: float, level: str, reason: str
) -> None:
    found = gate((candidate(("coverage", "share", value)),), CONFIG)
    verdict = at_most_weak(found, "It is elsewhere.").verdict
    assert verdict.level == level
    assert verdict.reason.endswith(reason)
    assert value == 0.1 or verdict.reason == reason


def test_the_verdict_says_where_its_thresholds_come_from() -> None:
    def origin(config: GateConfig, *signals: Value, unmeasured: bool = False) -> str:
        others = frozenset({"main"}) if unmeasured else frozenset[str]()
        return gate((candidate(*signals),), config, "judge", others).verdict.thresholds

    assert origin(GateConfig(), COVER) == "measured"
    assert origin(GateConfig(), DENSE) == "measured"
    assert origin(GateConfig(), COVER, unmeasured=True) == "assumed"  # another model's cosines
    words: Value = ("coverage", "share", 0.5)
    assert origin(GateConfig(), words, unmeasured=True) == "measured"  # words alone, no cosine
    assert origin(GateConfig(coverage_normalised=Thresholds(0.6, 0.4)), COVER) == "assumed"
    assert origin(CONFIG, JUDGED) == "calibrated"
    learned = GateConfig(coverage_normalised=Thresholds(0.6, 0.4, calibrated=True))
    assert origin(learned, COVER, unmeasured=True) == "calibrated"
    assert gate((), GateConfig()).verdict.thresholds == "measured"


def test_logits_have_no_thresholds_so_that_coverage_decides() -> None:
    one = candidate(("coverage", "share", 0.5), ("reranked", "logit", 7.0))
    assert gate((one,), CONFIG).verdict.signal == "coverage"


def test_a_signal_asked_for_by_name_must_be_of_a_kind_that_can_be_judged() -> None:
    with pytest.raises(ConfigError, match=r"reranked \(logit\)"):
        gate((candidate(("reranked", "logit", 7.0)),), GateConfig(signal="reranked"))


def test_two_kinds_are_judged_apart_and_the_better_verdict_counts() -> None:
    found = gate(
        (candidate(("coverage", "share", 0.65)), candidate(("coverage", "normalised", 0.61))),
        CONFIG,
    )
    assert (found.verdict.level, found.verdict.kind) == ("grounded", "normalised")


def test_without_candidates_the_verdict_is_none() -> None:
    found = gate((), CONFIG)
    assert found.candidates == ()
    assert (found.verdict.level, found.verdict.reason) == ("none", "Nothing was found.")


def test_scores_without_a_scale_are_neither_trusted_nor_refused() -> None:
    found = gate((candidate(("sparse", "bm25", 31.0), ("fused", "rrf", 0.03)),), CONFIG)
    assert (found.verdict.level, found.verdict.kind) == ("weak", "rrf")
    assert [notice.code for notice in found.notices] == ["not_judged"]


def test_the_candidates_pass_as_they_came_whatever_the_verdict() -> None:
    candidates = tuple(candidate(("coverage", "share", value)) for value in (0.0, 0.1, 0.05))
    found = gate(candidates, CONFIG)
    assert found.verdict.level == "none"
    assert found.candidates == candidates


def test_the_verdict_says_whether_its_thresholds_were_learned_here() -> None:
    """Those that it was judged by; others may have been learned without them."""
    lexical = candidate(("coverage", "share", 0.5))
    dense = candidate(("dense", "cosine", 0.9))
    learned = GateConfig(coverage_share=Thresholds(0.5, 0.3, calibrated=True))
    assert not gate((lexical,), GateConfig()).verdict.calibrated
    assert gate((lexical,), learned).verdict.calibrated
    assert not gate((dense,), learned).verdict.calibrated
    assert not gate((candidate(("fused", "rrf", 0.03)),), learned).verdict.calibrated


def test_thresholds_that_contradict_themselves_are_refused() -> None:
    for grounded_at, weak_at in ((0.3, 0.4), (0.5, -0.1)):
        with pytest.raises(ConfigError):
            Thresholds(grounded_at, weak_at)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_the_reason_is_one_sentence_that_names_the_number(numbers: list[float]) -> None:
    candidates = tuple(candidate(("coverage", "share", value)) for value in numbers)
    verdict = gate(candidates, CONFIG).verdict
    share, unit = verdict.reason.removeprefix("The best passage has ").split(" ")[:2]
    assert float(share) == pytest.approx(100 * max(numbers), abs=0.5)
    assert unit == "%"
    assert verdict.reason.endswith(".")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.397, "39.7 % of the question's words, weighted by rarity; below 40.0 %, it may be"),
        (0.2499, "24.99 % of the question's words, weighted by rarity; below 25.00 %, questions"),
        (0.4, "40 % of the question's words, weighted by rarity; from 40 % on, it is"),
    ],
)
def test_a_value_below_a_limit_does_not_read_as_the_limit(value: float, said: str) -> None:
    verdict = gate((candidate(("coverage", "share", value)),), GateConfig()).verdict
    assert said in verdict.reason


def of_version(value: float, *signals: Value, **values: Any) -> Candidate:
    found = chunk("a", **{"headings": ("Version 3.1.3",), "path": "CHANGES.rst"} | values)
    coverage: Value = ("coverage", "normalised", value)
    return Candidate("main", found, tuple(Signal(*one) for one in (coverage, *signals)))


def test_a_passage_without_the_version_of_the_question_is_weak() -> None:
    found = (of_version(0.9),)
    asked = "when was version 3.9.9 released?"
    verdict = gate(found, CONFIG, versions=about(asked)).verdict
    assert verdict.level == "weak"
    said = "The best passage has a score of 0.90 of 1 for meaning and words, but it does not name"
    assert verdict.reason == f"{said} 3.9.9; it may be about another version."
    assert gate(found, CONFIG, versions=about("what is new in 3.1.3")).verdict.level == "grounded"
    assert gate(found, CONFIG, versions=about("how is 3.9.9 installed")).verdict.level == "weak"
    assert gate(found, CONFIG, versions=about("what is new")).verdict.level == "grounded"


def test_each_of_several_versions_must_be_named_by_a_shown_passage() -> None:
    found = (of_version(0.9), of_version(0.8, headings=("Version 3.1.4",)))
    both, missing = about("what changed in 3.1.3 and 3.1.4"), about("what changed in 3.1.3 and 8.8")
    assert gate(found, CONFIG, versions=both).verdict.level == "grounded"
    assert gate(found, CONFIG, versions=both, shown=1).verdict.level == "weak"
    verdict = gate(found, CONFIG, versions=missing).verdict
    assert verdict.level == "weak"
    assert "the shown passages do not name 8.8;" in verdict.reason
    first = gate(found[1:] + found[:1], CONFIG, versions=about("changes in 3.1.3")).verdict
    assert first.level == "weak"
    ranged = about("what changed between 3.1.3 and 8.8")
    assert gate(found, CONFIG, versions=ranged).verdict.level == "grounded"


def test_the_title_of_a_changelog_does_not_stand_for_its_sections() -> None:
    old = (of_version(0.9, title="Version 3.1.3", headings=("Version 1.0",)),)
    assert gate(old, CONFIG, versions=about("when was 3.1.3 released?")).verdict.level == "weak"


def test_a_copied_message_may_name_a_version_that_the_code_lacks() -> None:
    asked = about("flask 3.9.9: the setup method can no longer be called")
    copied: Value = ("copied", "share", 0.5)
    code = of_version(0.9, copied, source_type="code")
    assert gate((code,), CONFIG, versions=asked).verdict.level == "grounded"
    assert gate((code,), CONFIG, versions=about("what is new in 3.9.9")).verdict.level == "weak"
    page = of_version(0.9, copied, source_type="docs")
    assert gate((page,), CONFIG, versions=asked).verdict.level == "weak"
    assert gate((of_version(0.9),), CONFIG, versions=asked).verdict.level == "weak"


def test_a_heading_with_the_version_is_never_off_topic() -> None:
    found = (of_version(0.1),)
    verdict = gate(found, CONFIG, versions=about("what is new in 3.1.3")).verdict
    assert verdict.level == "weak"
    assert verdict.reason.endswith("But CHANGES.rst has a heading with 3.1.3.")
    assert gate(found, CONFIG, versions=about("what is new in 3.9.9")).verdict.level == "none"
    assert (
        gate(found, CONFIG, versions=about("how is bread baked in 3.1.3")).verdict.level == "none"
    )
