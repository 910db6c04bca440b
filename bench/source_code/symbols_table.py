"""Figures of names of definitions as a Markdown table."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.source_code.symbols import SymbolFigures
from pincite.evals.report.tables import table


def symbols(raw: Any) -> str:
    """A row for each package, then the mean of all."""
    figures = msgspec.convert(raw, SymbolFigures, str_keys=True)
    forms = list(next(iter(figures.first.values())))
    rows = [
        (name, *(f"{shares[form]:.3f}" for form in forms)) for name, shares in figures.first.items()
    ]
    means = (
        sum(shares[form] for shares in figures.first.values()) / len(figures.first)
        for form in forms
    )
    rows.append(("mean", *(f"{mean:.3f}" for mean in means)))
    return f"{figures.names:,} names.\n\n{table(('package', *forms), rows)}"
