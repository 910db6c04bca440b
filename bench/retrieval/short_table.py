"""Figures of short questions as a Markdown table."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.retrieval.short import WEIGHTS, ShortFigures
from pincite.evals.report.tables import table


def short(raw: Any) -> str:
    """A row for each kind of question of each collection, then the means of the kinds."""
    figures = msgspec.convert(raw, ShortFigures, str_keys=True)
    weights = [str(weight) for weight in WEIGHTS]
    rows: list[tuple[str, ...]] = []
    by_kind: dict[str, list[dict[str, float]]] = {}
    for name, kinds in figures.ndcg.items():
        for kind, values in kinds.items():
            count = figures.questions[name][kind]
            rows.append((name, kind, f"{count:,}", *(f"{values[one]:.3f}" for one in weights)))
            by_kind.setdefault(kind, []).append(values)
    for kind, found in by_kind.items():
        means = (sum(values[one] for values in found) / len(found) for one in weights)
        rows.append(("mean", kind, "", *(f"{mean:.3f}" for mean in means)))
    return table(("nDCG@10", "question", "questions", *weights), rows)
