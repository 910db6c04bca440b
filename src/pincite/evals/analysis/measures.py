"""Measures over ranked evidence, by `ir-measures`.

A run has, for each expected item of a question, the rank of the first candidate that counts for it
(from 1; 0 if it was not found). All measures follow from these ranks and the items' grades:

- the gain of a rank is the best grade of the items that appear there for the first time. An item
  gains once, so that ten chunks of one expected span are not ten successes;
- recall (`R@k`) is the share of the items of grade 1 or more, or of `rel` or more, that appear up
  to rank k;
- the ideal order of nDCG has all items by grade, one at each rank; gains are linear.

If items are documents and each is one candidate, these are the measures as TREC defines them.
Measures of the whole set of results (`SetP`, `NumRet`) do not follow from ranks and are refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pincite.errors import UsageError
from pincite.evals.extra import need
from pincite.evals.golden.questions import MAX_GRADE

if TYPE_CHECKING:
    from ir_measures.measures import Measure

Judgements = Mapping[str, Mapping[str, int]]  #: gains by query and document
Rankings = Mapping[str, Sequence[str]]  #: documents by query, best first
Values = dict[str, dict[str, float]]  #: by query, then by measure's name

#: The name of the share of right verdicts, in addition to the measures of `ir-measures`.
VERDICT: Final = "verdict"
#: The measures that a run reports by default.
DEFAULT_MEASURES: Final = (
    *("nDCG@10", "nDCG@12", "RR@12", "R@5", "R@10", "R@20", "R@50", "AP", "Success@1", "Success@5"),
)


#: The measures that follow from the ranks of the items: results after the last item change none.
KNOWN: Final = ("AP", "Bpref", "infAP", "IPrec", "nDCG", "P", "R", "Rprec", "RR", "Success")
_DEEPEST: Final = 1_000_000


def parse(*names: str) -> tuple[Measure, ...]:
    """Return the measures with these names, such as `nDCG@10`. Raises UsageError for one that is
    unknown, lacks a parameter, or cannot be computed, and if the package is missing."""
    return tuple(map(_parsed, names))


def _parsed(name: str) -> Measure:
    ir_measures = need("ir_measures")
    try:
        measure: Measure = ir_measures.parse_measure(name)
    except (ValueError, NameError, TypeError) as error:
        raise UsageError(
            f"{name!r} is not a measure: {error}", hint="use names such as nDCG@10, R@50, RR, AP"
        ) from error
    if measure.NAME not in KNOWN:
        raise UsageError(
            f"{name!r} cannot be computed; known measures: {', '.join(KNOWN)}",
            hint="use names such as nDCG@10, R@50, RR, AP",
        )
    if problem := _problem(measure):
        raise UsageError(f"{name!r} cannot be computed: {problem}")
    return measure


def _problem(measure: Any) -> str:
    """Return the fault in the parameters, "" if there is none. The libraries end the process for a
    cutoff of 0."""
    given, at = measure.params, measure.AT_PARAM
    for name, one in measure.SUPPORTED_PARAMS.items():
        if one.required and name not in given:
            example = "0.5" if name == "recall" else "10"
            return f"it needs a {name}, as in {measure.NAME}@{example}"
    try:
        measure.validate_params()
    except AssertionError as error:
        return str(error)
    for name, most in (("cutoff", _DEEPEST), ("rel", MAX_GRADE)):
        value = given.get(name, 1)
        if isinstance(value, bool) or not 1 <= value <= most:
            shown = f"@{value}" if name == at else f"{name}={value}"
            return f"{shown} is outside of 1..{most}"
    if not 0 <= given.get("recall", 0) <= 1:
        return f"@{given['recall']} is outside of 0..1"
    if given.get("dcg", "log2") != "log2":
        return f"dcg={given['dcg']} is not supported"
    return ""


def evaluate(names: Sequence[str], judgements: Judgements, rankings: Rankings) -> dict[str, float]:
    """Return the mean of each measure over all queries of `judgements`. A query without a ranking,
    or with an empty one, counts as 0."""
    return mean_of(names, evaluate_each(names, judgements, rankings))


def mean_of(names: Sequence[str], by_query: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over the queries; 0 if there are none."""
    count = max(1, len(by_query))
    return {name: sum(values[name] for values in by_query.values()) / count for name in names}


def evaluate_each(names: Sequence[str], judgements: Judgements, rankings: Rankings) -> Values:
    """Return the value of each measure by query. The order of a ranking is kept: there are no
    ties."""
    measures = parse(*names)
    run = {
        query: {document: float(len(ranked) - place) for place, document in enumerate(ranked)}
        for query, ranked in rankings.items()
        if ranked
    }
    values: Values = {query: dict.fromkeys(names, 0.0) for query in judgements}
    if not names or not judgements:
        return values
    gains = {query: dict(found) for query, found in judgements.items()}
    found = {
        (metric.query_id, metric.measure): float(metric.value)
        for metric in need("ir_measures").iter_calc(list(dict.fromkeys(measures)), gains, run)
    }
    for query, of in values.items():
        for name, measure in zip(names, measures, strict=True):  # two names may be one measure
            of[name] = found.get((query, measure), 0.0)
    return values


def by_ranks(
    names: Sequence[str],
    grades: Mapping[str, Sequence[int]],
    ranks: Mapping[str, Sequence[int]],
) -> Values:
    """Return the value of each measure by query, from the rank of each expected item (see above).

    `grades` and `ranks` have one number for each expected item, in the same order.
    """
    recalls = {
        name: (one.params["cutoff"], one.params.get("rel", 1))
        for name, one in zip(names, parse(*names), strict=True)
        if one.NAME == "R"
    }
    others = [name for name in names if name not in recalls]
    judged = {
        key: {str(place): grade for place, grade in enumerate(found)}
        for key, found in grades.items()
    }
    rankings = {key: _ranking(grades[key], ranks.get(key, ())) for key in grades}
    values = evaluate_each(others, judged, rankings)
    for key, of in values.items():
        for name, (cut, rel) in recalls.items():
            of[name] = _recall(grades[key], ranks.get(key, ()), cut, rel)
    return {key: {name: found[name] for name in names} for key, found in values.items()}


def _recall(grades: Sequence[int], ranks: Sequence[int], cut: int, rel: int) -> float:
    """Return the share of the items of grade `rel` or more up to rank `cut`; 0 if there are
    none."""
    wanted = [place for place, grade in enumerate(grades) if grade >= rel]
    found = sum(place < len(ranks) and 0 < ranks[place] <= cut for place in wanted)
    return found / len(wanted) if wanted else 0.0


def _ranking(grades: Sequence[int], ranks: Sequence[int]) -> list[str]:
    """Return the best item that appears at each rank for the first time, or a miss, up to the last
    item."""
    best: dict[int, tuple[int, int]] = {}
    for place, rank in enumerate(ranks):
        if rank > 0:
            best[rank] = max(best.get(rank, (-1, 0)), (grades[place], -place))
    last = max(best, default=0)
    return [str(-best[rank][1]) if rank in best else f"miss {rank}" for rank in range(1, last + 1)]
