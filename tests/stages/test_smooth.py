from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.errors import ConfigError
from pincite.model import Candidate, Signal
from pincite.stages.smooth import SmoothConfig, smooth
from tests.builders import chunk


def candidate(
    name: str, score: float, vector: list[float] | None, collection: str = "main"
) -> Candidate:
    array = None if vector is None else np.array(vector, dtype=np.float32)
    return Candidate(
        collection, chunk(name, id=name), (Signal("fused", "normalised", score),), vector=array
    )


def values(candidates: tuple[Candidate, ...]) -> dict[str, float]:
    found = {one.chunk.id: one.signal("smoothed") for one in candidates}
    return {name: signal.value for name, signal in found.items() if signal is not None}


def test_neighbours_lend_by_the_square_of_their_nearness() -> None:
    # Nearness: a-b 0.8, a-c 0.6, b-c 0.96. Rows, squared and normalised:
    # a: (.64 b + .36 c) / 1, b: (.64 a + .9216 c) / 1.5616, c: (.36 a + .9216 b) / 1.2816.
    found = smooth(
        (
            candidate("a", 1.0, [1.0, 0.0]),
            candidate("b", 0.5, [0.8, 0.6]),
            candidate("c", 0.0, [0.6, 0.8]),
        ),
        SmoothConfig(weight=0.3),
    )
    assert values(found) == pytest.approx(
        {
            "a": 0.7 * 1.0 + 0.3 * (0.64 * 0.5 + 0.36 * 0.0),
            "b": 0.7 * 0.5 + 0.3 * (0.64 * 1.0 + 0.9216 * 0.0) / 1.5616,
            "c": 0.7 * 0.0 + 0.3 * (0.36 * 1.0 + 0.9216 * 0.5) / 1.2816,
        },
        abs=1e-6,
    )


def test_only_the_nearest_speak() -> None:
    found = smooth(
        (
            candidate("a", 1.0, [1.0, 0.0]),
            candidate("b", 0.5, [0.8, 0.6]),
            candidate("c", 0.0, [0.6, 0.8]),
        ),
        SmoothConfig(neighbours=1, weight=0.5),
    )
    # a hears b, b hears c and c hears b.
    assert values(found) == pytest.approx({"a": 0.75, "b": 0.25, "c": 0.25}, abs=1e-6)
    assert [one.chunk.id for one in found] == ["a", "b", "c"]


def test_opposites_do_not_speak_and_who_hears_nobody_keeps_its_score() -> None:
    found = smooth(
        (candidate("a", 0.8, [1.0, 0.0]), candidate("b", 0.2, [-1.0, 0.0])), SmoothConfig()
    )
    assert values(found) == {"a": 0.8, "b": 0.2}


def test_a_candidate_without_a_vector_keeps_its_score() -> None:
    found = smooth(
        (
            candidate("a", 1.0, [1.0, 0.0]),
            candidate("b", 0.4, None),
            candidate("c", 0.0, [1.0, 0.0]),
        ),
        SmoothConfig(weight=0.5),
    )
    assert values(found) == pytest.approx({"a": 0.5, "c": 0.5, "b": 0.4})


def test_candidates_below_the_pool_keep_their_scores() -> None:
    same = [1.0, 0.0]
    found = smooth(
        (candidate("a", 0.9, same), candidate("b", 0.5, same), candidate("c", 0.4, same)),
        SmoothConfig(pool=2, weight=0.5),
    )
    assert values(found) == pytest.approx({"a": 0.7, "b": 0.7, "c": 0.4})


def test_collections_do_not_lend_to_each_other() -> None:
    found = smooth(
        (
            candidate("a", 1.0, [1.0, 0.0], "docs"),
            candidate("b", 0.0, [1.0, 0.0, 0.0], "code"),
        ),
        SmoothConfig(),
    )
    assert values(found) == {"a": 1.0, "b": 0.0}


def test_weight_zero_only_names_the_signal() -> None:
    same = [1.0, 0.0]
    found = smooth((candidate("a", 0.9, same), candidate("b", 0.5, same)), SmoothConfig(weight=0))
    assert values(found) == {"a": 0.9, "b": 0.5}


def test_the_signal_is_of_the_kind_of_the_fused_one() -> None:
    one = Candidate("main", chunk("a"), (Signal("fused", "rrf", 0.1),))
    assert smooth((one,), SmoothConfig())[0].signals[-1] == Signal("smoothed", "rrf", 0.1)


def test_nothing_gives_nothing_and_a_candidate_needs_a_fused_score() -> None:
    assert smooth((), SmoothConfig()) == ()
    with pytest.raises(ConfigError, match="no fused score"):
        smooth((Candidate("main", chunk("a"), ()),), SmoothConfig())


def test_a_profile_that_makes_no_sense_is_refused() -> None:
    for wrong in ({"neighbours": 0}, {"pool": 0}, {"weight": 1.0}, {"weight": -0.1}):
        with pytest.raises(ConfigError):
            SmoothConfig(**wrong)


@settings(max_examples=50)
@given(st.integers(0, 30), st.integers(0, 1_000), st.randoms())
def test_the_order_of_arrival_never_shows_and_scores_stay_in_range(
    count: int, seed: int, random: object
) -> None:
    numbers = np.random.default_rng(seed)
    vectors = numbers.normal(size=(count, 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) if count else 1
    scores = numbers.integers(0, 5, count) / 4
    candidates = [candidate(f"{n:02}", float(scores[n]), vectors[n].tolist()) for n in range(count)]
    expected = smooth(tuple(candidates), SmoothConfig(neighbours=3))
    random.shuffle(candidates)  # type: ignore[attr-defined]
    assert smooth(tuple(candidates), SmoothConfig(neighbours=3)) == expected
    assert all(0 <= value <= 1 for value in values(expected).values())
    assert list(expected) == sorted(
        expected, key=lambda one: (-one.signals[-1].value, one.chunk.id)
    )


def test_the_fewer_chunks_have_vectors_the_less_neighbours_lend() -> None:
    found = (candidate("a", 1.0, [1.0, 0.0]), candidate("b", 0.2, [1.0, 0.0]))

    def lent(partial: dict[str, float]) -> float:
        return values(smooth(found, SmoothConfig(), partial))["b"] - 0.2

    assert lent({"main": 0.5}) == pytest.approx(lent({}) / 2)
    assert lent({"main": 0.0}) == 0
    assert lent({"others": 0.0}) == lent({}) > 0
