"""Reranker and retrieval by tiers: the lower a place, the more the reranker has to say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Candidate, Notice, Pool, Signal, SignalKind
from pincite.stages.blend import BlendConfig, RetrievalForm, blend
from pincite.support.fields import replace
from tests.builders import candidate

PLACE = BlendConfig(method="tiers", retrieval="place")
SCORE = BlendConfig(method="tiers", retrieval="score")


def pools(
    fused: list[float], reranked: list[float], kind: SignalKind = "probability"
) -> tuple[Pool, Pool]:
    """As it was before reranking, best first, and as the reranker left it."""
    before = tuple(
        candidate(f"{n:02}", score, text=f"text {n}") for n, score in enumerate(fused, start=1)
    )
    judged = [
        one.with_signal(Signal("reranked", kind, score))
        for one, score in zip(before, reranked, strict=False)
    ]
    ordered = sorted(judged, key=lambda one: one.rank_key)
    return Pool(before), Pool((*ordered, *before[len(judged) :]))


def number(one: Candidate) -> int:
    return int(one.chunk.text.split()[1])


def blended(pool: Pool) -> dict[int, float]:
    """The value of each by its place before reranking."""
    found = {number(one): one.signal("blended") for one in pool.candidates}
    return {n: signal.value for n, signal in found.items() if signal is not None}


def test_the_reranker_has_a_quarter_of_the_first_two_fifths_of_the_next_and_three_behind() -> None:
    fused = [1 - n / 20 for n in range(12)]  # 1, .95, ... , .45
    before, judged = pools(fused, [0.5] * 12)
    by_place = blended(blend(judged, PLACE, before))
    assert by_place[1] == pytest.approx(0.75 * 1 + 0.25 * 0.5)  # .875
    assert by_place[3] == pytest.approx(0.75 / 3 + 0.25 * 0.5)  # .375
    assert by_place[4] == pytest.approx(0.60 / 4 + 0.40 * 0.5)  # .35
    assert by_place[10] == pytest.approx(0.60 / 10 + 0.40 * 0.5)  # .26
    assert by_place[11] == pytest.approx(0.40 / 11 + 0.60 * 0.5)  # .33636
    by_score = blended(blend(judged, SCORE, before))
    assert by_score[1] == pytest.approx(0.75 * 1 + 0.25 * 0.5)
    assert by_score[3] == pytest.approx(0.75 * 0.9 + 0.25 * 0.5)
    assert by_score[4] == pytest.approx(0.60 * 0.85 + 0.40 * 0.5)
    assert by_score[11] == pytest.approx(0.40 * 0.5 + 0.60 * 0.5)


def test_the_score_is_taken_over_the_highest_of_those_that_were_judged() -> None:
    before, judged = pools([0.08, 0.04], [0.2, 0.9])
    found = blended(blend(judged, SCORE, before))
    assert found == pytest.approx({1: 0.75 + 0.25 * 0.2, 2: 0.75 * 0.5 + 0.25 * 0.9})


def test_places_are_those_before_reranking_also_where_scores_are_equal() -> None:
    before, judged = pools([0.5, 0.5, 0.5, 0.5], [0.1, 0.2, 0.3, 0.4])
    turned = Pool(tuple(reversed(before.candidates)))
    assert blended(blend(judged, PLACE, turned))[4] == pytest.approx(0.75 + 0.25 * 0.4)


def test_a_long_tail_is_lifted_and_those_that_were_not_judged_stay_behind() -> None:
    before, judged = pools([1 - n / 100 for n in range(14)], [0.0] * 11 + [1.0])
    pool = blend(judged, SCORE, before)
    # the twelfth: .4 * .89 + .6 = .956 above the first: .75
    assert [number(one) for one in pool.candidates][:2] == [12, 1]
    assert [number(one) for one in pool.candidates][-2:] == [13, 14]


@pytest.mark.parametrize("kind", ["logit", "cosine"])
@pytest.mark.parametrize("config", [PLACE, SCORE])
def test_what_is_no_probability_is_refused(kind: SignalKind, config: BlendConfig) -> None:
    before, judged = pools([0.9, 0.8], [0.3, 0.2], kind)
    with pytest.raises(ConfigError, match=rf'blend.method is "tiers", but the reranker.*{kind}'):
        blend(judged, config, before)


def test_without_a_reranker_the_order_stays_and_a_notice_says_so() -> None:
    before, _ = pools([0.9, 0.8], [])
    pool = blend(before, PLACE, before)
    assert pool.candidates == before.candidates
    assert [notice.code for notice in pool.notices] == ["rerank_missing"]
    assert blend(before, BlendConfig(), before) is before


@pytest.mark.parametrize("code", ["rerank_unavailable", "budget_no_rerank"])
def test_why_nobody_reranked_is_said_once(code: str) -> None:
    before, _ = pools([0.9, 0.8], [])
    told = replace(before, notices=(Notice(code, "why"),))
    assert blend(told, PLACE, before) is told


def test_nothing_found_is_no_lack_of_a_reranker() -> None:
    assert blend(Pool(()), PLACE, Pool(())) == Pool(())


def test_a_method_or_form_that_there_is_not_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"blend\.method is 'steps'; use one of linear, tiers"):
        BlendConfig(method="steps")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"blend\.retrieval is 'rank'; use one of score, place"):
        BlendConfig(retrieval="rank")  # type: ignore[arg-type]


SCORES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40)


@given(SCORES, st.sampled_from(["score", "place"]))
def test_blended_values_lie_between_zero_and_one_and_nobody_is_lost(
    scores: list[tuple[float, float]], form: RetrievalForm
) -> None:
    fused = sorted((one for one, _ in scores), reverse=True)
    before, judged = pools(fused, [other for _, other in scores])
    pool = blend(judged, BlendConfig(method="tiers", retrieval=form), before)
    values = [signal.value for one in pool.candidates if (signal := one.signal("blended"))]
    assert all(0 <= value <= 1 for value in values)
    assert values == sorted(values, reverse=True)
    assert sorted(map(number, pool.candidates)) == list(range(1, len(scores) + 1))


@given(SCORES)
def test_a_higher_probability_never_lowers_a_place(scores: list[tuple[float, float]]) -> None:
    fused = sorted((one for one, _ in scores), reverse=True)
    given_scores = [other for _, other in scores]
    raised = [1.0, *given_scores[1:]]
    before, judged = pools(fused, given_scores)
    _, lifted = pools(fused, raised)
    was = [number(one) for one in blend(judged, PLACE, before).candidates].index(1)
    now = [number(one) for one in blend(lifted, PLACE, before).candidates].index(1)
    assert now <= was
