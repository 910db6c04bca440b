"""Run many profiles over a golden set, and compute shared steps once.

Searches use cached steps and ports (`pincite.evals.sweep.shared_steps`, `.shared_ports`), so that a
point costs only the steps in which it differs from all points before. Each finished question is a
line of the journal (`pincite.evals.sweep.journal`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pincite.errors import PinciteError
from pincite.evals.analysis.measures import Values, by_ranks
from pincite.evals.golden.questions import GoldenQuery
from pincite.evals.run.observe import ranks_in
from pincite.evals.run.runner import CHARS_PER_TOKEN, Subject
from pincite.evals.sweep.points import Point
from pincite.evals.sweep.shared_ports import Ledger, share
from pincite.evals.sweep.shared_steps import Steps
from pincite.model import Gated, Question
from pincite.support.fields import replace
from pincite.trace import Trace

#: The measures of a sweep; the first one decides.
SWEPT: Final = ("nDCG@10", "R@20")


@dataclass(frozen=True, slots=True)
class Cell:
    """One question at one point. `values` are the sweep's measures in order, None if the question
    does not count for them. `right` is whether the verdict is right. `tokens` is an estimate for
    the pack, `judged` the number of reranked passages, `total_ms` the time of the search without
    any sharing."""

    values: tuple[float, ...] | None
    right: bool
    tokens: int
    judged: int
    total_ms: float


@dataclass(frozen=True, slots=True)
class Line:
    """One question at some of the points."""

    query: str
    cells: Mapping[str, Cell]


async def sweep_points(
    subject: Subject,
    queries: Iterable[GoldenQuery],
    points: Sequence[Point],
    names: Sequence[str],
    emit: Callable[[Line], None],
) -> Ledger:
    """Search for every question at all points, and pass each finished question to `emit`. Results
    are cached for one question at a time, so memory does not grow with their number. Return the
    counts of calls of steps, index and models, and of calls that were answered from the cache."""
    ledger = Ledger()
    steps = Steps(ledger)
    for query in queries:
        shared = replace(subject, deps=share(subject.deps, ledger))
        asked = {point.id: await _ask(query, shared, point, steps, ledger) for point in points}
        steps.forget()
        emit(Line(query.id, _cells(query, asked, names)))
    return ledger


@dataclass(frozen=True, slots=True)
class _Asked:
    ranks: tuple[int, ...]
    right: bool
    tokens: int
    judged: int
    total_ms: float


async def _ask(
    query: GoldenQuery, subject: Subject, point: Point, steps: Steps, ledger: Ledger
) -> _Asked:
    """Run one search. A failed one counts as one without results."""
    trace = Trace(time.perf_counter)
    items = len(query.expected)
    ledger.take()
    started_s = time.perf_counter()
    try:
        question = Question(query.text, subject.scope, query.mode)
        pack = await steps.search(question, subject.deps, point.profile, trace)
    except PinciteError:
        return _Asked((0,) * items, query.off_topic, 0, 0, 0.0)
    total_ms = (time.perf_counter() - started_s) * 1000 + ledger.take()
    shown = tuple((one.collection, one.chunk_id) for one in pack.evidence)
    return _Asked(
        ranks_in((shown,), subject.targets.items.get(query.id, {}), items),
        (pack.verdict.level == "none") == query.off_topic,
        sum(len(one.text) for one in pack.evidence) // CHARS_PER_TOKEN,
        _judged(trace) if subject.deps.reranker else 0,
        round(total_ms, 3),
    )


def _judged(trace: Trace) -> int:
    gated = next((s.value for s in reversed(trace.steps) if isinstance(s.value, Gated)), None)
    return sum(one.signal("reranked") is not None for one in gated.candidates) if gated else 0


def _cells(
    query: GoldenQuery, asked: Mapping[str, _Asked], names: Sequence[str]
) -> dict[str, Cell]:
    """Return the cells of all points; the measures of all points are computed together, each as a
    question of its own."""
    values: Values = {}
    if query.relevant and not query.off_topic:
        grades = [item.grade for item in query.expected]
        values = by_ranks(
            names,
            dict.fromkeys(asked, grades),
            {point: one.ranks for point, one in asked.items()},
        )
    return {
        point: Cell(
            tuple(values[point][name] for name in names) if values else None,
            one.right,
            one.tokens,
            one.judged,
            one.total_ms,
        )
        for point, one in asked.items()
    }
