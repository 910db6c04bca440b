"""Figures of held-out questions as Markdown tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from bench.source_code.held_out import Group, HeldOutFigures
from pincite.evals.report.tables import table

_ORDER: Final = (
    *("lexical", "lexical, kind code", "hybrid", "hybrid, kind code"),
    *("semble", "semble with pages"),
)


def held_out(raw: Any) -> str:
    """A row for each group of questions, then one for each repository."""
    figures = msgspec.convert(raw, HeldOutFigures, str_keys=True)
    questions = sum(one.questions for one in figures.repositories.values())
    said = f"{questions} questions about {len(figures.repositories)} repositories"
    beside = f"; semble {figures.semble} without a model" if figures.semble else ""
    left_out = f" Left out: {', '.join(figures.left_out)}." if figures.left_out else ""
    return "\n\n".join(
        (
            f"{said}{beside}. nDCG@10.{left_out}",
            _rows("questions", figures.groups),
            "By repository:",
            _rows("repository", figures.repositories),
        )
    )


def _rows(first: str, groups: Mapping[str, Group]) -> str:
    systems = [name for name in _ORDER if any(name in one.systems for one in groups.values())]
    rows = [
        (
            *(label, f"{one.questions}"),
            *(f"{one.systems[name]:.3f}" if name in one.systems else "" for name in systems),
        )
        for label, one in groups.items()
    ]
    return table((first, "n", *systems), rows)
