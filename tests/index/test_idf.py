"""The IDF comes with the query, and products add up exactly in whatever order."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from pincite.errors import InvalidPoint
from pincite.index.idf import count_terms, rounded, with_idf
from pincite.model import SparseVector, TermCounts


def test_terms_are_counted_once_a_chunk() -> None:
    vectors = [SparseVector((1, 2), (0.5, 2.0)), SparseVector((2,), (1.0,)), SparseVector((), ())]
    assert count_terms(vectors) == TermCounts(2, {1: 1, 2: 2})


def test_the_idf_is_that_of_robertson_and_never_negative() -> None:
    counted = TermCounts(10, {1: 1, 2: 10})
    weighed = with_idf(SparseVector((1, 2, 3), (1.0, 2.0, 1.0)), counted)
    assert weighed.indices == (1, 2)  # no chunk has the third
    one, all_of_them = math.log(1 + 9.5 / 1.5), 2 * math.log(1 + 0.5 / 10.5)
    assert weighed.values == pytest.approx((one, all_of_them), abs=1 / 512)


def test_no_weight_is_rounded_to_nothing() -> None:
    assert rounded(SparseVector((1,), (1e-9,))).values == (1 / 512,)
    common = with_idf(SparseVector((1, 2), (1.0, 1.0)), TermCounts(10**6, {1: 10**6, 2: 1}))
    assert min(common.values) > 0


@pytest.mark.parametrize("weight", [0.0, -1e-9, 1e-39, 1e39, math.nan, math.inf])
def test_a_weight_that_is_no_positive_float32_is_refused_before_it_is_rounded(
    weight: float,
) -> None:
    for _ in range(2):  # it is not remembered either
        with pytest.raises(InvalidPoint, match=r"'a\.md'"):
            rounded(SparseVector((1, 2), (1.0, weight)), "a.md")


def test_a_query_without_a_known_term_is_empty() -> None:
    nothing = SparseVector((), ())
    assert with_idf(SparseVector((1,), (1.0,)), TermCounts(5, {})) == nothing
    assert with_idf(nothing, TermCounts()) == nothing


@pytest.mark.parametrize("terms", [1, 10, 200, 3_000])
def test_float32_sums_of_products_are_exact_in_any_order(terms: int) -> None:
    dice = random.Random(terms)
    query = SparseVector(
        tuple(range(terms)), tuple(float(dice.randint(1, 3)) for _ in range(terms))
    )
    counted = TermCounts(100_000, {term: dice.randint(1, 100_000) for term in range(terms)})
    weights = np.array(with_idf(query, counted).values)
    chunk = np.array(
        rounded(
            SparseVector(query.indices, tuple(dice.uniform(0, 2.2) for _ in range(terms)))
        ).values
    )
    assert (weights.astype(np.float32) == weights).all()
    exact = math.fsum((weights * chunk).tolist())
    for _ in range(20):
        total, order = np.float32(0), list(range(terms))
        dice.shuffle(order)
        for place in order:
            total += np.float32(weights[place]) * np.float32(chunk[place])
        assert float(total) == exact
