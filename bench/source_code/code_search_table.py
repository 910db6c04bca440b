"""Figures of code search as Markdown tables."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.source_code.code_search import CodeSearchFigures
from pincite.evals.report.tables import table

_HEADER = (
    *("", "nDCG@10", "files of ten results", "query p50, ms"),
    *("index, s (times semble's)", "daemon there, s", "whole command, s"),
)


def _seconds(seconds: float, rival_s: float) -> str:
    return f"{seconds:.1f} ({seconds / rival_s:.1f})" if rival_s else f"{seconds:.1f}"


def code_search(raw: Any) -> str:
    """All systems beside each other: overall, by kind of question, by language."""
    figures = msgspec.convert(raw, CodeSearchFigures, str_keys=True)
    systems = figures.systems
    rival = systems["semble"].index_s if "semble" in systems else 0.0
    rival_command = systems["semble"].command_s if "semble" in systems else 0.0
    overall = [
        (
            name,
            f"**{one.ndcg_10:.3f}**",
            f"{one.distinct:.1f}",
            f"{one.query_p50_ms:.1f}",
            _seconds(one.index_s, rival),
            _seconds(one.there_s, rival) if one.there_s else "",
            _seconds(one.command_s, rival_command) if one.command_s else "",
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
    beside = f"; semble {figures.semble} without a model" if figures.semble else ""
    header = ("nDCG@10", *systems)
    return "\n\n".join(
        (
            f"{said}{beside}.",
            table(_HEADER, overall),
            "By kind of question:",
            table(header, kinds),
            "By language:",
            table(header, spoken),
        )
    )
