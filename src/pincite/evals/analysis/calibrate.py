"""Thresholds of the verdict, learned on a golden set with off-topic questions.

For every signal, the values of each question's best candidate are known: on topic, far off topic,
and near, which is on the same subject without an answer. The cost of a threshold is

    cost(t) = caution * share of on-topic questions below t
            + mean of the shares of far and of near questions at t or above

- `weak_at` (refuse below it) has the least cost if a wrong refusal has the weight CAUTION;
- `grounded_at` has the least cost if it has the weight 1 / CAUTION: a grounded verdict should mean
  that there is an answer.

If several thresholds have the same cost, the middle of their widest range is taken, which is the
furthest from the values of the questions. For `grounded_at`, near questions would lie in that
range, so it is never below the measured default unless there are at least LEAST near questions and
off-topic values overlap with on-topic ones.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import msgspec

from pincite.errors import UsageError
from pincite.evals.analysis.refusal import CurvePoint, Levels, Outcome, auroc, curve
from pincite.evals.analysis.summary import signals, values_by_topic
from pincite.evals.run.results import QueryResult, Run, Topic
from pincite.model import VerdictLevel
from pincite.stages.gate import MEASURED, GateConfig, RerankedThresholds, Thresholds
from pincite.support.decodable import ready

CAUTION: Final = 2.0  # guess, unmeasured: a wrong refusal costs a user twice a wrong answer
LEAST: Final = 20  # questions of a kind: with fewer, one moves its share by more than .05
FOLDS: Final = 5
REPEATS: Final = 20
MORE: Final = (
    f'add questions that the corpus does not answer, with "off_topic": true; {LEAST} of these'
    ' about its own subject, with "near": true as well'
)
_NOTHING = float("-inf")


@dataclass(frozen=True, slots=True)
class SignalCalibration:
    """Thresholds of one signal. `field` is the name of its thresholds in the profile's `gate`,
    empty if it has none there. `validated` sums the questions over repeated cross-validation, with
    thresholds learned on the other folds. `uncalibrated` has the profile's thresholds on the same
    questions. `auroc` compares on-topic questions with `far` and `near` ones, if there are any.
    `chosen` has the smallest and the largest `weak_at` of the folds."""

    signal: str
    field: str
    learned: Thresholds
    auroc: Mapping[str, float]
    validated: Outcome
    fitted: Outcome
    uncalibrated: Outcome | None
    uncalibrated_at: Thresholds | None
    chosen: tuple[float, float]
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class Calibration:
    """All signals, the one with the lowest cost in cross-validation first. `reranker` is the
    fingerprint of the run's reranker, empty without one. `present` has the fields that questions
    had a value for, each combination once."""

    golden: str
    golden_fingerprint: str
    reranker: str
    on_topic: int
    far: int
    near: int
    caution: float
    folds: int
    repeats: int
    signals: tuple[SignalCalibration, ...]
    notes: tuple[str, ...]
    present: tuple[tuple[str, ...], ...] = ()


def calibrate(run: Run, *, caution: float = CAUTION, seed: int = 0) -> Calibration:
    """Learn thresholds from a run, and compare them with those of the run. Raises UsageError
    without two questions on topic and two off topic, and for a caution that is not positive."""
    if caution <= 0:
        raise UsageError(f"the caution is {caution}; it must be positive")
    config = msgspec.convert(run.stamp.profile["gate"], ready(GateConfig))
    count = Counter(query.topic for query in run.queries)
    on, far, near = count["on topic"], count["far"], count["near"]
    if min(on, far + near) < 2:
        raise UsageError(
            "calibration needs at least 2 questions on topic and 2 off topic; the golden set"
            f" has {on} and {far + near}",
            hint=MORE,
        )
    folds = min(FOLDS, on, far + near)
    reranker = run.stamp.reranker or ""
    found = [_one(run, name, config, caution, folds, seed) for name in signals(run)]
    found.sort(key=lambda one: (one.validated.cost(caution), one.signal))
    return Calibration(
        golden=run.stamp.golden,
        golden_fingerprint=run.stamp.golden_fingerprint,
        reranker=reranker,
        on_topic=on,
        far=far,
        near=near,
        caution=caution,
        folds=folds,
        repeats=REPEATS,
        signals=tuple(found),
        notes=_notes(far, near),
        present=tuple(sorted({_fields(query) for query in run.queries} - {()})),
    )


def _fields(query: QueryResult) -> tuple[str, ...]:
    fields = (name.replace("/", "_") for name in query.values)
    return tuple(sorted(field for field in fields if field in GateConfig.__struct_fields__))


def _notes(far: int, near: int) -> tuple[str, ...]:
    notes = []
    if far + near < LEAST:
        notes.append(
            f"only {far + near} off-topic questions: each changes the refusal recall by"
            f" {1 / (far + near):.2f}; thresholds from fewer than {LEAST} are not written"
        )
    if near < LEAST:
        notes.append(
            f"{near} near questions are fewer than {LEAST}, which is too few to lower"
            f" grounded_at: it stays at the measured default or above; {MORE}"
        )
    return tuple(notes)


def learn(
    on: Sequence[float],
    far: Sequence[float],
    near: Sequence[float] = (),
    *,
    caution: float = CAUTION,
    least: float = 0.0,
    firm: bool = False,
) -> Thresholds:
    """Return the thresholds of one signal, as described above. Values below 0 count as 0, since
    thresholds are not negative. `grounded_at` is at least `least` if on topic and off topic can be
    separated; with `firm`, always."""
    weak = _cheapest(on, (far, near), caution)
    grounded = max(weak, _cheapest(on, (far, near), 1 / caution))
    if firm or min(on) > max((*far, *near)):
        grounded = max(grounded, least)
    return Thresholds(grounded_at=grounded, weak_at=weak, calibrated=True)


def _cheapest(on: Sequence[float], off: Sequence[Sequence[float]], caution: float) -> float:
    inside, *outside = (sorted(max(0.0, value) for value in kind) for kind in (on, *off) if kind)
    values = sorted({value for kind in (inside, *outside) for value in kind})
    # All thresholds between two neighbouring values decide alike.
    edges = [0.0, *values, values[-1] * 1.001 + 1e-9]
    best_cost, best_width, best = float("inf"), -1.0, 0.0
    for low, high in pairwise(edges):
        refused = bisect_left(inside, high) / len(inside)
        let_in = sum(1 - bisect_left(kind, high) / len(kind) for kind in outside) / len(outside)
        cost = round(caution * refused + let_in, 12)
        if (cost, -(high - low)) < (best_cost, -best_width):
            best_cost, best_width, best = cost, high - low, (low + high) / 2
    return best


@dataclass(frozen=True, slots=True)
class _Learner:
    """Learns the thresholds of one signal from any of the questions."""

    signal: str
    caution: float
    least: float
    firm: bool

    def learn(self, queries: Sequence[QueryResult]) -> Thresholds:
        """Learn from these questions."""
        values: dict[Topic, list[float]] = {"on topic": [], "far": [], "near": []}
        for query in queries:
            values[query.topic].append(query.values.get(self.signal, _NOTHING))
        kinds = values["on topic"], values["far"], values["near"]
        return learn(*kinds, caution=self.caution, least=self.least, firm=self.firm)

    def decide(
        self, queries: Iterable[QueryResult], at: Thresholds, *, as_run: bool = False
    ) -> Counter[tuple[Topic, VerdictLevel]]:
        """Count the verdicts of each kind. With `as_run`, a verdict by this signal that the run
        lowered to `weak`, for a word that occurs nowhere, is `weak`."""
        found: Counter[tuple[Topic, VerdictLevel]] = Counter()
        for query in queries:
            value = query.values.get(self.signal, _NOTHING)
            level: VerdictLevel = "weak" if value >= at.weak_at else "none"
            lowered = as_run and query.verdict == "weak" and query.verdict_signal == self.signal
            if value >= at.grounded_at and not lowered:
                level = "grounded"
            found[query.topic, level] += 1
        return found


def _one(
    run: Run, name: str, config: GateConfig, caution: float, folds: int, seed: int
) -> SignalCalibration:
    on, off = values_by_topic(run.queries, name)
    field = name.replace("/", "_")
    known = field in GateConfig.__struct_fields__
    given: Thresholds | None = getattr(config, field) if known else None
    measured = MEASURED.get(field)
    firm = sum(query.near for query in run.queries) < LEAST
    learner = _Learner(name, caution, measured.grounded_at if measured else 0.0, firm)
    learned = learner.learn(run.queries)
    if isinstance(given, RerankedThresholds):
        learned = RerankedThresholds(
            learned.grounded_at, learned.weak_at, True, run.stamp.reranker or ""
        )
    decisions, chosen = _cross_validate(run.queries, learner, folds, seed)
    outside = {
        kind: [q.values.get(name, _NOTHING) for q in run.queries if q.topic == kind]
        for kind in ("far", "near")
    }
    return SignalCalibration(
        signal=name,
        field=field if known else "",
        learned=learned,
        auroc={kind: auroc(on, values) or 0.0 for kind, values in outside.items() if values},
        validated=_outcome(decisions),
        fitted=_outcome(learner.decide(run.queries, learned)),
        uncalibrated=_outcome(learner.decide(run.queries, given, as_run=True)) if given else None,
        uncalibrated_at=given,
        chosen=(min(chosen), max(chosen)),
        curve=curve(on, off),
    )


def _cross_validate(
    queries: Sequence[QueryResult], learner: _Learner, folds: int, seed: int
) -> tuple[Counter[tuple[Topic, VerdictLevel]], list[float]]:
    """Count the verdicts of each kind over all repetitions, with thresholds from the other folds,
    and return the `weak_at` of the folds. All kinds are spread evenly over the folds."""
    rng = random.Random(seed)
    decisions: Counter[tuple[Topic, VerdictLevel]] = Counter()
    chosen: list[float] = []
    for _ in range(REPEATS):
        fold_of: dict[str, int] = {}
        for kinds in (("on topic",), ("far", "near")):
            ids: list[str] = []
            for kind in kinds:
                some = [query.id for query in queries if query.topic == kind]
                rng.shuffle(some)
                ids += some
            fold_of |= {key: place % folds for place, key in enumerate(ids)}
        for fold in range(folds):
            at = learner.learn([query for query in queries if fold_of[query.id] != fold])
            chosen.append(at.weak_at)
            decisions += learner.decide((q for q in queries if fold_of[q.id] == fold), at)
    return decisions, chosen


def _outcome(decisions: Counter[tuple[Topic, VerdictLevel]]) -> Outcome:
    def levels(topic: Topic) -> Levels:
        return Levels(
            decisions[topic, "grounded"], decisions[topic, "weak"], decisions[topic, "none"]
        )

    return Outcome(levels("on topic"), levels("far"), levels("near"))


def as_table(found: Calibration) -> Mapping[str, Thresholds]:
    """Return the thresholds to write into the profile, by the names of their fields.

    A signal is included if it costs no more, in cross-validation, than its current thresholds. A
    signal with unmeasured defaults would take over the verdict from a measured one: it needs near
    questions, and must cost no more than any other signal of the gate.
    """
    of_gate = [one for one in found.signals if one.field]
    costs = {one.field: one.validated.cost(found.caution) for one in of_gate}
    return {
        one.field: one.learned
        for one in of_gate
        if costs[one.field] <= (one.uncalibrated.cost(found.caution) if one.uncalibrated else 0.0)
        and (
            one.field in MEASURED
            or (found.near >= LEAST and costs[one.field] <= min(costs.values()))
        )
    }


def deciding(found: Calibration, gate: GateConfig) -> frozenset[str]:
    """Return the fields of the thresholds that decide the verdicts on these questions."""
    others = ("coverage", "dense")
    order = {
        "auto": ("reranked", *others)
        if gate.reranked_probability.calibrated_for(found.reranker)
        else others,
        "reranked": ("reranked", *others),
    }.get(gate.signal, (gate.signal,))
    fields: set[str] = set()
    for present in found.present:
        by_signal = ([one for one in present if one.startswith(f"{name}_")] for name in order)
        fields.update(next(filter(None, by_signal), ()))
    return frozenset(fields)
