"""Many profiles over the questions of a golden set, with all that they share asked for once.

The searches run over ports that remember (`pincite.evals.sharing`), so that a point costs its
stages and nothing else. Each finished point is a line of the journal (`pincite.evals.journal`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pincite.errors import PinciteError
from pincite.evals.golden import GoldenQuery
from pincite.evals.measures import by_ranks
from pincite.evals.observing import ranks_in
from pincite.evals.points import Point
from pincite.evals.running import CHARS_PER_TOKEN, Subject
from pincite.evals.sharing import Ledger, share
from pincite.model import Gated
from pincite.search import search
from pincite.trace import Trace

#: What a sweep measures; the first decides.
SWEPT: Final = ("nDCG@10", "R@20")


@dataclass(frozen=True, slots=True)
class Cell:
    """One question at one point. `values` are the sweep's measures in order, None for a question
    that does not count for them. `right` is the verdict's. `tokens` estimates what the pack costs
    its reader, `judged` counts the passages that a reranker read, `total_ms` is the time as if
    nothing had been shared."""

    values: tuple[float, ...] | None
    right: bool
    tokens: int
    judged: int
    total_ms: float


@dataclass(frozen=True, slots=True)
class Line:
    """One point over some of the questions."""

    point: str
    cells: Mapping[str, Cell]


async def sweep_points(
    subject: Subject,
    queries: Sequence[GoldenQuery],
    points: Iterable[Point],
    names: Sequence[str],
    emit: Callable[[Line], None],
) -> Ledger:
    """Every point over these questions, each handed to `emit` when it is done. Returns what was
    asked of index and models, and what was remembered."""
    deps, ledger = share(subject.deps)
    shared = replace(subject, deps=deps)
    for point in points:
        asked = {query.id: await _ask(query, shared, point, ledger) for query in queries}
        emit(Line(point.id, _cells(queries, asked, names)))
    return ledger


@dataclass(frozen=True, slots=True)
class _Asked:
    ranks: tuple[int, ...]
    right: bool
    tokens: int
    judged: int
    total_ms: float


async def _ask(query: GoldenQuery, subject: Subject, point: Point, ledger: Ledger) -> _Asked:
    """One search; one that fails finds nothing."""
    trace = Trace(time.perf_counter)
    items = len(query.expected)
    ledger.take()
    started_s = time.perf_counter()
    try:
        pack = await search(query.text, subject.deps, point.profile, subject.scope, trace)
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
    queries: Sequence[GoldenQuery], asked: Mapping[str, _Asked], names: Sequence[str]
) -> dict[str, Cell]:
    judged = [query for query in queries if query.relevant and not query.off_topic]
    values = by_ranks(
        names,
        {query.id: [item.grade for item in query.expected] for query in judged},
        {query.id: asked[query.id].ranks for query in judged},
    )
    return {
        query.id: Cell(
            tuple(values[query.id][name] for name in names) if query.id in values else None,
            asked[query.id].right,
            asked[query.id].tokens,
            asked[query.id].judged,
            asked[query.id].total_ms,
        )
        for query in queries
    }
