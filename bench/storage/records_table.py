"""The tables of `bench.storage.records`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.storage.records import STEPS, RecordFigures, Written
from bench.times import Times
from pincite.evals.report.tables import table

_NAMES = {
    "load": "written",
    "same": "the same records again",
    "update": "1 % with a new text",
    "attributes": "1 % with other attributes",
    "delete ids": "1 % deleted by id",
    "delete where": "1 % deleted by a filter",
}


def records(raw: Any) -> str:
    """A column for each kind of collection, then what the other process saw."""
    figures = msgspec.convert(raw, RecordFigures, strict=False)
    written = figures.written
    head = ("", *(f"{name}, {one.records:,}" for name, one in written.items()))
    parts = [table(head, _rows(tuple(written.values())))]
    for name, one in written.items():
        seen = one.searched
        searches = [(_NAMES[step], *_times(times)) for step, times in seen.searches.items()]
        checked = ", ".join(f"{count:,} {what}" for what, count in sorted(seen.checked.items()))
        parts += [
            f"Concurrent searches by the other process, {name}:",
            table(("while", "p50 ms", "p95 ms", "max ms", "n"), searches),
            f"Checked: {checked}. Wrong: **{seen.wrong_count}**.",
            *(f"- {wrong}" for wrong in seen.wrong),
        ]
    if held := figures.imported:
        parts.append(
            f"`pincite import` of {held.records:,} lines: {held.seconds:,.0f} s"
            f" ({held.records / held.seconds:,.0f} a second), at most {held.rss_mb:,.0f} MB in its"
            " process."
        )
    return "\n\n".join(parts)


def _rows(written: tuple[Written, ...]) -> list[tuple[str, ...]]:
    steps = [
        (f"{_NAMES[step]}, a second", *(_pace(one, step) for one in written)) for step in STEPS
    ]
    disk = {
        "index, MB": "collections",
        "... optimised": "collections, optimised",
        "records.db, MB": "records.db",
        "catalog, MB": "catalog.db",
    }
    return [
        steps[0],
        ("... the first tenth (100,000 at most)", *(f"{one.first_per_s:,.0f}" for one in written)),
        ("... the last", *(f"{one.last_per_s:,.0f}" for one in written)),
        *steps[1:],
        ("exported, a second", *(f"{one.read / one.read_s:,.0f}" for one in written)),
        ("... different from the input", *(f"**{one.wrong}**" for one in written)),
        ("memory of the client, MB", *(f"{one.client.rss_mb:,.0f}" for one in written)),
        ("... after a tenth of the load, at its end", *(_grown(one) for one in written)),
        ("memory of the daemon, MB", *(f"{one.daemon.rss_mb:,.0f}" for one in written)),
        ("... not backed by files", *(f"{one.daemon.private_mb:,.0f}" for one in written)),
        *(
            (name, *(f"{one.disk_mb.get(key, 0):,.0f}" for one in written))
            for name, key in disk.items()
        ),
    ]


def _pace(written: Written, step: str) -> str:
    one = written.steps[step]
    return f"{one.records / one.seconds:,.0f}"


def _grown(written: Written) -> str:
    sizes = list(written.client_at.values())
    return f"{sizes[0]:,.0f}, {sizes[-1]:,.0f}" if sizes else "–"


def _times(times: Times) -> tuple[str, ...]:
    return f"{times.p50:.1f}", f"{times.p95:.1f}", f"{times.max:.1f}", f"{times.count:,}"
