"""Intervals and tests against sums by hand and against another implementation."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from pincite.evals.analysis.refusal import auroc, count, curve
from pincite.evals.analysis.statistics import (
    holm,
    interval,
    mean,
    median,
    quantile,
    randomisation_test,
)


def test_few_differences_are_tried_with_all_signs() -> None:
    differences = [0.5, 0.25, -0.125, 0.0]
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=4)
    ]
    wanted = sum(abs(one) >= 0.625 for one in sums) / len(sums)
    assert randomisation_test(differences) == pytest.approx(wanted)
    assert randomisation_test([0.0, 0.0]) == 1.0
    assert randomisation_test([]) == 1.0


def test_many_differences_agree_with_another_implementation() -> None:
    from scipy import stats  # late: a second of each process that collects the tests

    rng = np.random.default_rng(1)
    for shift in (0.0, 0.03, 0.06):
        differences = rng.normal(shift, 0.2, 120)
        other = stats.permutation_test(
            (differences,), np.mean, permutation_type="samples", n_resamples=20_000, rng=2
        ).pvalue
        assert randomisation_test(list(differences)) == pytest.approx(other, abs=0.015)


def test_the_test_is_wrong_as_often_as_it_says() -> None:
    rng = random.Random(5)
    low = sum(randomisation_test([rng.gauss(0, 1) for _ in range(12)]) < 0.1 for _ in range(300))
    assert 15 <= low <= 47  # 30 expected, three standard deviations are 16


def test_intervals_hold_the_mean_and_repeat() -> None:
    from scipy import stats  # late: a second of each process that collects the tests

    rng = random.Random(3)
    inside = 0
    for _ in range(60):
        values = [rng.random() for _ in range(40)]
        low, high = interval(values)
        inside += low <= 0.5 <= high
        assert (low, high) == interval(values)
    assert inside >= 52
    other = stats.bootstrap((values,), np.mean, method="percentile", rng=1).confidence_interval
    assert (low, high) == pytest.approx((other.low, other.high), abs=0.01)
    assert interval([]) == (0.0, 0.0)
    assert interval([0.3, 0.3]) == pytest.approx((0.3, 0.3))


def test_holm_by_hand() -> None:
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.9}) == pytest.approx(
        {"a": 0.04, "b": 0.09, "c": 0.09, "d": 0.9}
    )
    assert holm({}) == {}


def test_quantiles_are_values_that_occurred() -> None:
    assert (median([3, 1, 2]), median([4, 1, 2, 3]), median([])) == (2, 2.5, 0)
    assert quantile(range(1, 101), 0.95) == 95
    assert (quantile([7], 0.95), quantile([], 0.5), mean([])) == (7, 0, 0)


def test_refusals_by_hand() -> None:
    found = count([(True, "none"), (True, "weak"), (False, "none"), (False, "grounded")])
    assert (found.precision, found.recall) == (0.5, 0.5)
    silent = count([(False, "grounded")])
    assert (silent.precision, silent.recall) == (None, None)


def test_auroc_by_hand_and_by_another_implementation() -> None:
    from scipy import stats  # late: a second of each process that collects the tests

    nothing = float("-inf")
    assert auroc([0.9, 0.5], [0.5, nothing]) == pytest.approx((1 + 1 + 0.5 + 1) / 4)
    assert auroc([], [1.0]) is None
    rng = random.Random(4)
    on, off = [rng.gauss(1, 1) for _ in range(50)], [rng.gauss(0, 1) for _ in range(30)]
    other = stats.mannwhitneyu(on, off).statistic / (50 * 30)
    assert auroc(on, off) == pytest.approx(other)


def test_the_curve_goes_from_refusing_nobody_to_everybody() -> None:
    points = curve([0.6, 0.8], [0.2, 0.7])
    assert [(p.off_refused, p.on_refused) for p in points] == [
        *((0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (1.0, 0.5), (1.0, 1.0))
    ]
    assert curve([], []) == ()
