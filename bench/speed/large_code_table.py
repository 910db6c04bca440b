"""Figures of a large collection of code as Markdown tables."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.speed.large_code import LargeCodeFigures
from pincite.evals.report.tables import table


def large_code(raw: Any) -> str:
    """Both ways of reading beside each other, then their stages."""
    figures = msgspec.convert(raw, LargeCodeFigures, str_keys=True)
    rows = [
        (f"{name}, {label}", f"{one.p50:.1f}", f"{one.p95:.1f}", f"{cpu:.1f}")
        for name, way in figures.ways.items()
        for label, one, cpu in (
            ("first", way.first, way.first_daemon_cpu),
            ("again", way.again, way.again_daemon_cpu),
        )
    ]
    names = next(iter(figures.ways.values())).stages_p50
    stages = [
        (name, *(f"{way.stages_p50[name]:.2f}" for way in figures.ways.values())) for name in names
    ]
    return "\n\n".join(
        (
            f"{figures.indexed:,} files ({figures.indexed_chunks:,} chunks), indexed in"
            f" {figures.index_s:.1f} s. {figures.chunks:,} chunks in all; {figures.questions}"
            f" questions, of which {figures.differing} had another pack.",
            table(("search, ms", "p50", "p95", "processor time of the daemon"), rows),
            table(("stage, p50 ms", *figures.ways), stages),
        )
    )
