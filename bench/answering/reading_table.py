"""Figures of reading as a Markdown table."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.answering.reading import ReadingFigures
from pincite.evals.report.tables import table


def reading(raw: Any) -> str:
    """What is shown, one way a row."""
    figures = msgspec.convert(raw, ReadingFigures, str_keys=True)
    rows = [
        (
            way,
            *(f"{figures.file[way][name]} / {figures.answer[way][name]}" for name in projects),
            f"{figures.tokens[way]:.0f}",
            f"{figures.files[way]:.1f}",
            f"{figures.context_ms[way]:.1f}",
        )
        for way, projects in figures.answer.items()
    ]
    counts = [f"{name} ({count})" for name, count in figures.questions.items()]
    header = ("file / answer", *counts, "tokens of three", "files of five", "context, ms")
    return table(header, rows)
