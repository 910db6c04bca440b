"""The table of `bench.speed.documents`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.speed.documents import DocumentFigures
from pincite.evals.report.tables import table


def documents(raw: Any) -> str:
    """A row for each PDF, the longest first."""
    figures = msgspec.convert(raw, DocumentFigures)
    head = (
        *("", "pages", "same", "a second", "words", "pairs", "headings", "pictures"),
        *("tables", "rows", "on one line"),
    )
    ordered = sorted(figures.files.items(), key=lambda one: (-one[1].pages, one[0]))
    rows = [
        (
            name.removesuffix(".pdf"),
            f"{one.pages:,}",
            "yes" if one.same_pages else "**no**",
            f"{one.pages / max(one.seconds, 0.01):.0f}",
            f"{one.words:.4f}",
            f"{one.pairs:.4f}",
            f"{one.headings:,}",
            f"{one.pictures:,}",
            f"{one.tables:,}",
            f"{one.rows:,}",
            f"{one.whole_rows:,}",
        )
        for name, one in ordered
    ]
    return f"{table(head, rows)}\n\nRead with {figures.extractor}."
