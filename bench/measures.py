"""Measures over rankings, by `ir-measures`. A ranking's order is ours: ties never arise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bench.frame import SkippedError

if TYPE_CHECKING:
    from ir_measures.measures import Measure

Judgements = Mapping[str, Mapping[str, int]]  #: gains by query and document
Rankings = Mapping[str, Sequence[str]]  #: documents by query, best first


def parse(*names: str) -> tuple[Measure, ...]:
    """Measures by their names, such as `nDCG@10`. Raises SkippedError without the package."""
    try:
        import ir_measures
    except ImportError as error:
        raise SkippedError("ir-measures is missing: pip install ir-measures") from error
    return tuple(ir_measures.parse_measure(name) for name in names)


def evaluate(names: Sequence[str], judgements: Judgements, rankings: Rankings) -> dict[str, float]:
    """The mean of each measure over all queries of `judgements`; a query that has no ranking, or
    an empty one, counts as 0."""
    by_query = evaluate_each(names, judgements, rankings)
    return {
        name: sum(values[name] for values in by_query.values()) / max(1, len(by_query))
        for name in names
    }


def evaluate_each(
    names: Sequence[str], judgements: Judgements, rankings: Rankings
) -> dict[str, dict[str, float]]:
    """The value of each measure by query."""
    import ir_measures

    measures = dict(zip(parse(*names), names, strict=True))
    run = {
        query: {document: float(len(ranked) - place) for place, document in enumerate(ranked)}
        for query, ranked in rankings.items()
        if ranked
    }
    values = {query: dict.fromkeys(names, 0.0) for query in judgements}
    gains = {query: dict(found) for query, found in judgements.items()}
    for metric in ir_measures.iter_calc(list(measures), gains, run):
        if metric.query_id in values:
            values[metric.query_id][measures[metric.measure]] = float(metric.value)
    return values
