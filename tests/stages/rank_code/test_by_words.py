"""Scores that words alone have given, where something has come to them since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Candidate, Query, Question, Signal
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.scores import Scores
from pincite.stages.smooth import SmoothConfig, smooth
from pincite.support.fields import replace
from tests.builders import chunk

CODE = frozenset(("main", "other"))
EVERY_PART = ("coherence", "covered", "asked", "folder", "same", "defines", "mentions", "overlap")


def terms(text: str) -> frozenset[str]:
    return frozenset(text.lower().split())


def asked() -> Query:
    return prepare(Question("the retry of a request"), PrepareConfig())


def found(
    words: list[float], vectors: Sequence[tuple[float, ...]] | None = None, **values: Any
) -> list[Candidate]:
    """One file for each score, as fusion gives them."""
    collection, weight = values.get("collection", "main"), values.get("weight", 1.0)
    low, width = min(words), max(words) - min(words)
    return [
        Candidate(
            collection,
            chunk(f"{collection}{n}", id=f"{collection}{n}", path=f"{n}.py", source_type="code"),
            (
                Signal("sparse", "bm25", score),
                Signal("fused", "normalised", weight * ((score - low) / width if width else 0.5)),
            ),
            np.array(vectors[n], dtype=np.float32) if vectors else None,
        )
        for n, score in enumerate(words)
    ]


def order(candidates: Sequence[Candidate], **values: Any) -> list[str]:
    config = RankCodeConfig(**{**dict.fromkeys(EVERY_PART, 0.0), **values})
    return [one.chunk.id for one in rank_code(asked(), candidates, terms, config, CODE)]


def test_neighbours_in_meaning_lend_their_score_where_words_alone_have_found() -> None:
    vectors = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 1.0)]
    smoothed = smooth(found([10.0, 5.0, 4.9, 1.0], vectors), SmoothConfig(1, 0.3))
    assert [one.chunk.id for one in smoothed] == ["main0", "main2", "main1", "main3"]
    assert order(smoothed) == ["main0", "main2", "main1", "main3"]


@given(
    st.lists(st.integers(1, 1000), min_size=2, max_size=12, unique=True),
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), min_size=12, max_size=12),
)
def test_where_files_say_nothing_the_order_of_smoothed_words_stays(
    words: list[int], directions: list[tuple[int, int]]
) -> None:
    lengths = [(x * x + y * y) ** 0.5 for x, y in directions]
    vectors = [(x / n, y / n) for (x, y), n in zip(directions, lengths, strict=True)]
    smoothed = smooth(found([float(one) for one in words], vectors), SmoothConfig())
    values = {one.chunk.id: one.rank_signal.value for one in smoothed}
    ordered = [values[name] for name in order(smoothed)]
    assert ordered == pytest.approx(sorted(ordered, reverse=True), abs=1e-9)


def test_what_a_collection_weighs_counts_where_words_alone_have_found() -> None:
    light = found([10.0, 4.0, 1.0], collection="other", weight=0.25)
    heavy = found([9.0, 4.5, 1.0])
    assert order([*light, *heavy])[:3] == ["main0", "main1", "other0"]


@pytest.mark.parametrize("words", [[3.0], [3.0, 3.0], [3.0, 3.0 + 1e-12], [0.0, 0.0]])
def test_scores_that_do_not_differ_leave_no_scale_and_no_harm(words: list[float]) -> None:
    assert sorted(order(found(words))) == [f"main{n}" for n in range(len(words))]


def test_a_fusion_of_places_keeps_the_order_of_words_alone() -> None:
    places = [Signal("fused", "rrf", 1 / (60 + place)) for place in (1, 2, 3)]
    given_ = [
        Candidate(one.collection, one.chunk, (one.signals[0], place))
        for one, place in zip(found([9.0, 8.0, 1.0]), places, strict=True)
    ]
    assert order(given_) == ["main0", "main1", "main2"]


def test_while_vectors_are_being_made_words_alone_say_which_file_is_meant() -> None:
    def of(name: str, words: float, meaning: float) -> list[Candidate]:
        signals = (
            Signal("sparse", "bm25", words),
            Signal("dense", "cosine", meaning),
            Signal("fused", "normalised", words),
        )
        files = [
            chunk(f"{name}{n}", id=f"{name}{n}", path=f"{name}.py", source_type="code")
            for n in range(3)
        ]
        return [Candidate("main", one, signals) for one in files]

    weights: dict[str, Any] = {**dict.fromkeys(EVERY_PART, 0.0), "coherence": 1.0}
    config = RankCodeConfig(**weights)

    def first(partial: dict[str, float]) -> str:
        candidates = [*of("meant", 0.8, 0.9), *of("worded", 0.9, 0.1)]
        return rank_code(asked(), candidates, terms, config, CODE, partial)[0].chunk.path

    assert first({}) == "meant.py"
    assert first({"main": 0.9}) == "worded.py"


def test_a_collection_with_one_hit_is_measured_as_the_others_are() -> None:
    """Fusion took one range for all collections, and the lowest of all for 0."""
    together = found([10.0, 6.0, 5.0])
    apart = [replace(one, collection=name) for one, name in zip(together, "aab", strict=True)]
    assert Scores.of(together).shares(1.0, {}) == pytest.approx([1.0, 0.6, 0.5])
    assert Scores.of(apart).shares(1.0, {}) == pytest.approx([1.0, 0.6, 0.5])
