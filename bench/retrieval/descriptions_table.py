"""The figures of `descriptions` as a table."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.retrieval.descriptions import DescriptionFigures
from pincite.evals.report.tables import table


def descriptions(raw: Any) -> str:
    """Plain and described, by profile and measure."""
    figures = msgspec.convert(raw, DescriptionFigures)
    rows = [
        (
            f"{profile}, {one.measure}",
            f"{one.base:.3f}",
            f"{one.other:.3f}",
            f"{one.delta:+.3f} [{one.low:+.3f}, {one.high:+.3f}]",
        )
        for profile, found in figures.differences.items()
        for one in found
    ]
    return table((f"{figures.questions} questions", "plain", "described", "difference"), rows)
