"""The table of `bench.answering.evidence`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.answering.evidence import EvidenceFigures
from pincite.evals.report.tables import table


def evidence(raw: Any) -> str:
    """A row for each preset."""
    figures = msgspec.convert(raw, EvidenceFigures, str_keys=True)
    measures = tuple(next(iter(figures.presets.values())).measures)
    head = (
        *("preset", *measures, "pool R@50", "covered"),
        *("refused on / off topic", "asked p50 ms", "p95 ms", "total p50 ms", "own p50 ms"),
    )
    rows = [
        (
            name,
            *(f"{value:.3f}" for value in one.measures.values()),
            f"{one.pool_recall:.3f}",
            f"{one.covered:.2f}",
            f"{one.on_topic.get('none', 0)} / {one.off_topic.get('none', 0)}",
            f"{one.asked.p50:.1f}",
            f"{one.asked.p95:.1f}",
            f"{one.total.p50:.1f}",
            f"{one.own_p50:.1f}",
        )
        for name, one in figures.presets.items()
    ]
    counts = f"{figures.documents:,} documents, {figures.chunks:,} chunks"
    return f"{table(head, rows)}\n\n{counts}, {figures.questions} questions."
