"""Figures of copied text as a Markdown table."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.source_code.copied import CopiedFigures, Found
from pincite.evals.report.tables import table


def copied(raw: Any) -> str:
    """A row for each way of searching, place and kind of text."""
    figures = msgspec.convert(raw, CopiedFigures, str_keys=True)
    rows = [
        (
            f"{way}, {place}: {kind}",
            f"{found.asked}",
            *(_shares(one) for one in (figures.without[way][place][kind], found)),
        )
        for way, places in figures.shipped.items()
        for place, kinds in places.items()
        for kind, found in kinds.items()
    ]
    return table(("copied text", "asked", "without", "first and shown"), rows)


def _shares(found: Found) -> str:
    asked = found.asked or 1
    return f"{found.first / asked:.3f}, {found.shown / asked:.3f}"
