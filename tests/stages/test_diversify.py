"""MMR: what is relevant and differs from what was taken before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Candidate, Signal
from pincite.profile import profile_from
from pincite.stages.diversify import DiversifyConfig, diversify
from tests.builders import candidate, chunk

MODELS = {"main": "model", "twin": "model", "other": "another"}


def near(
    name: str,
    cosine: float | None,
    vector: Sequence[float] | None,
    collection: str = "main",
) -> Candidate:
    signals = [Signal("fused", "normalised", 0.5)]
    if cosine is not None:
        signals.insert(0, Signal("dense", "cosine", cosine))
    row = None if vector is None else np.array(vector, dtype=np.float32)
    return Candidate(collection, chunk(name), tuple(signals), row)


def config(fetch: int = 20, relevance: float = 0.5) -> DiversifyConfig:
    return DiversifyConfig(enabled=True, fetch=fetch, relevance=relevance)


def names(candidates: Sequence[Candidate]) -> list[str]:
    return [one.chunk.path.removeprefix("docs/").removesuffix(".md") for one in candidates]


def test_a_sum_by_hand() -> None:
    """The twin of the best is worth .5 * .8 - .5 * 1 = -.1, the other .5 * .6 - .5 * .6 = 0."""
    found = diversify(
        [
            near("best", 0.9, [1.0, 0.0]),
            near("twin", 0.8, [1.0, 0.0]),
            near("other", 0.6, [0.6, 0.8]),
        ],
        config(),
        MODELS,
    ).candidates
    assert names(found) == ["best", "other", "twin"]
    values = [signal.value for one in found if (signal := one.signal("diverse"))]
    assert values == pytest.approx([0.45, 0.0, -0.1], abs=1e-7)
    assert all(one.rank_signal.kind == "mmr" for one in found)


def test_the_largest_cosine_to_what_was_taken_counts_and_not_their_mean() -> None:
    found = diversify(
        [
            near("a", 0.9, [1.0, 0.0, 0.0]),
            near("b", 0.8, [0.0, 1.0, 0.0]),
            near("like-b", 0.75, [0.0, 1.0, 0.0]),
            near("c", 0.3, [0.0, 0.0, 1.0]),
        ],
        config(),
        MODELS,
    ).candidates
    assert names(found) == ["a", "b", "c", "like-b"]


def test_only_the_best_by_cosine_take_part_and_the_others_stand_behind_as_they_were() -> None:
    pool = [
        near("low", 0.1, [0.0, 1.0]),
        near("twin", 0.8, [1.0, 0.0]),
        near("best", 0.9, [1.0, 0.0]),
        near("lower", 0.05, [1.0, 1.0]),
    ]
    found = diversify(pool, config(fetch=2), MODELS)
    assert names(found.candidates) == ["best", "twin", "low", "lower"]
    assert found.notices == ()
    assert [one.signal("diverse") is not None for one in found.candidates] == [True] * 2 + [
        False
    ] * 2


def test_what_cannot_be_compared_stands_behind_in_its_order_and_a_notice_counts_it() -> None:
    pool = [
        near("unseen", 0.99, None),
        near("a", 0.5, [1.0, 0.0]),
        near("words", None, [1.0, 0.0]),
        near("b", 0.6, [0.0, 1.0]),
    ]
    found = diversify(pool, config(), MODELS)
    assert names(found.candidates) == ["b", "a", "unseen", "words"]
    (notice,) = found.notices
    assert notice.code == "not_diversified"
    assert "2 of 4" in notice.message


def test_vectors_of_two_models_are_not_compared_and_of_one_they_are() -> None:
    pool = [
        near("best", 0.9, [1.0, 0.0]),
        near("twin", 0.8, [1.0, 0.0], "twin"),
        near("other", 0.7, [1.0, 0.0, 0.0], "other"),
    ]
    assert names(diversify(pool, config(), MODELS).candidates) == ["best", "other", "twin"]


def test_of_equal_values_the_smaller_id_is_next() -> None:
    pool = [near(name, 0.5, [1.0, 0.0]) for name in "abcdef"]
    found = diversify(pool, config(), MODELS).candidates
    assert [one.chunk.id for one in found] == sorted(one.chunk.id for one in pool)


def test_the_nearest_is_first_whatever_the_lambda() -> None:
    pool = [near(name, cosine, [1.0, cosine]) for name, cosine in (("a", 0.1), ("b", 0.9))]
    for relevance in (0.0, 0.5, 1.0):
        found = diversify(pool, config(relevance=relevance), MODELS).candidates
        assert names(found) == ["b", "a"]


def test_switched_off_it_changes_nothing() -> None:
    pool = [near("a", 0.1, [1.0]), near("b", 0.9, [1.0])]
    assert diversify(pool, DiversifyConfig(), MODELS).candidates == tuple(pool)


_COSINES = st.floats(-1, 1, allow_nan=False)
_VECTORS = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3)


@st.composite
def pools(draw: st.DrawFn) -> list[Candidate]:
    rows = draw(
        st.lists(st.tuples(_COSINES, st.none() | _VECTORS, st.sampled_from(sorted(MODELS))))
    )
    return [
        near(f"n{n}", cosine, vector, collection)
        for n, (cosine, vector, collection) in enumerate(rows)
    ]


@given(pools(), st.integers(1, 8), st.floats(0, 1))
def test_nothing_is_lost_and_each_is_the_best_of_what_was_left(
    pool: list[Candidate], fetch: int, relevance: float
) -> None:
    found = diversify(pool, config(fetch, relevance), MODELS).candidates
    assert sorted(one.chunk.id for one in found) == sorted(one.chunk.id for one in pool)
    taken = [one for one in found if one.signal("diverse")]
    assert taken == list(found[: len(taken)])
    for place, one in enumerate(taken):
        ours = value(one, taken[:place], relevance)
        assert one.rank_signal.value == pytest.approx(ours, abs=1e-6)
        assert all(value(other, taken[:place], relevance) <= ours + 1e-6 for other in taken[place:])


def value(one: Candidate, taken: Sequence[Candidate], relevance: float) -> float:
    """The formula, spelled out."""
    dense = one.signal("dense")
    assert dense is not None
    cosines = [
        cosine(one, other) for other in taken if MODELS[one.collection] == MODELS[other.collection]
    ]
    return relevance * dense.value - (1 - relevance) * max(cosines, default=0.0)


def cosine(one: Candidate, other: Candidate) -> float:
    assert one.vector is not None
    assert other.vector is not None
    left, right = one.vector.astype(float), other.vector.astype(float)
    lengths = (math.hypot(*left) or 1.0) * (math.hypot(*right) or 1.0)
    return float(left @ right) / lengths


@given(pools())
def test_with_a_lambda_of_one_the_order_is_that_of_the_cosines(pool: list[Candidate]) -> None:
    found = diversify(pool, config(100, 1.0), MODELS).candidates
    cosines = [s.value for one in found if one.signal("diverse") and (s := one.signal("dense"))]
    assert cosines == sorted(cosines, reverse=True)


@given(pools(), st.randoms(use_true_random=False), st.floats(0, 1))
def test_the_order_of_arrival_never_shows_in_what_is_taken(
    pool: list[Candidate], random: Random, relevance: float
) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)
    one, other = (
        [c for c in diversify(each, config(5, relevance), MODELS).candidates if c.signal("diverse")]
        for each in (pool, shuffled)
    )
    assert one == other


def test_a_configuration_that_cannot_be_is_refused() -> None:
    for wrong in ({"fetch": 0}, {"relevance": 1.1}, {"relevance": -0.1}):
        with pytest.raises(ConfigError):
            DiversifyConfig(**wrong)


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        ({"load": {"vectors": False}, "smooth": {"weight": 0.0}}, "load.vectors"),
        ({"load": {"pool": 10}}, "load.pool"),
    ],
)
def test_a_profile_that_loads_too_little_for_it_is_refused_with_both_keys(
    table: dict[str, object], keys: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        profile_from({"diversify": {"enabled": True}, **table}, "test")
    assert keys in caught.value.keys
    assert any(key.startswith("diversify.") for key in caught.value.keys)


def test_as_many_are_loaded_as_take_part() -> None:
    profile = profile_from({"diversify": {"enabled": True, "fetch": 28}}, "test")
    assert profile.candidates(reranked=False) == 28
    assert candidate("a").signal("diverse") is None
