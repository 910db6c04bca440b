"""Summarise a run: means with their intervals, by stage, by category, refusals, times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pincite.evals.analysis.conditions import measured_with
from pincite.evals.analysis.measures import DEFAULT_MEASURES, Values, by_ranks
from pincite.evals.analysis.refusal import Refusal, auroc, count
from pincite.evals.analysis.statistics import interval, mean, median, quantile
from pincite.evals.run.results import QueryResult, Run

#: The depths of recall for every stage.
STAGE_DEPTHS: Final = (5, 10, 20, 50, 100)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions and its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class StageFigures:
    """The results of one stage: recall by depth, nDCG@10, and the mean number of candidates."""

    stage: str
    recall: Mapping[int, float]
    ndcg_10: float
    candidates: float


@dataclass(frozen=True, slots=True)
class Summary:
    """All figures of a run. `questions` counts all questions, `judged` those that count for
    measures. `measured` describes the results that measures see. `auroc` is that of each signal's
    best value, on topic against off topic. `coverage_met` is the share of judged questions that
    have evidence of every expected kind of source, among those that expect any; None if there are
    none."""

    label: str
    measured: str
    questions: int
    judged: int
    off_topic: int
    failed: int
    missing: int
    measures: Mapping[str, Estimate]
    stages: tuple[StageFigures, ...]
    categories: Mapping[str, Mapping[str, float]]
    verdicts: Mapping[str, Mapping[str, int]]
    refusal: Refusal
    precision: float | None
    recall: float | None
    auroc: Mapping[str, float | None]
    coverage_met: float | None
    latency_p50_ms: float
    latency_p95_ms: float
    stage_p50_ms: Mapping[str, float]
    tokens: float


def scores(run: Run, names: Sequence[str] = DEFAULT_MEASURES, stage: str = "") -> Values:
    """Return the value of each measure after a stage, by judged question; after the last stage by
    default. A question without results counts as 0."""
    at = stage or run.final
    judged = [query for query in run.queries if query.judged]
    return by_ranks(
        names,
        {query.id: query.grades for query in judged},
        {query.id: query.ranks.get(at, ()) for query in judged},
    )


def right_verdicts(queries: Sequence[QueryResult]) -> dict[str, float]:
    """Return 1 for each question with a right verdict: `none` if and only if it is off topic."""
    return {q.id: float((q.verdict == "none") == q.off_topic) for q in queries}


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean with its interval."""
    return Estimate(mean(values), *interval(values))


def summarise(run: Run, names: Sequence[str] = DEFAULT_MEASURES) -> Summary:
    """Compute all figures of a run."""
    by_query = scores(run, names)
    judged = [query for query in run.queries if query.judged]
    refusal = count([(query.off_topic, query.verdict) for query in run.queries])
    covered = [query.covered for query in judged if query.covered is not None]
    totals = [query.total_ms for query in run.queries]
    return Summary(
        label=run.stamp.label,
        measured=measured_with(run.stamp.profile, names),
        questions=len(run.queries),
        judged=len(judged),
        off_topic=sum(query.off_topic for query in run.queries),
        failed=sum(any(n.startswith("search_failed") for n in q.notices) for q in run.queries),
        missing=sum(len(query.missing) for query in run.queries),
        measures={name: estimate([values[name] for values in by_query.values()]) for name in names},
        stages=tuple(_stage(run, stage) for stage in run.stages),
        categories=_by_category(judged, by_query, names),
        verdicts=_verdicts(run.queries),
        refusal=refusal,
        precision=refusal.precision,
        recall=refusal.recall,
        auroc={signal: auroc(*values_by_topic(run.queries, signal)) for signal in signals(run)},
        coverage_met=mean([float(one) for one in covered]) if covered else None,
        latency_p50_ms=median(totals),
        latency_p95_ms=quantile(totals, 0.95),
        stage_p50_ms={
            stage: median([query.timings_ms.get(stage, 0.0) for query in run.queries])
            for stage in _timed(run)
        },
        tokens=mean([float(query.tokens) for query in run.queries]),
    )


def signals(run: Run) -> tuple[str, ...]:
    """Return all signals as `name/kind`, sorted by name."""
    return tuple(sorted({name for query in run.queries for name in query.values}))


def values_by_topic(queries: Sequence[QueryResult], signal: str) -> tuple[list[float], list[float]]:
    """Return the best values of a signal, on topic and off topic. A question without a candidate
    that has it counts as minus infinity."""
    nothing = float("-inf")
    on = [query.values.get(signal, nothing) for query in queries if not query.off_topic]
    off = [query.values.get(signal, nothing) for query in queries if query.off_topic]
    return on, off


def _stage(run: Run, stage: str) -> StageFigures:
    names = ("nDCG@10", *(f"R@{depth}" for depth in STAGE_DEPTHS))
    values = scores(run, names, stage)
    means = {name: mean([one[name] for one in values.values()]) for name in names}
    judged = [query for query in run.queries if query.judged]
    return StageFigures(
        stage,
        {depth: means[f"R@{depth}"] for depth in STAGE_DEPTHS},
        means["nDCG@10"],
        mean([float(query.depths.get(stage, 0)) for query in judged]),
    )


def _by_category(
    judged: Sequence[QueryResult], by_query: Values, names: Sequence[str]
) -> dict[str, dict[str, float]]:
    categories: dict[str, list[str]] = {}
    for query in judged:
        categories.setdefault(query.category or "all", []).append(query.id)
    return {
        category: {
            "questions": float(len(ids)),
            **{name: mean([by_query[key][name] for key in ids]) for name in names},
        }
        for category, ids in sorted(categories.items())
    }


def _verdicts(queries: Sequence[QueryResult]) -> dict[str, dict[str, int]]:
    counts = {
        topic: dict.fromkeys(("grounded", "weak", "none"), 0) for topic in ("on topic", "off topic")
    }
    near = dict.fromkeys(("grounded", "weak", "none"), 0)
    for query in queries:
        counts["off topic" if query.off_topic else "on topic"][query.verdict] += 1
        if query.near:
            near[query.verdict] += 1
    return {**counts, "of these near": near} if any(near.values()) else counts


def _timed(run: Run) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for query in run.queries:
        names.update(dict.fromkeys(query.timings_ms))
    return tuple(names)
