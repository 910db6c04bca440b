"""The table of `bench.speed.watching`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.speed.watching import WatchingFigures
from pincite.evals.report.tables import table


def watching(raw: Any) -> str:
    """How long the index was untrue after volleys of edits."""
    one = msgspec.convert(raw, WatchingFigures)
    rows = [
        (
            name,
            times.count,
            f"{times.p50 / 1000:.2f}",
            f"{times.p95 / 1000:.2f}",
            f"{times.max / 1000:.2f}",
        )
        for name, times in (("edits", one.untrue), ("edits, watcher killed", one.after_kill))
    ]
    equal = "equals" if one.equal else "**differs from**"
    return "\n\n".join(
        (
            f"Seconds until the index matches the folder, after {one.edits:,} edits in"
            f" {one.volleys} volleys:",
            table(("", "volleys", "p50", "p95", "longest"), rows),
            f"{one.within_2_s:.0%} of the volleys without a kill took at most 2 s. At the end the"
            f" index of {one.chunks:,} chunks {equal} a clean build.",
        )
    )
