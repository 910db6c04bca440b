"""Figures of code search as Markdown tables."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.code_search import CodeSearchFigures
from pincite.evals.report.tables import table


def code_search(raw: Any) -> str:
    """All systems beside each other: overall, by kind of question, by language."""
    figures = msgspec.convert(raw, CodeSearchFigures, str_keys=True)
    systems = figures.systems
    overall = [
        (
            name,
            f"**{one.ndcg_10:.3f}**",
            f"{one.distinct:.1f}",
            f"{one.query_p50_ms:.1f}",
            f"{one.index_s:.1f}",
        )
        for name, one in systems.items()
    ]
    first = next(iter(systems.values()))
    kinds = [
        (k, *(f"{one.categories[k]:.3f}" for one in systems.values())) for k in first.categories
    ]
    spoken = [
        (k, *(f"{one.languages[k]:.3f}" for one in systems.values())) for k in first.languages
    ]
    said = f"{figures.questions} questions about {figures.repositories} repositories"
    rival = f"; semble {figures.semble} without a model" if figures.semble else ""
    header = ("nDCG@10", *systems)
    return "\n\n".join(
        (
            f"{said}{rival}.",
            table(("", "nDCG@10", "files of ten results", "query p50, ms", "index, s"), overall),
            "By kind of question:",
            table(header, kinds),
            "By language:",
            table(header, spoken),
        )
    )
