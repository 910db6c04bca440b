"""Totals of a collection: documents, chunks and tokens. They are updated with every change.

Counting a collection of a million documents would read each of their rows, and block all other
requests for a second or more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pincite.ports import Totals


@dataclass(slots=True)
class TotalsChange:
    """The changes of the totals of each source type."""

    sums: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)

    def add(self, source_type: str, chunks: int, tokens: int, embedded: bool) -> None:
        """Add one document."""
        self._change(source_type, (1, chunks, tokens, 0 if embedded else chunks))

    def take(self, source_type: str, chunks: int, tokens: int, embedded: bool) -> None:
        """Subtract one document."""
        self._change(source_type, (-1, -chunks, -tokens, 0 if embedded else -chunks))

    def _change(self, source_type: str, by: tuple[int, int, int, int]) -> None:
        was = self.sums.get(source_type, (0, 0, 0, 0))
        self.sums[source_type] = (was[0] + by[0], was[1] + by[1], was[2] + by[2], was[3] + by[3])


def add_up(db: sqlite3.Connection, collection: str, change: TotalsChange) -> None:
    """Add a change to the totals, in the transaction that changes the documents."""
    db.executemany(
        "INSERT INTO totals (collection, source_type, documents, chunks, tokens, unembedded)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
        " (documents, chunks, tokens, unembedded) = (documents + excluded.documents,"
        " chunks + excluded.chunks, tokens + excluded.tokens, unembedded + excluded.unembedded)",
        [(collection, kind, *by) for kind, by in sorted(change.sums.items()) if any(by)],
    )
    db.execute("DELETE FROM totals WHERE (collection, documents) = (?, 0)", (collection,))


def totals_of(db: sqlite3.Connection, collection: str) -> Totals:
    """See `Catalog.totals`."""
    return totals_from(
        db.execute(
            "SELECT source_type, documents, chunks, tokens, unembedded FROM totals"
            " WHERE collection = ? ORDER BY source_type",
            (collection,),
        ).fetchall()
    )


def totals_from(rows: Sequence[Sequence[Any]]) -> Totals:
    """Return the totals over all source types. Each row has a source type and the columns of
    `totals`."""
    return Totals(
        documents=sum(row[1] for row in rows),
        chunks=sum(row[2] for row in rows),
        tokens=sum(row[3] for row in rows),
        unembedded=sum(row[4] for row in rows),
        kinds={row[0]: row[2] for row in rows if row[2]},
    )
