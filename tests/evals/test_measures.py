"""Our figures are those of trec_eval, and of a hand where evidence is spans."""

from __future__ import annotations

import random
from math import log2

import pytest
import pytrec_eval

from pincite.errors import UsageError
from pincite.evals.analysis.measures import KNOWN, by_ranks, evaluate, parse
from pincite.evals.golden.questions import Expected
from pincite.evals.golden.targets import counts_for
from pincite.evals.run.observe import ranks_in
from pincite.model import Chunk
from tests.builders import chunk

TREC = {
    "nDCG@10": "ndcg_cut_10",
    "nDCG@3": "ndcg_cut_3",
    "RR": "recip_rank",
    "AP": "map",
    "P@5": "P_5",
    "R@5": "recall_5",
    "R@100": "recall_100",
    "Success@1": "success_1",
    "Success@5": "success_5",
    "nDCG": "ndcg",
}


@pytest.mark.parametrize("seed", range(20))
def test_random_runs_have_the_figures_of_trec_eval(seed: int) -> None:
    rng = random.Random(seed)
    documents = [f"d{n}" for n in range(60)]
    judged, grades, ranks, run = {}, {}, {}, {}
    for number in range(30):
        query = f"q{number}"
        chosen = rng.sample(documents, rng.randint(1, 12))
        judged[query] = {name: rng.randint(0, 3) for name in chosen}
        judged[query][chosen[0]] = rng.randint(1, 3)
        ranked = rng.sample(documents, rng.choice((0, 1, 7, 25, 60)))
        if ranked:  # trec_eval does not know queries without results; ours count as 0
            run[query] = {name: -float(place) for place, name in enumerate(ranked)}
        targets = {("c", name): (place,) for place, name in enumerate(judged[query])}
        grades[query] = list(judged[query].values())
        ranks[query] = ranks_in((tuple(("c", name) for name in ranked),), targets, len(chosen))
    ours = by_ranks(tuple(TREC), grades, ranks)
    theirs = pytrec_eval.RelevanceEvaluator(judged, set(TREC.values())).evaluate(run)
    for query in judged:
        for name, trec in TREC.items():
            wanted = theirs[query][trec] if query in run else 0.0
            assert ours[query][name] == pytest.approx(wanted, abs=1e-9), (query, name)


def test_a_query_without_a_ranking_counts_as_nothing() -> None:
    judged = {"a": {"d": 1}, "b": {"d": 1}}
    assert evaluate(("RR",), judged, {"a": ["d"], "b": []}) == {"RR": 0.5}
    assert by_ranks(("RR", "R@5"), {"a": [1]}, {}) == {"a": {"RR": 0.0, "R@5": 0.0}}
    assert by_ranks(("RR",), {}, {}) == {}


def lines(path: str, start: int, end: int) -> Chunk:
    return chunk(path, path=path, start_line=start, end_line=end)


def test_a_span_counts_once_and_by_half_of_the_shorter() -> None:
    items = [Expected("a", 1, 10, 3), Expected("a", 20, 21, 1), Expected("b", 1, 4, 2)]
    ranked = [
        lines("a", 9, 12),  # 2 of its 4 lines: half of the shorter
        lines("a", 1, 8),  # the same span again: no gain
        lines("b", 4, 9),  # 1 of 4 lines: too little
        lines("a", 1, 30),  # all of the second span
    ]
    ranks = [
        next((rank for rank, one in enumerate(ranked, 1) if counts_for(one, item)), 0)
        for item in items
    ]
    assert ranks == [1, 4, 0]
    names = ("R@3", "R@5", "RR", "RR(rel=3)", "nDCG@12", "R(rel=2)@5")
    values = by_ranks(names, {"q": [3, 1, 2]}, {"q": ranks})["q"]
    ideal = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert values["R@3"] == pytest.approx(1 / 3)
    assert values["R@5"] == pytest.approx(2 / 3)
    assert values["R(rel=2)@5"] == pytest.approx(1 / 2)
    assert values["RR"] == values["RR(rel=3)"] == 1
    assert values["nDCG@12"] == pytest.approx((3 / log2(2) + 1 / log2(5)) / ideal)


def test_two_spans_in_one_chunk_gain_the_better_grade_and_both_count_as_found() -> None:
    values = by_ranks(("nDCG@2", "R@1"), {"q": [1, 3]}, {"q": [1, 1]})["q"]
    assert values["R@1"] == 1
    assert values["nDCG@2"] == pytest.approx(3 / (3 + 1 / log2(3)))


def test_items_count_by_candidate_by_file_and_by_source() -> None:
    one = lines("a", 5, 9)
    assert counts_for(one, Expected(candidate_id=one.candidate_id))
    assert counts_for(one, Expected(candidate_id=one.id))
    assert not counts_for(one, Expected(candidate_id="other"))
    assert counts_for(one, Expected("a"))
    assert not counts_for(one, Expected("b"))
    assert not counts_for(one, Expected("a", repo="elsewhere"))
    assert not counts_for(one, Expected("a", source_type="code"))


WRONG = (
    *(("P", "needs a cutoff"), ("Success", "needs a cutoff"), ("IPrec", "needs a recall")),
    *(("nDCG@0", r"@0 is outside of 1\.\."), ("RR(rel=0)", r"rel=0 is outside of 1\.\.10")),
    *(("R@99999999999", "outside"), ("P@True", "outside"), ("IPrec@1.5", r"outside of 0\.\.1")),
    *(("RBP", "known measures"), ("Accuracy", "known measures"), ("SetP", "known measures")),
    *(("alpha_nDCG@10", "known measures"), ("NumRet", "known measures"), ("ERR@10", "known")),
    *(("nDCG(dcg='exp-log2')@10", "not supported"), ("AP(rel='x')", "invalid param")),
)


@pytest.mark.parametrize(("name", "why"), WRONG, ids=[name for name, _ in WRONG])
def test_a_measure_that_cannot_be_computed_is_refused(name: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"cannot be computed.*{why}"):
        parse(name)


def test_two_names_of_one_measure_have_one_value() -> None:
    assert by_ranks(("RR@5", "MRR@5"), {"q": [1]}, {"q": [2]})["q"] == {"RR@5": 0.5, "MRR@5": 0.5}


def test_results_after_the_last_expected_item_change_no_measure() -> None:
    names = (
        "AP",
        "Bpref",
        "infAP",
        "IPrec@0.5",
        "nDCG@10",
        "P@5",
        "R@5",
        "Rprec",
        "RR",
        "Success@3",
    )
    assert [one.NAME for one in parse(*names)] == list(KNOWN)
    judged = {"q": {"a": 3, "b": 1, "c": 0, "d": 2}}
    ranked = ["a", "m1", "c", "m2", "b"]
    longer = [*ranked, *(f"m{n}" for n in range(3, 30))]
    assert evaluate(names, judged, {"q": ranked}) == evaluate(names, judged, {"q": longer})


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(UsageError, match="'nDGC@10' is not a measure"):
        parse("nDGC@10")
