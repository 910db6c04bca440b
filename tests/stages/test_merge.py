"""Lists of several collections become one, by their scores or by their places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Fused, Signal
from pincite.profile import Profile
from pincite.stages.merge import MergeConfig, merge


def hit(collection: str, name: str, score: float, cosine: float = 0.5) -> Fused:
    signals = (Signal("dense", "cosine", cosine), Signal("fused", "normalised", score))
    return Fused(collection, name, signals)


LIST = (hit("x", "a", 0.9), hit("y", "b", 0.8), hit("x", "c", 0.7), hit("y", "d", 0.1))
RANKS = MergeConfig(method="rrf")


def scores(found: tuple[Fused, ...]) -> dict[str, float]:
    return {one.id: one.score for one in found}


def test_scores_on_one_scale_stay_as_they_are() -> None:
    assert merge(LIST, {"x": 1.0, "y": 1.0}, MergeConfig()) == LIST


def test_a_weight_multiplies_scores_and_moves_hits() -> None:
    found = merge(LIST, {"x": 0.5, "y": 1.0}, MergeConfig())
    assert scores(found) == pytest.approx({"b": 0.8, "a": 0.45, "c": 0.35, "d": 0.1})
    assert [one.id for one in found] == ["b", "a", "c", "d"]


def test_places_count_by_one_over_k_plus_rank_of_each_collection() -> None:
    found = merge(LIST, {}, RANKS)
    assert scores(found) == pytest.approx({"a": 1 / 61, "b": 1 / 61, "c": 1 / 62, "d": 1 / 62})
    assert [one.id for one in found] == ["a", "b", "c", "d"]  # ties go by id
    assert found[0].signals == (Signal("dense", "cosine", 0.5), Signal("fused", "rrf", 1 / 61))


def test_weights_count_among_places_too() -> None:
    found = merge(LIST, {"y": 2.0}, RANKS)
    assert scores(found) == pytest.approx({"a": 1 / 61, "b": 2 / 61, "c": 1 / 62, "d": 2 / 62})


def test_a_chunk_that_two_collections_have_is_one_candidate() -> None:
    both = (*LIST, hit("y", "c", 0.05, 0.9))
    found = merge(both, {}, RANKS)
    assert scores(found)["c"] == pytest.approx(1 / 62 + 1 / 63)
    assert found[0].id == "c"
    assert (found[0].collection, found[0].signals[0].value) == ("x", 0.5)
    assert len(found) == 4


def test_each_collection_takes_part_to_a_depth() -> None:
    found = merge(LIST, {}, MergeConfig(method="rrf", depth=1))
    assert [one.id for one in found] == ["a", "b"]


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abcdef"))))
def test_the_same_lists_give_the_same_whoever_comes_first(
    places: list[tuple[str, str]],
) -> None:
    hits = [
        hit(collection, name, 1 / (number + 1))
        for number, (collection, name) in enumerate(dict.fromkeys(places))
    ]
    by_collection = sorted(hits, key=lambda one: one.collection)
    assert merge(hits, {}, RANKS) == merge(by_collection, {}, RANKS)


@pytest.mark.parametrize("wrong", [{"method": "sum"}, {"k": -1}, {"depth": -1}])
def test_a_config_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="across"):
        MergeConfig(**wrong)  # type: ignore[arg-type]


def test_factors_follow_the_results_that_are_asked_for() -> None:
    from pincite.presets import MULTI_MODEL, PRESETS

    for results in (5, 20):
        profile = PRESETS[MULTI_MODEL].showing(results)
        assert profile.across.depth == 3 * results
        assert profile.retrieve.dense_limit == profile.retrieve.sparse_limit == 12 * results
    assert Profile().showing(5) == Profile().showing(5).showing(5)
