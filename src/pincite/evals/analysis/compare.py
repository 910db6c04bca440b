"""Compare runs over the same questions: the differences, and whether chance explains them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pincite.errors import UsageError
from pincite.evals.analysis.conditions import differences
from pincite.evals.analysis.measures import VERDICT
from pincite.evals.analysis.statistics import holm, interval, mean, randomisation_test
from pincite.evals.analysis.summary import right_verdicts, scores
from pincite.evals.run.results import QueryResult, Run

_MOVED = 10


@dataclass(frozen=True, slots=True)
class Difference:
    """`other` minus `base` in one measure, over the questions of both. `low` and `high` bound its
    95 % bootstrap interval. `p` is that of the paired randomisation test, `p_holm` the same
    corrected for all comparisons."""

    label: str
    measure: str
    base: float
    other: float
    delta: float
    low: float
    high: float
    p: float
    p_holm: float
    better: int
    worse: int
    same: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A question with its value in both runs and the results of both."""

    label: str
    measure: str
    base_value: float
    other_value: float
    base: QueryResult
    other: QueryResult


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison with the run `base`. `moved` has the questions with the largest change in the
    first measure, losses first. `notes` name what could not be compared."""

    base: str
    questions: int
    differences: tuple[Difference, ...]
    moved: tuple[Moved, ...]
    notes: tuple[str, ...]


def compare(base: Run, others: Sequence[Run], names: Sequence[str]) -> Comparison:
    """Compare each of the others with the first run, by each measure; `verdict` may be one of them.
    Raises UsageError if two runs have no judged question in common."""
    notes: list[str] = []
    pairs: dict[str, tuple[str, str, dict[str, float], dict[str, float]]] = {}
    moved: list[Moved] = []
    questions = 0
    for number, other in enumerate(others):
        label = other.stamp.label
        notes += _notes(base, other)
        for name in names:
            left, right = paired(base, other, name)
            questions = max(questions, len(left))
            pairs[f"{number} {name}"] = (label, name, left, right)
            if name == names[0]:
                moved += _moved(base, other, name, left, right)
    p_values = {
        key: randomisation_test([right[q] - left[q] for q in left])
        for key, (_, _, left, right) in pairs.items()
    }
    corrected = holm(p_values)
    differences = tuple(
        _difference(*pair, p_values[key], corrected[key]) for key, pair in pairs.items()
    )
    return Comparison(base.stamp.label, questions, differences, tuple(moved), tuple(notes))


def paired(base: Run, other: Run, name: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return the values of a measure in both runs, for the questions that both have. Raises
    UsageError if there are none."""
    left, right = values(base, name), values(other, name)
    common = [key for key in left if key in right]
    if not common:
        raise UsageError(
            f"the runs {base.stamp.label!r} and {other.stamp.label!r} share no question that"
            f" {name} is defined for: they are of the golden sets {base.stamp.golden!r} and"
            f" {other.stamp.golden!r}"
        )
    return {key: left[key] for key in common}, {key: right[key] for key in common}


def values(run: Run, name: str) -> dict[str, float]:
    """Return one measure of a run by question."""
    if name == VERDICT:
        return right_verdicts(run.queries)
    return {key: found[name] for key, found in scores(run, (name,)).items()}


def _difference(
    label: str,
    name: str,
    left: Mapping[str, float],
    right: Mapping[str, float],
    p: float,
    p_holm: float,
) -> Difference:
    deltas = [right[key] - left[key] for key in left]
    low, high = interval(deltas)
    return Difference(
        label=label,
        measure=name,
        base=mean(list(left.values())),
        other=mean(list(right.values())),
        delta=mean(deltas),
        low=low,
        high=high,
        p=p,
        p_holm=p_holm,
        better=sum(delta > 0 for delta in deltas),
        worse=sum(delta < 0 for delta in deltas),
        same=sum(delta == 0 for delta in deltas),
    )


def _moved(
    base: Run, other: Run, name: str, left: Mapping[str, float], right: Mapping[str, float]
) -> list[Moved]:
    before = {query.id: query for query in base.queries}
    after = {query.id: query for query in other.queries}
    keys = [key for key in left if left[key] != right[key]]
    keys.sort(key=lambda key: (-abs(right[key] - left[key]), key))
    chosen = sorted(keys[:_MOVED], key=lambda key: (right[key] - left[key], key))
    return [
        Moved(other.stamp.label, name, left[key], right[key], before[key], after[key])
        for key in chosen
    ]


def _notes(base: Run, other: Run) -> list[str]:
    """Return notes about differences between two runs other than their profiles."""
    one, two = base.stamp, other.stamp
    notes = []
    if one.golden_fingerprint != two.golden_fingerprint:
        notes.append(
            f"{two.label}: the golden set has changed since {one.label}; only questions in"
            " both are compared, each with its judgements at that time"
        )
    notes += differences(one, two)
    contents = [{c.name: c.contents for c in stamp.collections} for stamp in (one, two)]
    if contents[0] != contents[1]:
        notes.append(f"{two.label} was run on another index than {one.label}")
    if one.pincite != two.pincite:
        notes.append(f"{two.label} was run by Pincite {two.pincite}, {one.label} by {one.pincite}")
    return notes
