"""Run an exact hybrid search: a product with the matrix of dense vectors, sums over postings.

The matrix and the ids of a collection are kept in memory until something is written to it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pincite.model import CollectionSpec, Hit, Matrix, SignalName, SparseVector, Vector
from pincite.ports import Filter, SearchRequest
from pincite.stores.ranked import Known, Side, ordered
from pincite.stores.sqlite import fts
from pincite.stores.sqlite.database import Database
from pincite.stores.sqlite.where import where
from pincite.support.term_share import idf_of

_MARGIN = 1e-5  # more than what float32 sums of unit vectors are off by


@dataclass(frozen=True)
class Image:
    """The visible points of a collection by key. `rows` are the positions, among `keys`, of the
    points in the matrix. `total` is the number of points with any term, visible or not. `having`
    remembers the number of points that have a term, visible or not, by term."""

    collection: int
    version: int
    keys: NDArray[np.int64]
    ids: list[str]
    rows: NDArray[np.int64]
    matrix: Matrix
    total: int
    having: dict[int, int] = field(default_factory=dict)

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """Return the row of each point in the matrix, by id."""
        return {self.ids[place]: row for row, place in enumerate(self.rows.tolist())}

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """Return the position of each point among the keys, by id."""
        return {key: place for place, key in enumerate(self.ids)}

    def named(self, keys: NDArray[np.int64]) -> list[str]:
        """Return the ids of these keys, which are all visible."""
        return [self.ids[place] for place in np.searchsorted(self.keys, keys)]


def take_image(database: Database, collection: int, version: int) -> Image:
    """Read the visible points of a collection, and normalise their dense vectors."""
    rows = database.read(
        "SELECT p.key, p.id, p.dense FROM points p JOIN revisions r ON r.id = p.revision"
        " WHERE r.collection = ? AND NOT r.hidden ORDER BY p.key",
        (collection,),
    )
    dense = [place for place, row in enumerate(rows) if row[2] is not None]
    raw = b"".join(rows[place][2] for place in dense)
    matrix: Any = np.frombuffer(raw, dtype=np.float32).reshape(len(dense), -1 if dense else 0)
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))[:, None] if dense else 1.0
    ((total,),) = database.read(
        "SELECT count(*) FROM points p JOIN revisions r ON r.id = p.revision"
        " WHERE r.collection = ? AND p.terms <> x''",
        (collection,),
    )
    return Image(
        collection,
        version,
        np.array([row[0] for row in rows], dtype=np.int64),
        [row[1] for row in rows],
        np.array(dense, dtype=np.int64),
        matrix / norms,
        total,
    )


def sides_of(
    database: Database,
    collection: int,
    spec: CollectionSpec,
    image: Image,
    request: SearchRequest,
    words: fts.FtsConfig | None = None,
) -> dict[SignalName, Side]:
    """Return the scores for a checked request; image and database are of one snapshot. With
    `words`, FTS5 ranks the words of the request if the collection uses BM25."""
    allowed = _allowed(database, collection, image, request.filter)
    sides: dict[SignalName, Side] = {}
    if not len(allowed):  # without it, every chunk with a word of the question would be read
        asked: dict[SignalName, object] = {"dense": request.dense, "sparse": request.sparse}
        return {name: Known({}) for name, query in asked.items() if query is not None}
    if request.dense is not None:
        usable = spec.dense is not None and image.rows.size
        sides["dense"] = Cosines(image, request.dense, allowed) if usable else Known({})
    if request.sparse is not None:
        if words is not None and spec.idf and request.words:
            found = fts.scores(database, collection, request.words, words)
        else:
            idf = spec.engine_idf
            found = _products(database, collection, image, request.sparse, allowed, idf=idf)
        sides["sparse"] = Sums(image, *found, allowed)
    return sides


class Cosines:
    """Search the dense side. A float32 product selects the candidates, a float64 product gives the
    scores, so that equal vectors have equal scores anywhere in the matrix."""

    def __init__(self, image: Image, query: Vector, allowed: NDArray[np.int64]) -> None:
        self._image = image
        self._query = query.astype(np.float64) / np.linalg.norm(query.astype(np.float64))
        self._allowed = np.isin(image.keys[image.rows], allowed, assume_unique=True)

    async def best(self, limit: int) -> list[Hit]:
        rough = self._image.matrix @ self._query.astype(np.float32)
        rough[~self._allowed] = -np.inf
        count = int(self._allowed.sum())
        if not count:
            return []
        floor = -np.inf if count <= limit else np.partition(rough, -limit)[-limit] - _MARGIN
        places = np.flatnonzero(self._allowed & (rough >= floor))
        return ordered(self._exact(places))[:limit]

    async def of(self, ids: Collection[str]) -> Mapping[str, float]:
        rows = (self._image.row_of.get(key) for key in ids)
        return self._exact([row for row in rows if row is not None and self._allowed[row]])

    def _exact(self, places: Any) -> dict[str, float]:
        chosen = self._image.matrix[places].astype(np.float64)
        scores = np.einsum("ij,j->i", chosen, self._query).tolist() if len(places) else []
        ids = (self._image.ids[place] for place in self._image.rows[places])
        return dict(zip(ids, scores, strict=True)) if len(places) else {}


def _allowed(
    database: Database, collection: int, image: Image, filter_: Filter
) -> NDArray[np.int64]:
    """Return the keys that match the filter, ascending."""
    if filter_ == Filter():
        return image.keys
    condition, values = where(filter_, database)
    rows = database.read(
        "SELECT p.key FROM points p JOIN revisions r ON r.id = p.revision"
        f" WHERE r.collection = ? AND NOT r.hidden AND {condition} ORDER BY p.key",
        (collection, *values),
    )
    return np.array([row[0] for row in rows], dtype=np.int64)


def _products(
    database: Database,
    collection: int,
    image: Image,
    query: SparseVector,
    allowed: NDArray[np.int64],
    *,
    idf: bool,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the keys of points that share terms with the query, ascending, with their scores, at
    least those of the allowed ones; see `Store.search`. Parts are added in the order of the query's
    terms, so that equal points have equal scores."""
    keys: list[Any] = [np.zeros(0, dtype=np.int64)]
    parts: list[Any] = [np.zeros(0)]
    for term, value in zip(query.indices, query.values, strict=True):
        count, rows = _postings(database, collection, image, term, allowed)
        weight = idf_of(image.total, count) if idf else 1.0
        held = np.array(rows, dtype=np.float64).reshape(len(rows), 2)  # keys are below 2^53
        keys.append(held[:, 0].astype(np.int64))
        parts.append(held[:, 1] * (value * weight))
    found, places = np.unique(np.concatenate(keys), return_inverse=True)
    sums: Any = np.bincount(places, weights=np.concatenate(parts), minlength=len(found))
    return found, sums


_POSTINGS: Final = "FROM postings WHERE (collection, term) = (?, ?)"
_AT_ONCE: Final = 1_000  # keys passed as parameters
_EVEN: Final = 2  # rows of a scan that cost as much as one key: 10,000 rows, 5,100 keys (0096)


def _postings(
    database: Database, collection: int, image: Image, term: int, allowed: NDArray[np.int64]
) -> tuple[int, list[Any]]:
    """Return the number of points that have a term, and the keys and weights of at least those that
    are allowed. If few are allowed, only these are looked up, so that points which a filter hides
    cost little more than their count."""
    of_term = (collection, term)
    if allowed is image.keys:
        rows = database.read(f"SELECT key, weight {_POSTINGS}", of_term)
        return len(rows), rows
    if term not in image.having:
        ((image.having[term],),) = database.read(f"SELECT count(*) {_POSTINGS}", of_term)
    count = image.having[term]
    if count <= _EVEN * len(allowed):
        return count, database.read(f"SELECT key, weight {_POSTINGS}", of_term)
    rows = []
    for start in range(0, len(allowed), _AT_ONCE):
        keys = allowed[start : start + _AT_ONCE].tolist()
        among = f"AND key IN ({', '.join('?' * len(keys))})"
        rows += database.read(f"SELECT key, weight {_POSTINGS} {among}", (*of_term, *keys))
    return count, rows


class Sums:
    """Search the sparse side: the score of each key that matches the filter."""

    def __init__(
        self,
        image: Image,
        keys: NDArray[np.int64],
        sums: NDArray[np.float64],
        allowed: NDArray[np.int64],
    ) -> None:
        passing = np.isin(keys, allowed, assume_unique=True)
        self._image = image
        self._keys = keys[passing]
        self._sums = sums[passing]

    async def best(self, limit: int) -> list[Hit]:
        places = np.arange(len(self._sums))
        if len(places) > limit:
            places = np.flatnonzero(self._sums >= np.partition(self._sums, -limit)[-limit])
        ids = self._image.named(self._keys[places])
        return ordered(dict(zip(ids, self._sums[places].tolist(), strict=True)))[:limit]

    async def of(self, ids: Collection[str]) -> Mapping[str, float]:
        known = {}
        for key in ids:
            place = self._image.place_of.get(key)
            if place is not None:
                row = self._image.keys[place]
                at = int(np.searchsorted(self._keys, row))
                if at < len(self._keys) and self._keys[at] == row:
                    known[key] = float(self._sums[at])
        return known
