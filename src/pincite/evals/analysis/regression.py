"""Check a run against a baseline for losses in quality, for continuous integration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pincite.evals.analysis.compare import Difference, compare, values
from pincite.evals.analysis.conditions import measured_with
from pincite.evals.analysis.measures import VERDICT
from pincite.evals.analysis.statistics import interval
from pincite.evals.run.results import Run

#: The measures that are checked by default.
GATED: Final = ("nDCG@10", "R@20", VERDICT)
ALPHA: Final = 0.05
#: A loss up to this share of the tolerance passes, however certain it is.
NEGLIGIBLE: Final = 0.1  # guess, unmeasured


@dataclass(frozen=True, slots=True)
class Check:
    """The check of one measure. `tolerance` is half the width of the baseline's own 95 % interval;
    `low` and `high` bound the paired difference."""

    measure: str
    baseline: float
    now: float
    delta: float
    low: float
    high: float
    p_holm: float
    tolerance: float
    result: Literal["ok", "worse", "better"]
    reason: str


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """All measures of a run against its baseline. `missing` are the questions of the baseline, by
    id, for which the run lacks a value of some measure; the others are compared. `passed` is false
    if a measure is worse, or if questions are missing and that is not allowed. `notes` describe
    other differences, and the conditions of both."""

    passed: bool
    measures: tuple[Check, ...]
    questions: int
    missing: tuple[str, ...]
    notes: tuple[str, ...]


def check_measures(
    baseline: Run, now: Run, names: Sequence[str] = GATED, *, allow_missing: bool = False
) -> CheckedRun:
    """Compare a run with its baseline. A measure is `worse` if its mean fell

    - by more than the tolerance, or
    - by more than NEGLIGIBLE of the tolerance, and the paired randomisation test rules out chance
      (p < ALPHA, corrected for the measures checked).

    The second rule finds small losses of many questions, which the first would miss. A repeated run
    of the same index differs in no question, or in a few in both directions, and passes. A run
    without some questions of the baseline fails unless `allow_missing` is set, because missing
    questions cannot get worse. Raises UsageError if the runs have no question in common.
    """
    found = compare(baseline, [now], names)
    before = {name: values(baseline, name) for name in names}
    checks = tuple(_check(one, list(before[one.measure].values())) for one in found.differences)
    lost = {key for name, of in before.items() for key in of.keys() - values(now, name).keys()}
    lost |= {query.id for query in baseline.queries} - {query.id for query in now.queries}
    return CheckedRun(
        passed=(allow_missing or not lost) and all(one.result != "worse" for one in checks),
        measures=checks,
        questions=len(baseline.queries),
        missing=tuple(query.id for query in baseline.queries if query.id in lost),
        notes=(measured_with(now.stamp.profile, names), *found.notes),
    )


def _check(found: Difference, before: Sequence[float]) -> Check:
    low, high = interval(before)
    tolerance = (high - low) / 2
    sure = found.p_holm < ALPHA and abs(found.delta) > NEGLIGIBLE * tolerance
    result: Literal["ok", "worse", "better"] = "ok"
    reason = "within chance"
    if -found.delta > tolerance + 1e-12:
        result, reason = "worse", f"fell by more than the baseline's ±{tolerance:.4f}"
    elif sure and found.delta < 0:
        result = "worse"
        reason = f"{found.worse} questions lost, {found.better} won: p = {found.p_holm:.4f}"
    elif sure:
        result = "better"
        reason = f"{found.better} questions won, {found.worse} lost: take a new baseline"
    return Check(
        measure=found.measure,
        baseline=found.base,
        now=found.other,
        delta=found.delta,
        low=found.low,
        high=found.high,
        p_holm=found.p_holm,
        tolerance=tolerance,
        result=result,
        reason=reason,
    )
