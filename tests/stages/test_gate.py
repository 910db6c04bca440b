from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Candidate, Signal, SignalKind, SignalName
from pincite.providers.sparse.analyser import informative_terms
from pincite.questions.versions import asked_versions
from pincite.stages.cover import only_word
from pincite.stages.gate import GateConfig, RerankedThresholds, Sought, Thresholds, gate
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


def test_a_name_that_is_defined_lifts_the_verdict_only_where_it_is_meant_to() -> None:
    low = (Signal("coverage", "normalised", 0.1),)
    one = Candidate("main", chunk("a", symbols=("rotate_key",)), low)
    assert gate((one,), GateConfig(), sought=Sought(("rotate_key",))).verdict.level == "weak"
    strict = gate((one,), GateConfig(defined=False), sought=Sought(("rotate_key",)))
    assert strict.verdict.level == "none"


def test_a_passage_with_the_only_word_of_the_question_lifts_the_verdict() -> None:
    low = (Signal("coverage", "normalised", 0.1),)
    known = chunk("a", text="A greenhouse is heated.")
    other = chunk("b", text="It snows.")
    candidates = [Candidate("main", one, low) for one in (other, known)]
    terms = informative_terms("english")
    word = only_word(" Greenhouse? ", candidates, terms)
    assert word == known.path
    sought = Sought(word=word)
    verdict = gate(candidates, GateConfig(), sought=sought).verdict
    assert verdict.level == "weak"
    assert f"{known.path} has the word" in verdict.reason
    assert gate(candidates, GateConfig(defined=False), sought=sought).verdict.level == "none"
    for question in ("what is a greenhouse", "igloo", "it", ""):
        assert only_word(question, candidates, terms) is None
    for name in ("KB-4711", "user_id", "検索"):  # one word of several terms
        holder = Candidate("main", chunk("c", text=f"See {name} below."), low)
        assert only_word(name, [*candidates, holder], terms) == holder.chunk.path


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


FRAME = 'File "/usr/lib/python3/site-packages/airflow/timetables/simple.py", line 12, in <module>'


@pytest.mark.parametrize(
    ("question", "path", "level"),
    [
        (FRAME, "airflow/timetables/simple.py", "weak"),
        (FRAME, "timetables/simple.py", "weak"),
        (FRAME.replace("/", "\\"), "timetables/simple.py", "weak"),
        (FRAME, "simple.py", "none"),  # many folders have one of this name
        (FRAME, "tables/simple.py", "none"),
        (FRAME, "airflow/timetables/base.py", "none"),
    ],
)
def test_a_question_that_names_the_file_of_a_candidate_is_not_off_topic(
    question: str, path: str, level: str
) -> None:
    found = chunk("a", path=path)
    far = Candidate("main", found, (Signal("coverage", "normalised", 0.1),))
    assert gate((far,), CONFIG, sought=Sought(text=question)).verdict.level == level
    off = GateConfig(coverage_normalised=Thresholds(0.6, 0.4), defined=False)
    assert gate((far,), off, sought=Sought(text=question)).verdict.level == "none"


def test_paths_are_looked_for_in_linear_time() -> None:
    far = Candidate("main", chunk("a", path="x/y.py"), (Signal("coverage", "normalised", 0.1),))
    for text in ("a" * 200_000, "a/" * 100_000, "/" * 200_000, "-.~" * 70_000):
        assert gate((far,), CONFIG, sought=Sought(text=text)).verdict.level == "none"


METHOD = {"path": "app/http.py", "headings": ("Client", "close ()"), "symbols": ("close",)}
PLAIN = {"path": "app/http.py", "headings": ("Client", "close"), "symbols": ("close",)}
DOTTED = {"path": "acme.v2/thing.min.py", "headings": ("Thing", "close"), "symbols": ("close",)}
MEMBERS = {"path": "app/http.py", "symbols": ("finish", "Client", "close", "Pool.drain")}


@pytest.mark.parametrize(
    ("name", "where", "level"),
    [
        ("Client.close", METHOD, "grounded"),
        ("app.http.Client.close", METHOD, "grounded"),
        ("Client::close", MEMBERS, "grounded"),
        ("Pool.drain", MEMBERS, "grounded"),
        ("Server.close", METHOD, "weak"),
        ("client.close", METHOD, "weak"),
        ("Client.finish", MEMBERS, "weak"),  # it stands before the class
        ("Client.open", METHOD, "weak"),
        ("http.app.Client.close", METHOD, "weak"),  # another order
        ("app.http.py.Client.close", METHOD, "weak"),
        ("close.close", METHOD, "weak"),
        ("Client.close", PLAIN, "grounded"),
        ("close.close", PLAIN, "weak"),  # its own heading is no owner
        ("acme.v2.thing.Thing.close", DOTTED, "grounded"),
        ("v2.min.Thing.close", DOTTED, "grounded"),
        ("acme.thing.v2.close", DOTTED, "weak"),
    ],
)
def test_a_question_that_is_only_a_name_is_grounded_if_the_first_passage_defines_it(
    name: str, where: dict[str, object], level: str
) -> None:
    low = (Signal("coverage", "normalised", 0.45),)
    one = Candidate("main", chunk("a", text="", **where), low)
    verdict = gate((one,), CONFIG, sought=Sought(whole=name)).verdict
    assert (verdict.level, verdict.value) == (level, 0.45)
    assert (f"{where['path']} defines {name}" in verdict.reason) == (level == "grounded")
    other = Candidate("main", chunk("b"), low)
    assert gate((other, one), CONFIG, sought=Sought(whole=name)).verdict.level == "weak"
    off = GateConfig(defined=False)
    assert gate((one,), off, sought=Sought(whole=name)).verdict.level == "weak"


def about(question: str) -> Sought:
    return Sought(versions=asked_versions(question))


def of_version(value: float, *signals: Value, **values: Any) -> Candidate:
    found = chunk("a", **{"headings": ("Version 3.1.3",), "path": "CHANGES.rst"} | values)
    coverage: Value = ("coverage", "normalised", value)
    return Candidate("main", found, tuple(Signal(*one) for one in (coverage, *signals)))


def test_a_passage_without_the_version_of_the_question_is_weak() -> None:
    found = (of_version(0.9),)
    asked = "when was version 3.9.9 released?"
    verdict = gate(found, CONFIG, sought=about(asked)).verdict
    assert verdict.level == "weak"
    said = "The best passage has a score of 0.90 of 1 for meaning and words, but it does not name"
    assert verdict.reason == f"{said} 3.9.9; it may be about another version."
    assert gate(found, CONFIG, sought=about("what is new in 3.1.3")).verdict.level == "grounded"
    assert gate(found, CONFIG, sought=about("how is 3.9.9 installed")).verdict.level == "weak"
    assert gate(found, CONFIG, sought=about("what is new")).verdict.level == "grounded"


def test_the_title_of_a_changelog_does_not_stand_for_its_sections() -> None:
    old = (of_version(0.9, title="Version 3.1.3", headings=("Version 1.0",)),)
    assert gate(old, CONFIG, sought=about("when was 3.1.3 released?")).verdict.level == "weak"


def test_a_copied_message_may_name_a_version_that_the_code_lacks() -> None:
    asked = about("flask 3.9.9: the setup method can no longer be called")
    copied: Value = ("copied", "share", 0.5)
    code = of_version(0.9, copied, source_type="code")
    assert gate((code,), CONFIG, sought=asked).verdict.level == "grounded"
    assert gate((code,), CONFIG, sought=about("what is new in 3.9.9")).verdict.level == "weak"
    page = of_version(0.9, copied, source_type="docs")
    assert gate((page,), CONFIG, sought=asked).verdict.level == "weak"
    assert gate((of_version(0.9),), CONFIG, sought=asked).verdict.level == "weak"


def test_a_heading_with_the_version_is_never_off_topic() -> None:
    found = (of_version(0.1),)
    verdict = gate(found, CONFIG, sought=about("what is new in 3.1.3")).verdict
    assert verdict.level == "weak"
    assert verdict.reason.endswith("But CHANGES.rst has a heading with 3.1.3.")
    assert gate(found, CONFIG, sought=about("what is new in 3.9.9")).verdict.level == "none"
    assert gate(found, CONFIG, sought=about("how is bread baked in 3.1.3")).verdict.level == "none"
