"""The tables of `bench.retrieval.evaluation`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.retrieval.evaluation import EvaluationFigures
from pincite.evals.report.tables import table


def evaluation(raw: Any) -> str:
    """What sweeps cost beside full runs, then what the gate said."""
    figures = msgspec.convert(raw, EvaluationFigures, str_keys=True)
    costs = [
        (
            one.name,
            f"{one.queries:,}",
            one.points,
            *(f"{cost.cpu_s:.0f}" for cost in (one.full, one.grid, one.random)),
            "yes" if one.resumed_equal else "**no**",
            f"{one.lexical_ndcg_10:.3f}",
            f"{one.reference_ndcg_10:.3f}",
        )
        for one in figures.sweeps
    ]
    head = (
        *("set", "queries", "points", "full run, CPU s", "grid", "random", "resumed equal"),
        *("lexical nDCG@10", "reference"),
    )
    cases = [
        (
            one.what,
            one.name,
            f"{one.delta_ndcg_10:+.4f}",
            f"±{one.tolerance:.4f}",
            ", ".join(f"{name} {result}" for name, result in one.results.items()),
            "yes" if one.right else "**no**",
        )
        for one in figures.gate
    ]
    columns = ("change", "set", "nDCG@10", "half width", "gate", "right")
    said = (
        f"As a share of a full run, the grid costs **{figures.grid_ratio}** and the random points"
        f" **{figures.random_ratio}**."
    )
    return "\n\n".join((table(head, costs), said, table(columns, cases)))
