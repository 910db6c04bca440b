"""Estimate the effect of chance: intervals, tests, and their correction for multiple comparisons.

All functions are deterministic: the same values and seed give the same result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES: Final = 10_000
_CONFIDENCE: Final = 0.95
_SEED: Final = 0
_BLOCK = 2_000_000  # numbers that are drawn at a time


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean over queries (Efron, 1979): the middle
    95 % of the means of RESAMPLES draws with replacement. (0, 0) without values."""
    import numpy as np

    if not values:
        return 0.0, 0.0
    given = np.asarray(values, float)
    rng = np.random.default_rng(_SEED)
    means = np.concatenate(
        [
            given[rng.integers(0, len(given), (rows, len(given)))].mean(axis=1)
            for rows in _rows(len(given))
        ]
    )
    tail = (1 - _CONFIDENCE) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return float(low), float(high)


def randomisation_test(differences: Sequence[float]) -> float:
    """Return the two-sided p of the paired randomisation test (Fisher; Smucker, Allan and
    Carterette, 2007, "A comparison of statistical significance tests for information retrieval
    evaluation"): the share of random signs with a mean difference at least as far from 0.

    All combinations of signs are tried if there are at most RESAMPLES of them. Otherwise RESAMPLES
    are drawn, and p = (1 + at least as far) / (1 + drawn). The result is 1 if nothing differs.
    """
    import numpy as np

    moved = np.array([value for value in differences if value != 0], float)
    if not len(moved):
        return 1.0
    observed = abs(moved.sum())
    edge = observed - 1e-12 * max(1.0, observed)
    if 2 ** len(moved) <= RESAMPLES:
        signs = 1 - 2 * ((np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1)
        return float((abs(signs @ moved) >= edge).mean())
    rng = np.random.default_rng(_SEED)
    far = sum(
        int((abs(_signs(rng, rows, len(moved)) @ moved) >= edge).sum())
        for rows in _rows(len(moved))
    )
    return (1 + far) / (1 + RESAMPLES)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Correct p values for their number (Holm, 1979, "A simple sequentially rejective multiple test
    procedure"): the i-th smallest of m times m - i + 1, never below the previous one, at most 1.
    The order is that of `p_values`."""
    ordered = sorted(p_values, key=lambda name: (p_values[name], name))
    corrected: dict[str, float] = {}
    largest = 0.0
    for place, name in enumerate(ordered):
        largest = max(largest, min(1.0, p_values[name] * (len(ordered) - place)))
        corrected[name] = largest
    return {name: corrected[name] for name in p_values}


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value such that at least `share` of the values do not exceed it; 0
    without values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)]


def median(values: Sequence[float]) -> float:
    """Return the middle value, or the mean of the two middle ones; 0 without values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def mean(values: Sequence[float]) -> float:
    """Return the mean; 0 without values."""
    return sum(values) / len(values) if values else 0.0


def _rows(columns: int) -> list[int]:
    """Return the sizes of blocks of the RESAMPLES draws that fit into memory."""
    step = max(1, min(RESAMPLES, _BLOCK // columns))
    return [min(step, RESAMPLES - start) for start in range(0, RESAMPLES, step)]


def _signs(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float64]:
    import numpy as np

    signs = 1 - 2 * rng.integers(0, 2, (rows, columns))
    return signs.astype(np.float64)
