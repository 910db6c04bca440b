"""Results of a sweep: each point on both halves of the questions, and the points to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from pincite.errors import UsageError
from pincite.evals.analysis.statistics import (
    holm,
    interval,
    mean,
    median,
    quantile,
    randomisation_test,
)
from pincite.evals.golden.questions import GoldenSet
from pincite.evals.sweep.cells import Cell
from pincite.evals.sweep.points import Point
from pincite.support.counted import counted
from pincite.support.fields import replace


@dataclass(frozen=True, slots=True)
class Row:
    """One point. `tune` and `test` are means by measure over the judged questions of each half.
    `delta` is the difference to the first point on the tuning half by the first measure, `p_holm`
    its p, corrected for the number of points. `verdict` is the share of right verdicts, `tokens`
    the mean number of shown tokens, `judged` the mean number of reranked passages. `best_for` lists
    the Pareto fronts with this point: no other point is better at that price."""

    point: str
    values: Mapping[str, Any]
    label: str
    tune: Mapping[str, float]
    test: Mapping[str, float]
    delta: float
    p_holm: float
    verdict: float
    tokens: float
    judged: float
    latency_p50_ms: float
    latency_p95_ms: float
    best_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Winner:
    """The best point on the tuning half, compared with the first point on the test half, which was
    not used for the choice."""

    label: str
    values: Mapping[str, Any]
    test_delta: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, slots=True)
class SweepTable:
    """Rows sorted by the first measure on the tuning half, best first; ties go to the cheaper
    point."""

    golden: str
    measures: tuple[str, ...]
    tune_questions: int
    test_questions: int
    rows: tuple[Row, ...]
    winner: Winner


def is_tune(query_id: str, share: float) -> bool:
    """Return whether a question belongs to the tuning half. This follows from its id alone, so it
    never changes."""
    digest = blake2b(query_id.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") < share * 2**64


def require_tuning(golden: GoldenSet, share: float) -> None:
    """Raise UsageError unless the share is above 0 and at most 1, and there are questions to tune
    by."""
    if not 0 < share <= 1:
        raise UsageError(
            f"the share of questions to tune by is {share}; it must be above 0 and at most 1"
        )
    judged = _judged(golden)
    if not any(is_tune(key, share) for key in judged):
        raise UsageError(
            f"none of the {counted(len(judged), 'judged question')} of {golden.name} is in the"
            f" share of {share} to tune by",
            hint="take a larger share with --tune, or judge more questions",
        )


def _judged(golden: GoldenSet) -> list[str]:
    return [query.id for query in golden.queries if query.relevant and not query.off_topic]


def tabulate(
    golden: GoldenSet,
    points: Sequence[Point],
    cells: Mapping[str, Mapping[str, Cell]],
    names: Sequence[str],
    tune_share: float = 0.5,
) -> SweepTable:
    """Return the table of the cells. Two sweeps of the same points differ only in times."""
    judged = _judged(golden)
    tune = [key for key in judged if is_tune(key, tune_share)]
    test = [key for key in judged if key not in set(tune)]
    base = cells[points[0].id]
    p_values = holm(
        {point.id: randomisation_test(_deltas(base, cells[point.id], tune)) for point in points[1:]}
    )
    rows = [
        _row(point, base, cells[point.id], names, tune, test, p_values.get(point.id, 1.0))
        for point in points
    ]
    rows.sort(key=lambda row: (-row.tune[names[0]], row.tokens, row.judged, row.point))
    best = rows[0]
    deltas = _deltas(base, cells[best.point], test)
    return SweepTable(
        golden.name,
        tuple(names),
        len(tune),
        len(test),
        tuple(_with_fronts(row, rows, names[0]) for row in rows),
        Winner(
            best.label, best.values, mean(deltas), *interval(deltas), randomisation_test(deltas)
        ),
    )


def _deltas(
    base: Mapping[str, Cell], other: Mapping[str, Cell], keys: Sequence[str]
) -> list[float]:
    return [_value(other[key], 0) - _value(base[key], 0) for key in keys]


def _value(cell: Cell, place: int) -> float:
    return cell.values[place] if cell.values else 0.0


def _row(
    point: Point,
    base: Mapping[str, Cell],
    cells: Mapping[str, Cell],
    names: Sequence[str],
    tune: Sequence[str],
    test: Sequence[str],
    p_holm: float,
) -> Row:
    def means(keys: Sequence[str]) -> dict[str, float]:
        return {
            name: mean([_value(cells[key], place) for key in keys])
            for place, name in enumerate(names)
        }

    times = [cell.total_ms for cell in cells.values()]
    return Row(
        point=point.id,
        values=point.values,
        label=point.label,
        tune=means(tune),
        test=means(test),
        delta=mean(_deltas(base, cells, tune)),
        p_holm=p_holm,
        verdict=mean([float(cell.right) for cell in cells.values()]),
        tokens=mean([float(cell.tokens) for cell in cells.values()]),
        judged=mean([float(cell.judged) for cell in cells.values()]),
        latency_p50_ms=median(times),
        latency_p95_ms=quantile(times, 0.95),
    )


def _with_fronts(row: Row, rows: Sequence[Row], name: str) -> Row:
    fronts = [
        front for front, price in _PRICES.items() if front == "tokens" or any(map(price, rows))
    ]
    return replace(row, best_for=tuple(front for front in fronts if _on(front, row, rows, name)))


#: The prices of quality: tokens shown, passages reranked, and time.
_PRICES: Mapping[str, Callable[[Row], float]] = {
    "tokens": lambda row: row.tokens,
    "reranked": lambda row: row.judged,
    "latency": lambda row: row.latency_p50_ms,
}


def _on(front: str, row: Row, rows: Sequence[Row], name: str) -> bool:
    """Return whether no other row is at least as good for at most the same price, and better or
    cheaper."""
    price, good = _PRICES[front](row), row.tune[name]
    return not any(
        other.tune[name] >= good
        and _PRICES[front](other) <= price
        and (other.tune[name] > good or _PRICES[front](other) < price)
        for other in rows
    )
