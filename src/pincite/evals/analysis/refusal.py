"""Measure refusals: whether questions without an answer, and only those, get the verdict `none`.

A refusal is the verdict `none`. A question has a best value for every signal of its candidates.
Questions without candidates have none, and count as below every threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pincite.model import VerdictLevel


@dataclass(frozen=True, slots=True)
class Levels:
    """Questions of one kind by their verdict."""

    grounded: int = 0
    weak: int = 0
    none: int = 0

    @property
    def total(self) -> int:
        """Return the number of questions."""
        return self.grounded + self.weak + self.none


@dataclass(frozen=True, slots=True)
class Outcome:
    """The verdicts of thresholds on questions on topic, far off topic and near."""

    on: Levels
    far: Levels
    near: Levels

    @property
    def refusal(self) -> Refusal:
        """Return the refusals, with far and near questions together."""
        off_total = self.far.total + self.near.total
        return Refusal(self.far.none + self.near.none, off_total, self.on.none, self.on.total)

    @property
    def far_refusal(self) -> Refusal:
        """Return the refusals of on-topic and far questions."""
        return Refusal(self.far.none, self.far.total, self.on.none, self.on.total)

    @property
    def near_refusal(self) -> Refusal:
        """Return the refusals of on-topic and near questions."""
        return Refusal(self.near.none, self.near.total, self.on.none, self.on.total)

    def cost(self, caution: float) -> float:
        """Return the cost of both thresholds, see `pincite.evals.analysis.calibrate`. Far and near
        questions have the same weight, whatever their numbers."""
        off = [one for one in (self.far, self.near) if one.total]
        let_in = sum(1 - one.none / one.total for one in off) / max(1, len(off))
        trusted = sum(one.grounded / one.total for one in off) / max(1, len(off))
        refused = self.on.none / max(1, self.on.total)
        doubted = 1 - self.on.grounded / max(1, self.on.total)
        return caution * refused + let_in + doubted / caution + trusted


@dataclass(frozen=True, slots=True)
class Refusal:
    """Questions by kind and verdict. `precision` is the share of refused questions that are off
    topic, `recall` the share of off-topic questions that are refused; None for an empty
    denominator."""

    off_refused: int
    off_total: int
    on_refused: int
    on_total: int

    @property
    def precision(self) -> float | None:
        refused = self.off_refused + self.on_refused
        return self.off_refused / refused if refused else None

    @property
    def recall(self) -> float | None:
        return self.off_refused / self.off_total if self.off_total else None


def count(verdicts: Sequence[tuple[bool, VerdictLevel]]) -> Refusal:
    """Count from (off topic, verdict) of each question."""
    return of_refused([(off, level == "none") for off, level in verdicts])


def of_refused(decisions: Sequence[tuple[bool, bool]]) -> Refusal:
    """Count from (off topic, refused) of each question."""
    off = [refused for is_off, refused in decisions if is_off]
    on = [refused for is_off, refused in decisions if not is_off]
    return Refusal(sum(off), len(off), sum(on), len(on))


def auroc(on_topic: Sequence[float], off_topic: Sequence[float]) -> float | None:
    """Return the probability that an on-topic question has the higher value, with ties as a half
    (the Mann-Whitney statistic). None without questions of both kinds. Minus infinity stands for no
    candidate."""
    if not on_topic or not off_topic:
        return None
    wins = sum((one > other) + 0.5 * (one == other) for one in on_topic for other in off_topic)
    return wins / (len(on_topic) * len(off_topic))


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The shares of on-topic and off-topic questions refused below `threshold`, in 0..1."""

    threshold: float
    off_refused: float
    on_refused: float


def curve(on_topic: Sequence[float], off_topic: Sequence[float]) -> tuple[CurvePoint, ...]:
    """Return all thresholds that make a difference, ascending: below the smallest value, between
    neighbours, above the largest."""
    values = sorted({value for value in (*on_topic, *off_topic) if value != float("-inf")})
    if not values:
        return ()
    cuts = [values[0], *((a + b) / 2 for a, b in pairwise(values))]
    cuts.append(values[-1] + max(1e-6, abs(values[-1]) * 1e-6))
    return tuple(
        CurvePoint(cut, share_below(off_topic, cut), share_below(on_topic, cut)) for cut in cuts
    )


def share_below(values: Sequence[float], cut: float) -> float:
    """Return the share of values below `cut`, 0 to 1; 0 without values."""
    return sum(value < cut for value in values) / len(values) if values else 0.0
