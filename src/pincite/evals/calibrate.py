"""Thresholds of the verdict, learned on a golden set with off-topic questions.

For every signal, the values of each question's best candidate are known on topic and off topic.
A threshold costs what it gets wrong:

    cost(t) = caution * share of on-topic questions below t
            + share of off-topic questions at t or above

- `weak_at` (refuse below it) has the least cost where wrongly refusing weighs CAUTION;
- `grounded_at` has the least cost where it weighs 1 / CAUTION: what is called grounded is to be
  on topic.

Where several thresholds cost the same the middle of the widest range of them is taken: the one
furthest from the questions that were seen.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Final

import msgspec

from pincite.errors import UsageError
from pincite.evals.refusal import CurvePoint, Refusal, auroc, curve, of_refused
from pincite.evals.runs import QueryResult, Run
from pincite.evals.summary import signals, values_by_topic
from pincite.stages.gate import GateConfig, Thresholds

CAUTION: Final = 2.0  # guess, unmeasured: a wrong refusal costs a user twice a wrong answer
FOLDS: Final = 5
REPEATS: Final = 20
_NOTHING = float("-inf")


@dataclass(frozen=True, slots=True)
class SignalCalibration:
    """One signal. `field` is the name of its thresholds in the profile's `gate`, empty if it has
    none there. `validated` sums the questions over repeated cross-validation with thresholds
    learned on the other folds; `uncalibrated` are the profile's thresholds on the same questions,
    as often.
    `chosen` are the smallest and the largest threshold of the folds."""

    signal: str
    field: str
    learned: Thresholds
    auroc: float
    validated: Refusal
    fitted: Refusal
    uncalibrated: Refusal | None
    uncalibrated_at: Thresholds | None
    chosen: tuple[float, float]
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """All signals, the best one by cross-validated balanced accuracy first."""

    golden: str
    golden_fingerprint: str
    on_topic: int
    off_topic: int
    folds: int
    repeats: int
    signals: tuple[SignalCalibration, ...]
    notes: tuple[str, ...]


def calibrate(run: Run, *, caution: float = CAUTION, seed: int = 0) -> Calibration:
    """Learn from a run, and compare with the thresholds that it was taken with. Raises UsageError
    unless there are two questions of each kind, and for a caution that is not positive."""
    if caution <= 0:
        raise UsageError(f"the caution is {caution}; it must be positive")
    config = msgspec.convert(run.stamp.profile["gate"], GateConfig)
    on = sum(not query.off_topic for query in run.queries)
    off = len(run.queries) - on
    if min(on, off) < 2:
        raise UsageError(
            f"calibration needs at least 2 questions on topic and 2 off topic, and there are {on}"
            f" and {off}",
            hint='add questions with "off_topic": true to the golden set; 20 or more are better',
        )
    folds = min(FOLDS, on, off)
    found = [_one(run, name, config, caution, folds, seed) for name in signals(run)]
    notes = []
    if off < 20:
        notes.append(
            f"only {off} off-topic questions: one of them moves the refusal recall by"
            f" {1 / off:.2f}; thresholds learned from so few are rough"
        )
    found.sort(key=lambda one: (-(one.validated.balanced_accuracy or 0.0), one.signal))
    return Calibration(
        golden=run.stamp.golden,
        golden_fingerprint=run.stamp.golden_fingerprint,
        on_topic=on,
        off_topic=off,
        folds=folds,
        repeats=REPEATS,
        signals=tuple(found),
        notes=tuple(notes),
    )


def learn(on: Sequence[float], off: Sequence[float], caution: float = CAUTION) -> Thresholds:
    """Thresholds of one signal from the values on topic and off topic, see above. Values below 0
    count as 0, since thresholds are not negative."""
    weak = _cheapest(on, off, caution)
    grounded = max(weak, _cheapest(on, off, 1 / caution))
    return Thresholds(grounded_at=grounded, weak_at=weak, calibrated=True)


def _cheapest(on: Sequence[float], off: Sequence[float], caution: float) -> float:
    values = sorted({max(0.0, value) for value in (*on, *off)})
    # From each value down to the one below it, every threshold decides alike.
    edges = [0.0, *values, values[-1] * 1.001 + 1e-9]
    best_cost, best_width, best = float("inf"), -1.0, 0.0
    for low, high in pairwise(edges):
        refused = sum(max(0.0, value) < high for value in on) / len(on)
        let_in = sum(max(0.0, value) >= high for value in off) / len(off)
        cost = round(caution * refused + let_in, 12)
        if (cost, -(high - low)) < (best_cost, -best_width):
            best_cost, best_width, best = cost, high - low, (low + high) / 2
    return best


def _one(
    run: Run, name: str, config: GateConfig, caution: float, folds: int, seed: int
) -> SignalCalibration:
    on, off = values_by_topic(run.queries, name)
    learned = learn(on, off, caution)
    field = name.replace("/", "_")
    known = field in {f.name for f in fields(GateConfig)}
    given: Thresholds | None = getattr(config, field) if known else None
    decisions, chosen = _cross_validate(run.queries, name, caution, folds, seed)
    return SignalCalibration(
        signal=name,
        field=field if known else "",
        learned=learned,
        auroc=auroc(on, off) or 0.0,
        validated=of_refused(decisions),
        fitted=of_refused(_decide(run.queries, name, learned.weak_at)),
        uncalibrated=of_refused(_decide(run.queries, name, given.weak_at)) if given else None,
        uncalibrated_at=given,
        chosen=(min(chosen), max(chosen)),
        curve=curve(on, off),
    )


def _cross_validate(
    queries: Sequence[QueryResult], name: str, caution: float, folds: int, seed: int
) -> tuple[list[tuple[bool, bool]], list[float]]:
    """(off topic?, refused?) of each question in each repetition, with the threshold of the folds
    that it is not in; and these thresholds. Both kinds are spread evenly over the folds."""
    rng = random.Random(seed)
    decisions: list[tuple[bool, bool]] = []
    chosen: list[float] = []
    for _ in range(REPEATS):
        fold_of: dict[str, int] = {}
        for kind in (False, True):
            ids = [query.id for query in queries if query.off_topic == kind]
            rng.shuffle(ids)
            fold_of |= {key: place % folds for place, key in enumerate(ids)}
        for fold in range(folds):
            seen = [query for query in queries if fold_of[query.id] != fold]
            held_out = [query for query in queries if fold_of[query.id] == fold]
            weak_at = learn(*values_by_topic(seen, name), caution).weak_at
            chosen.append(weak_at)
            decisions += _decide(held_out, name, weak_at)
    return decisions, chosen


def _decide(queries: Sequence[QueryResult], name: str, threshold: float) -> list[tuple[bool, bool]]:
    return [(q.off_topic, q.values.get(name, _NOTHING) < threshold) for q in queries]


def as_table(calibration: Calibration) -> Mapping[str, Thresholds]:
    """What goes into the profile, by the names of its fields: the thresholds of each signal that
    do not refuse worse, by cross-validation, than those that are there."""
    return {one.field: one.learned for one in calibration.signals if one.field and _no_worse(one)}


def _no_worse(one: SignalCalibration) -> bool:
    before = one.uncalibrated.balanced_accuracy if one.uncalibrated else None
    return (one.validated.balanced_accuracy or 0.0) >= (before or 0.0)
