"""The tables of `bench.answering.answers`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.answering.answers import AnswerFigures, Found
from pincite.evals.report.tables import table


def answers(raw: Any) -> str:
    """A row for each thing that was done to sentences, a column for each set; then a row for each
    way of taking sentences."""
    figures = msgspec.convert(raw, AnswerFigures, str_keys=True)
    sets = list(figures.checks)
    ways = list(dict.fromkeys(way for name in sets for way in figures.checks[name]))
    rows = [(way, *(_share(figures.checks[name].get(way)) for name in sets)) for way in ways]
    taken = [
        (name, f"{one.recall:.2f}", f"{one.precision:.2f}", f"{one.f1:.2f}")
        for name, one in figures.extract.items()
    ]
    return "\n\n".join(
        (
            table(("sentences with a doubt, %", *sets), rows),
            "Without a language model, on chunking-eval, by characters of the answering excerpts:",
            table(("extracted", "recall", "precision", "F1"), taken),
        )
    )


def _share(one: Found | None) -> str:
    return "" if one is None or not one.of else f"{100 * one.found / one.of:.1f} of {one.of}"
