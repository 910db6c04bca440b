"""The table of the subject `providers`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.speed.providers import ProviderFigures
from pincite.evals.report.tables import table


def providers(raw: Any) -> str:
    """What each model costs per text, then planning and the cache."""
    figures = msgspec.convert(raw, ProviderFigures)
    rows = [
        (f"`{one.model}`", one.dimensions, one.requests, f"{one.own_us:.0f}", f"{one.wall_us:.0f}")
        for one in figures.asked
    ]
    head = ("model", "numbers", "requests", "own work, µs a text", "with the server, µs a text")
    return "\n".join(
        (
            table(head, rows),
            "",
            f"{figures.texts:,} texts of {figures.characters} characters. Planning alone takes"
            f" {figures.plan_us:.1f} µs a text. To store a vector of 1,024 numbers in the cache"
            f" takes {figures.cache_put_us:.0f} µs, a cache hit {figures.cache_hit_us:.0f} µs.",
        )
    )
