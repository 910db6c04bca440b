"""Figures of passages as a Markdown table."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.source_code.code_search import mean
from bench.source_code.passages import PassageFigures
from pincite.evals.report.tables import table


def passages(raw: Any) -> str:
    """A row for each repository, and one for all questions."""
    figures = msgspec.convert(raw, PassageFigures, str_keys=True).values
    names = list(next(iter(figures.values()), {}))
    measures = list(figures.values())
    rows = [
        (name, f"{len(figures['first'][name])}", *(f"{mean(by[name]):.3f}" for by in measures))
        for name in names
    ]
    every = {measure: [v for of in by.values() for v in of] for measure, by in figures.items()}
    whole = ("all", f"{len(every['first'])}", *(f"{mean(values):.3f}" for values in every.values()))
    return table(("repository", "questions", *figures), [*rows, whole])
