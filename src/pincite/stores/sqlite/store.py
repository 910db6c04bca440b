"""`pincite.ports.Store` in one SQLite file.

Every change is one transaction, so that a search sees all of it or nothing, whichever process it
is in. Points of different revisions may have the same ids; visible ones do not.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from pincite.errors import DiskFull
from pincite.model import (
    AttributeValue,
    Chunk,
    CollectionSpec,
    Point,
    Ranking,
    SparseVector,
    Vector,
)
from pincite.ports import SearchRequest, Stored
from pincite.stores.attributes import check_changes
from pincite.stores.ranked import rankings_of
from pincite.stores.room import FINISHING_BYTES, free_bytes
from pincite.stores.sqlite import fts, rows
from pincite.stores.sqlite.database import Database
from pincite.stores.sqlite.search import Image, sides_of, take_image
from pincite.stores.validate import (
    check_known,
    check_name,
    check_prefix,
    check_request,
    check_revisions,
    check_sparse,
    check_spec,
)
from pincite.support.decodable import ready

_VISIBLE = (
    " FROM points p JOIN revisions r ON r.id = p.revision WHERE r.collection = ? AND NOT r.hidden"
)


class SqliteStore:
    """Collections in the file `path`. With `words`, FTS5 ranks by the words of a request."""

    def __init__(self, path: Path, words: fts.FtsConfig | None = None) -> None:
        """Open or create the file. Raises IndexTooNew, StoreError."""
        self._path = path
        self._words = words
        self._database = Database(path)
        self._images: dict[str, Image] = {}

    async def create(self, spec: CollectionSpec) -> None:
        check_name(spec.name)
        with self._database.writing() as db:
            known = db.execute(
                "SELECT dimensions FROM collections WHERE name = ?", (spec.name,)
            ).fetchone()
            check_spec(spec, known[0] if known else 0)
            db.execute(
                "INSERT INTO collections (name, spec, dimensions) VALUES (?1, ?2, ?3)"
                " ON CONFLICT (name) DO UPDATE SET spec = ?2,"
                " dimensions = max(dimensions, ?3), version = version + 1",
                (spec.name, msgspec.json.encode(spec).decode(), spec.dimensions),
            )
            ((number,),) = db.execute("SELECT id FROM collections WHERE name = ?", (spec.name,))
            self._index_words(db, number)

    async def drop(self, collection: str) -> None:
        check_name(collection)
        with self._database.writing() as db:
            found = db.execute("SELECT id FROM collections WHERE name = ?", (collection,))
            for (number,) in found.fetchall():
                db.execute("DELETE FROM postings WHERE collection = ?", (number,))
                fts.drop(db, number)
            db.execute("DELETE FROM collections WHERE name = ?", (collection,))
        self._images.pop(collection, None)

    async def stage(self, collection: str, revisions: Mapping[str, Sequence[Point]]) -> None:
        number, spec, _ = self._of(collection)
        await check_revisions(spec, revisions)
        with self._database.writing() as db:
            words = bool(fts.kept_with(db, number))
            for revision, points in revisions.items():
                owner, hidden, count = _revision(db, number, revision)
                if not count and not hidden:
                    db.execute("UPDATE revisions SET hidden = 1 WHERE id = ?", (owner,))
                last = {point.chunk.id: point for point in points}
                if count:
                    again = [(owner, key) for key in last]
                    rows.delete(db, number, "p.revision = ? AND p.id = ?", again)
                for point in last.values():
                    rows.insert(db, number, owner, point, words=words)
            _changed(db, number)

    async def publish(self, collection: str, replaced: Mapping[str, str | None]) -> None:
        number, _, _ = self._of(collection)
        with self._database.writing() as db:
            for revision in replaced:
                found = db.execute(
                    "SELECT id, hidden FROM revisions WHERE (collection, name) = (?, ?)",
                    (number, revision),
                ).fetchone()
                if found and found[1]:
                    db.execute("UPDATE revisions SET hidden = 0 WHERE id = ?", (found[0],))
                    rows.delete(
                        db,
                        number,
                        "r.collection = ? AND p.revision <> ? AND p.id IN"
                        " (SELECT id FROM points WHERE revision = ?)",
                        [(number, found[0], found[0])],
                    )
            gone = [old for old in replaced.values() if old is not None and old not in replaced]
            _remove(db, number, gone)
            _changed(db, number)

    async def remove(self, collection: str, revisions: Iterable[str]) -> None:
        number, _, _ = self._of(collection)
        with self._database.writing() as db:
            _remove(db, number, revisions)
            _changed(db, number)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        self._catch_up(collection)
        with self._database.snapshot():
            number, spec, version = self._of(collection)
            check_request(spec, request)
            image = self._image(collection, number, version)
            words = self._words if self._has_words(number) else None
            sides = sides_of(self._database, number, spec, image, request, words)
        return await rankings_of(spec, request, sides)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        number, spec, _ = self._of(collection)
        known: dict[str, Stored] = {}
        for key in dict.fromkeys(ids):
            for *row, dense in self._database.read(
                f"SELECT {rows.CHUNK}, p.dense{_VISIBLE} AND p.id = ?", (number, key)
            ):
                vector = None
                if vectors and spec.dense is not None and dense is not None:
                    vector = np.frombuffer(dense, dtype=np.float32)
                known[key] = Stored(rows.to_chunk(row), vector)
        return tuple(known[key] for key in ids if key in known)

    async def vectors(self, collection: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        found = await self.load(collection, ids, vectors=True)
        return {one.chunk.id: one.vector for one in found if one.vector is not None}

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        number, _, _ = self._of(collection)
        found = self._database.read(
            f"SELECT {rows.CHUNK}{_VISIBLE} AND r.name = ?", (number, revision)
        )
        chunks = (rows.to_chunk(row) for row in found)
        return tuple(sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)))

    async def revisions(self, collection: str) -> Mapping[str, int]:
        number, _, _ = self._of(collection)
        return dict(
            self._database.read(
                "SELECT r.name, count(*) FROM points p JOIN revisions r ON r.id = p.revision"
                " WHERE r.collection = ? GROUP BY r.id",
                (number,),
            )
        )

    async def staged(self, collection: str) -> frozenset[str]:
        number, _, _ = self._of(collection)
        found = self._database.read(
            "SELECT name FROM revisions WHERE collection = ? AND hidden", (number,)
        )
        return frozenset(name for (name,) in found)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        number, _, _ = self._of(collection)
        check_prefix(after)
        found = self._database.read(
            f"SELECT {rows.CHUNK}{_VISIBLE} AND p.id > ? ORDER BY p.id LIMIT ?",
            (number, after or "", limit),
        )
        return tuple(map(rows.to_chunk, found))

    async def export(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[tuple[str, Point], ...]:
        number, spec, _ = self._of(collection)
        check_prefix(after)
        found = self._database.read(
            f"SELECT {rows.CHUNK}, r.name, p.length, p.terms, p.weights, p.dense{_VISIBLE}"
            " AND p.id > ? ORDER BY p.id LIMIT ?",
            (number, after or "", limit),
        )
        return tuple(rows.to_point(row, dense=spec.dense is not None) for row in found)

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        number, _, _ = self._of(collection)
        for key, vector in vectors.items():
            check_sparse(vector, f"chunk {key}")
        with self._database.writing() as db:
            for key, vector in vectors.items():
                for (place,) in db.execute(f"SELECT p.key{_VISIBLE} AND p.id = ?", (number, key)):
                    rows.weigh(db, number, place, vector)
            _changed(db, number)

    async def set_attributes(
        self, collection: str, changes: Mapping[str, Mapping[str, AttributeValue | None]]
    ) -> None:
        number, spec, _ = self._of(collection)
        check_changes(spec, changes)
        with self._database.writing() as db:
            for revision, attributes in changes.items():
                rows.change(db, number, revision, attributes)
            _changed(db, number)

    async def flush(self) -> None:
        self._database.flush()

    async def optimise(self, collection: str) -> bool:
        self._of(collection)
        return False

    async def close(self) -> None:
        self._database.close()

    def bytes(self, collection: str) -> int:
        """Return the space on disk; the file is shared by all collections."""
        self._of(collection)
        beside = (self._path, self._path.with_name(f"{self._path.name}-wal"))
        return sum(path.stat().st_size for path in beside if path.exists())

    def optimising(self, collection: str) -> bool:
        """Return False: SQLite never optimises in the background."""
        self._of(collection)
        return False

    def require_room(self, collection: str) -> None:
        """See `Measured.require_room`."""
        free = free_bytes(self._path.parent)
        if free < FINISHING_BYTES:
            raise DiskFull(
                f"{free / 1e6:.0f} MB are free at {self._path.parent}, but to write collection"
                f" {collection!r} again needs {FINISHING_BYTES / 1e6:.0f} MB; nothing was removed",
                hint="make room on that disk, then run the same command again",
            )

    def _of(self, collection: str) -> tuple[int, CollectionSpec, int]:
        """Return number, spec and version."""
        found = self._database.read(
            "SELECT id, spec, version FROM collections WHERE name = ?", (collection,)
        )
        if not found:
            known = [name for (name,) in self._database.read("SELECT name FROM collections")]
            check_known(collection, known)
        ((number, spec, version),) = found
        return number, msgspec.json.decode(spec, type=ready(CollectionSpec)), version

    def _has_words(self, number: int) -> bool:
        """Return whether the collection has the word index that searches need."""
        found = self._database.read(
            "SELECT tokenizer FROM word_indexes WHERE collection = ?", (number,)
        )
        return self._words is not None and found == [(self._words.tokenizer,)]

    def _catch_up(self, collection: str) -> None:
        """Create the word index of a collection that was written without it or with another."""
        if self._words is not None and not self._has_words(self._of(collection)[0]):
            with self._database.writing() as db:
                self._index_words(db, self._of(collection)[0])

    def _index_words(self, db: sqlite3.Connection, number: int) -> None:
        """Create the word index of all points, visible or not, if it is missing or another
        one. Delete it if none is used."""
        if self._words is None:
            fts.drop(db, number)
        elif fts.kept_with(db, number) != self._words.tokenizer:
            fts.drop(db, number)
            held = db.execute(
                f"SELECT p.key, {rows.CHUNK} FROM points p JOIN revisions r ON r.id = p.revision"
                " WHERE r.collection = ?",
                (number,),
            )
            chunks = ((key, rows.to_chunk(row)) for key, *row in held)
            fts.make(db, number, self._words.tokenizer, chunks)

    def _image(self, collection: str, number: int, version: int) -> Image:
        image = self._images.get(collection)
        if image is None or (image.collection, image.version) != (number, version):
            image = self._images[collection] = take_image(self._database, number, version)
        return image


def _revision(db: sqlite3.Connection, collection: int, name: str) -> tuple[int, bool, int]:
    """Return the number of a revision, whether it is hidden, and its number of points. A new one is
    created hidden."""
    db.execute(
        "INSERT INTO revisions (collection, name, hidden) VALUES (?, ?, 1) ON CONFLICT DO NOTHING",
        (collection, name),
    )
    number, hidden, count = db.execute(
        "SELECT r.id, r.hidden, (SELECT count(*) FROM points WHERE revision = r.id)"
        " FROM revisions r WHERE (collection, name) = (?, ?)",
        (collection, name),
    ).fetchone()
    return number, bool(hidden), count


def _remove(db: sqlite3.Connection, collection: int, revisions: Iterable[str]) -> None:
    keys = [(collection, name) for name in revisions]
    rows.delete(db, collection, "r.collection = ? AND r.name = ?", keys)
    db.executemany("DELETE FROM revisions WHERE (collection, name) = (?, ?)", keys)


def _changed(db: sqlite3.Connection, collection: int) -> None:
    db.execute("UPDATE collections SET version = version + 1 WHERE id = ?", (collection,))
