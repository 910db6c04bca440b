"""In how many chunks of a collection each term is: sums over its documents, exact at every commit.

A document has hundreds of terms, each on a page of its own of the table of sums. Writing those with
every document took 13 ms and a megabyte, so its change is appended as one row, kept in memory, too,
and merged into the table with those of other documents.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from pincite.model import TermCounts

SCHEMA = """
    ALTER TABLE documents ADD COLUMN counts BLOB NOT NULL DEFAULT x'';
    CREATE TABLE terms (
        collection TEXT NOT NULL REFERENCES collections ON DELETE CASCADE,
        term INTEGER NOT NULL, chunks INTEGER NOT NULL,
        PRIMARY KEY (collection, term)) WITHOUT ROWID;
    CREATE TABLE term_changes (
        number INTEGER PRIMARY KEY,
        collection TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, change BLOB NOT NULL);
"""
_ANY = -1  # stands for a chunk that has any term
_AT_ONCE = 1_000  # terms looked up by one statement
_MERGED = 30_000  # terms that wait to be merged, which takes about a tenth of a second then


class Terms:
    """The sums in an open catalog. `write` and `merge` are called within a transaction, `add`
    once it has been committed."""

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
        """The change has been committed."""
        self._waiting.setdefault(collection, Counter()).update(change)

    def waits(self, collection: str) -> bool:
        """Is there enough to be merged?"""
        return len(self._waiting.get(collection, ())) > _MERGED

    def merge(self, collection: str) -> None:
        """Bring what has been appended into the table of sums."""
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
        """What waited has been merged, or is gone with its collection."""
        self._waiting.pop(collection, None)

    def frequencies(self, collection: str, terms: Iterable[int]) -> TermCounts:
        """As `Catalog.frequencies`."""
        wanted = (_ANY, *terms)
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
        chunks = sums.pop(_ANY)
        return TermCounts(chunks, {term: count for term, count in sums.items() if count})


def terms_of(counts: bytes) -> dict[int, int]:
    """What a document adds to the sums, from what its row says."""
    return sums_of(msgspec.msgpack.decode(counts, type=TermCounts)) if counts else {}


def sums_of(counts: TermCounts) -> dict[int, int]:
    """What counts add to the sums."""
    return {_ANY: counts.chunks, **counts.having}
