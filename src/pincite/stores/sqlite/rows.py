"""Convert points to rows and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from pincite.model import AttributeValue, Chunk, Point, SparseVector
from pincite.model.attributes import date_key, type_of, values_of
from pincite.stores.sqlite import fts
from pincite.support.decodable import ready

_COLUMNS = (
    *("id", "repo", "path", "source_type", "language", "url", "title", "text"),
    *("start_line", "end_line"),
)
_REST = tuple(name for name in Chunk.__struct_fields__ if name not in _COLUMNS)
#: The columns that `to_chunk` reads.
CHUNK = ", ".join(f"p.{name}" for name in (*_COLUMNS, "rest"))
_WIDTH = len(_COLUMNS) + 1


def to_chunk(row: Sequence[Any]) -> Chunk:
    """Return the chunk of the columns CHUNK."""
    values = dict(zip(_COLUMNS, row, strict=False))
    return msgspec.convert(values | msgspec.json.decode(row[_WIDTH - 1]), ready(Chunk))


def to_point(row: Sequence[Any], *, dense: bool) -> tuple[str, Point]:
    """Return revision and point of the columns CHUNK, revision, length, terms, weights, dense."""
    revision, length, terms, weights, vector = row[_WIDTH:]
    found = None if vector is None or not dense else np.frombuffer(vector, dtype=np.float32)
    return revision, Point(to_chunk(row), _to_sparse(terms, weights), length, found)


def insert(
    db: sqlite3.Connection, collection: int, revision: int, point: Point, *, words: bool
) -> None:
    """Insert a point whose id is new in that revision. With `words`, the collection has an FTS5
    index."""
    chunk = point.chunk
    rest = {name: getattr(chunk, name) for name in _REST}
    terms, weights = _to_blobs(point.sparse)
    values = [
        revision,
        *(getattr(chunk, name) for name in _COLUMNS),
        msgspec.json.encode(rest).decode(),
        *(point.length, terms, weights),
        None if point.dense is None else point.dense.astype(np.float32).tobytes(),
    ]
    key = db.execute(
        f"INSERT INTO points (revision, {', '.join(_COLUMNS)}, rest, length, terms, weights, dense)"
        f" VALUES ({', '.join('?' * len(values))})",
        values,
    ).lastrowid
    held = dict.fromkeys(symbol for symbol in chunk.symbols if symbol)
    db.executemany("INSERT INTO symbols VALUES (?, ?)", ((key, symbol) for symbol in held))
    _keep(db, key, chunk.attributes)
    _post(db, collection, key, point.sparse)
    if words and key is not None:
        fts.add(db, collection, key, chunk)


def delete(
    db: sqlite3.Connection, collection: int, condition: str, values: Iterable[Sequence[object]]
) -> None:
    """Delete the points that match the condition, once for each row of values."""
    words = bool(fts.kept_with(db, collection))
    for row in values:
        found = db.execute(
            f"SELECT p.key, p.terms{f', {CHUNK}' if words else ''} FROM points p"
            f" JOIN revisions r ON r.id = p.revision WHERE {condition}",
            row,
        ).fetchall()
        for key, terms, *held in found:
            _unpost(db, collection, key, terms)
            if words:
                fts.take_out(db, collection, key, to_chunk(held))
        db.executemany("DELETE FROM points WHERE key = ?", ((key,) for key, *_ in found))


def change(
    db: sqlite3.Connection,
    collection: int,
    revision: str,
    attributes: Mapping[str, AttributeValue | None],
) -> None:
    """Set attributes on the points of a revision; None removes one."""
    found = db.execute(
        "SELECT p.key, p.rest FROM points p JOIN revisions r ON r.id = p.revision"
        " WHERE (r.collection, r.name) = (?, ?)",
        (collection, revision),
    ).fetchall()
    for key, raw in found:
        rest = msgspec.json.decode(raw)
        held = {**rest.get("attributes", {}), **attributes}
        rest["attributes"] = {name: value for name, value in held.items() if value is not None}
        text = msgspec.json.encode(rest).decode()
        db.execute("UPDATE points SET rest = ? WHERE key = ?", (text, key))
        gone = ((key, one) for name in attributes for one in (name, dates_of(name)))
        db.executemany("DELETE FROM attributes WHERE (key, name) = (?, ?)", gone)
        _keep(db, key, attributes)


def _keep(
    db: sqlite3.Connection, key: int | None, attributes: Mapping[str, AttributeValue | None]
) -> None:
    """Write the attributes for filters."""
    rows = [(key, name, one) for name, value in attributes.items() for one in values_of(value)]
    texts = [(name, value) for name, value in attributes.items() if isinstance(value, str)]
    rows += [(key, dates_of(name), date_key(v)) for name, v in texts if type_of(v) == "date"]
    db.executemany("INSERT OR IGNORE INTO attributes VALUES (?, ?, ?)", rows)


def dates_of(name: str) -> str:
    """Return the name of the additional attribute with a date in sortable form."""
    return f"{name}@"


def weigh(db: sqlite3.Connection, collection: int, key: int, vector: SparseVector) -> None:
    """Replace the sparse vector of a point."""
    (terms,) = db.execute("SELECT terms FROM points WHERE key = ?", (key,)).fetchone()
    _unpost(db, collection, key, terms)
    fresh, weights = _to_blobs(vector)
    db.execute("UPDATE points SET terms = ?, weights = ? WHERE key = ?", (fresh, weights, key))
    _post(db, collection, key, vector)


def _post(db: sqlite3.Connection, collection: int, key: int | None, vector: SparseVector) -> None:
    pairs = zip(vector.indices, vector.values, strict=True)
    db.executemany(
        "INSERT INTO postings VALUES (?, ?, ?, ?)",
        ((collection, term, key, weight) for term, weight in pairs),
    )


def _unpost(db: sqlite3.Connection, collection: int, key: int, terms: bytes) -> None:
    db.executemany(
        "DELETE FROM postings WHERE (collection, term, key) = (?, ?, ?)",
        ((collection, term, key) for term in np.frombuffer(terms, dtype=np.uint32).tolist()),
    )


def _to_blobs(vector: SparseVector) -> tuple[bytes, bytes]:
    terms = np.array(vector.indices, dtype=np.uint32)
    return terms.tobytes(), np.array(vector.values, dtype=np.float64).tobytes()


def _to_sparse(terms: bytes, weights: bytes) -> SparseVector:
    indices = np.frombuffer(terms, dtype=np.uint32).tolist()
    return SparseVector(tuple(indices), tuple(np.frombuffer(weights, dtype=np.float64).tolist()))
