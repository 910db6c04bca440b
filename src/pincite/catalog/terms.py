"""Document frequencies: the number of chunks of a collection that contain each term. They are sums
over its documents, and exact at every commit.

A document has hundreds of terms, each on a different page of the table of sums. Writing them with
every document took 13 ms and a megabyte. So the change of a document is appended as one row, also
kept in memory, and later merged into the table together with others.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from pincite.model import TermCounts
from pincite.support.decodable import ready

ANY = -1  #: the key for the number of all chunks
_AT_ONCE = 1_000  # terms in one query
_MERGED = 30_000  # pending terms that start a merge, which then takes about a tenth of a second


class Terms:
    """The sums in an open catalog. Call `write` and `merge` within a transaction, and `add` after
    its commit. Only one process may open the catalog for writing: changes of another one after the
    start are missing in these sums, and a merge would lose them."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._waiting: dict[str, Counter[int]] = {}
        for collection, change in db.execute("SELECT collection, change FROM term_changes"):
            self.add(collection, msgspec.msgpack.decode(change, type=dict[int, int]))

    def write(self, collection: str, change: Mapping[int, int]) -> None:
        """Append a change of the sums."""
        if change := {term: by for term, by in change.items() if by}:
            row = (collection, msgspec.msgpack.encode(change))
            self._db.execute("INSERT INTO term_changes (collection, change) VALUES (?, ?)", row)

    def add(self, collection: str, change: Mapping[int, int]) -> None:
        """Add a committed change to the sums in memory."""
        self._waiting.setdefault(collection, Counter()).update(change)

    def waits(self, collection: str) -> bool:
        """Return whether enough changes are pending for a merge."""
        return len(self._waiting.get(collection, ())) > _MERGED

    def merge(self, collection: str) -> None:
        """Merge the appended changes into the table of sums."""
        changed = sorted(self._waiting.get(collection, Counter()).items())
        self._db.executemany(
            "INSERT INTO terms VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET chunks = chunks + excluded.chunks",
            ((collection, term, by) for term, by in changed if by),
        )
        self._db.executemany(
            "DELETE FROM terms WHERE (collection, term, chunks) = (?, ?, 0)",
            ((collection, term) for term, by in changed if by < 0),
        )
        self._db.execute("DELETE FROM term_changes WHERE collection = ?", (collection,))

    def forget(self, collection: str) -> None:
        """Drop the pending changes in memory after a merge, or after their collection was
        dropped."""
        self._waiting.pop(collection, None)

    def frequencies(self, collection: str, terms: Iterable[int]) -> TermCounts:
        """See `Catalog.frequencies`."""
        wanted = (ANY, *terms)
        found: Counter[int] = Counter()
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            found.update(
                dict(
                    self._db.execute(
                        "SELECT term, chunks FROM terms WHERE collection = ?"
                        f" AND term IN ({', '.join('?' * len(some))})",
                        (collection, *some),
                    )
                )
            )
        waiting = self._waiting.get(collection, Counter())
        sums = {term: found[term] + waiting[term] for term in wanted}
        chunks = sums.pop(ANY)
        return TermCounts(chunks, {term: count for term, count in sums.items() if count})


def terms_of(counts: bytes) -> dict[int, int]:
    """Return the contribution of a document to the sums, from the counts in its row."""
    return sums_of(msgspec.msgpack.decode(counts, type=ready(TermCounts))) if counts else {}


def sums_of(counts: TermCounts) -> dict[int, int]:
    """Return the contribution of these counts to the sums."""
    return {ANY: counts.chunks, **counts.having}
