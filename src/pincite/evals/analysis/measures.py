"""Measures over ranked evidence, by `ir-measures`.

A run keeps, for each expected item of a question, the rank of the first candidate that counts for
it (from 1; 0: never found). All measures follow from these ranks and the items' grades:

- a rank gains the best grade of the items that appear there for the first time, and an item gains
  once, so that ten chunks of one expected span are not ten successes;
- recall (`R@k`) is the share of the items of grade 1 or more, or of `rel` or more, that appear up
  to rank k;
- the ideal order of nDCG has all items by grade, one a rank; gains are linear.

Where items are documents and each is one candidate these are the measures as defined by TREC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pincite.errors import UsageError
from pincite.evals.extra import need

if TYPE_CHECKING:
    from ir_measures.measures import Measure

Judgements = Mapping[str, Mapping[str, int]]  #: gains by query and document
Rankings = Mapping[str, Sequence[str]]  #: documents by query, best first
Values = dict[str, dict[str, float]]  #: by query, then by measure's name

#: What a run reports unless other measures are asked for.
DEFAULT_MEASURES: Final = (
    *("nDCG@10", "nDCG@12", "RR@12", "R@5", "R@10", "R@20", "R@50", "AP", "Success@1", "Success@5"),
)


def parse(*names: str) -> tuple[Measure, ...]:
    """Measures by their names, such as `nDCG@10`. Raises UsageError for an unknown one, and
    without the package."""
    ir_measures = need("ir_measures")
    measures = []
    for name in names:
        try:
            measures.append(ir_measures.parse_measure(name))
        except (ValueError, NameError, TypeError) as error:
            raise UsageError(
                f"{name!r} is not a measure: {error}",
                hint="use names such as nDCG@10, R@50, RR, AP",
            ) from error
    return tuple(measures)


def evaluate(names: Sequence[str], judgements: Judgements, rankings: Rankings) -> dict[str, float]:
    """The mean of each measure over all queries of `judgements`; a query that has no ranking, or
    an empty one, counts as 0."""
    return mean_of(names, evaluate_each(names, judgements, rankings))


def mean_of(names: Sequence[str], by_query: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over the queries; 0 for none."""
    count = max(1, len(by_query))
    return {name: sum(values[name] for values in by_query.values()) / count for name in names}


def evaluate_each(names: Sequence[str], judgements: Judgements, rankings: Rankings) -> Values:
    """The value of each measure by query. A ranking's order is ours: ties never arise."""
    measures = dict(zip(parse(*names), names, strict=True))
    run = {
        query: {document: float(len(ranked) - place) for place, document in enumerate(ranked)}
        for query, ranked in rankings.items()
        if ranked
    }
    values: Values = {query: dict.fromkeys(names, 0.0) for query in judgements}
    if not names or not judgements:
        return values
    gains = {query: dict(found) for query, found in judgements.items()}
    for metric in need("ir_measures").iter_calc(list(measures), gains, run):
        if metric.query_id in values:
            values[metric.query_id][measures[metric.measure]] = float(metric.value)
    return values


def by_ranks(
    names: Sequence[str],
    grades: Mapping[str, Sequence[int]],
    ranks: Mapping[str, Sequence[int]],
) -> Values:
    """The value of each measure by query, from the rank of each expected item (see above).

    `grades` and `ranks` have one number for each expected item, in the same order.
    """
    parsed = dict(zip(names, parse(*names), strict=True))
    recalls = {name: one for name, one in parsed.items() if one.NAME == "R"}
    others = [name for name in names if name not in recalls]
    judged = {
        key: {str(place): grade for place, grade in enumerate(found)}
        for key, found in grades.items()
    }
    rankings = {key: _ranking(grades[key], ranks.get(key, ())) for key in grades}
    values = evaluate_each(others, judged, rankings)
    for name, measure in recalls.items():
        cut, rel = _parameters(measure)
        set_recall = f"SetR(rel={rel})"
        sets = {
            key: [str(place) for place, rank in enumerate(ranks.get(key, ())) if 0 < rank <= cut]
            for key in grades
        }
        for key, found in evaluate_each((set_recall,), judged, sets).items():
            values[key][name] = found[set_recall]
    return {key: {name: found[name] for name in names} for key, found in values.items()}


def _parameters(measure: Any) -> tuple[float, int]:
    given = measure.params
    return given.get("cutoff") or float("inf"), given.get("rel", 1)


def _ranking(grades: Sequence[int], ranks: Sequence[int]) -> list[str]:
    """At each rank the best item that appears there, or a miss; up to the last item."""
    best: dict[int, tuple[int, int]] = {}
    for place, rank in enumerate(ranks):
        if rank > 0:
            best[rank] = max(best.get(rank, (-1, 0)), (grades[place], -place))
    last = max(best, default=0)
    return [str(-best[rank][1]) if rank in best else f"miss {rank}" for rank in range(1, last + 1)]
