"""The tables of the subjects `stores` and `million`."""

from __future__ import annotations

from typing import Any

import msgspec

from bench.storage.million import MillionFigures
from bench.storage.store_job import Asked, Built
from bench.storage.stores import StoreFigures, StoreRow
from bench.times import Times
from pincite.evals.report.tables import table

_NONE = "–"


def stores(raw: Any) -> str:
    """What each store takes to write and to keep, then its searches, then what it did not do."""
    figures = msgspec.convert(raw, StoreFigures)
    measured = [row for row in figures.rows if row.done.asked is not None]
    asked = {row.kind: row.done.asked for row in measured if row.done.asked is not None}
    kinds = list(next(iter(asked.values())).searches) if asked else []
    notes = [f"- `{row.kind}`: {note}" for row in figures.rows for note in row.notes]
    parts = [
        table(
            (
                *("store", "chunks", "write s", "optimise s", "disk MB", "memory MB", "private MB"),
                *("open s", "first ms", "recall@10", "1 %"),
            ),
            [_kept(row) for row in figures.rows],
        ),
        f"p50 / p95 in ms, with the number of queries if it is below {figures.queries}:",
        table(
            ("store", "chunks", *kinds),
            [
                (
                    f"`{row.kind}`",
                    f"{row.done.filled.chunks if row.done.filled else row.chunks:,}",
                    *(_both(asked[row.kind].searches[kind], figures.queries) for kind in kinds),
                )
                for row in measured
            ],
        ),
    ]
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


def _kept(row: StoreRow) -> tuple[str, ...]:
    filled, built, asked = row.done.filled, row.done.built, row.done.asked
    if filled is None:
        return (f"`{row.kind}`", f"{row.chunks:,}", *[_NONE] * 9)
    disk = built.disk_mb if built else filled.disk_mb
    return (
        f"`{row.kind}`",
        f"{filled.chunks:,}",
        f"{filled.write_s:,.0f}",
        f"{built.seconds:,.0f}" if built else _NONE,
        f"{disk:,.0f}" if disk else _NONE,
        *(_asked(asked) if asked else [_NONE] * 6),
    )


def _asked(asked: Asked) -> list[str]:
    return [
        f"{asked.rss_mb:,.0f}",
        f"{asked.private_mb:,.0f}",
        f"{asked.open_s:.2f}",
        f"{asked.first_ms:,.0f}",
        _share(asked.recall),
        _share(asked.recall_filtered),
    ]


def _share(recall: float | None) -> str:
    return _NONE if recall is None else f"{recall:.4f}"


def _both(times: Times, queries: int) -> str:
    few = f" ({times.count})" if times.count < queries else ""
    return f"{times.p50:,.1f} / {times.p95:,.1f}{few}"


def million(raw: Any) -> str:
    """One column a layout."""
    figures = msgspec.convert(raw, MillionFigures)
    phases = figures.phases
    kinds = list(next(iter(phases.values())).asked.searches)
    built = [phase.built for phase in phases.values()]
    asked = [phase.asked for phase in phases.values()]
    rows = [
        ("build", *(f"{one.seconds:,.0f} s" for one in built)),
        ("... in a process of at most", *(f"{one.child_peak_mb:,.0f} MB" for one in built)),
        ("hybrid before, p50 / p95 ms", *(_both(one.before, 0) for one in built)),
        ("meanwhile, p50 / p95 / max ms", *(_meanwhile(one) for one in built)),
        *(
            (f"{kind}, p50 / p95 ms", *(_both(a.searches[kind], 0) for a in asked))
            for kind in kinds
        ),
        ("recall@10", *(_share(one.recall) for one in asked)),
        ("recall@10, 1 %", *(_share(one.recall_filtered) for one in asked)),
        ("opened in", *(f"{one.open_s:.2f} s" for one in asked)),
        ("first search", *(f"{one.first_ms:,.0f} ms" for one in asked)),
        ("memory", *(f"{one.rss_mb:,.0f} MB" for one in asked)),
        ("... of which not backed by files", *(f"{one.private_mb:,.0f} MB" for one in asked)),
        ("disk", *(f"{one.disk_mb:,.0f} MB" for one in built)),
        ("... at most meanwhile", *(f"{one.peak_disk_mb:,.0f} MB" for one in built)),
    ]
    filled = figures.filled
    return (
        f"{figures.chunks:,} chunks, written in {filled.write_s:,.0f} s"
        f" ({filled.chunks / filled.write_s:,.0f} a second) by a process of at most"
        f" {filled.peak_mb:,.0f} MB; {filled.disk_mb:,.0f} MB on disk before optimising;"
        f" {asked[0].judged} queries.\n\n{table(('', *phases), rows)}"
    )


def _meanwhile(built: Built) -> str:
    during = built.during
    return (
        f"{during.p50:,.1f} / {during.p95:,.1f} / {during.max:,.1f}"
        f" ({during.count:,}, every {built.every_ms:,.0f})"
    )
