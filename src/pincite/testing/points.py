"""Chunks, points, documents and specs for tests, made from a few words."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from pincite.model import (
    Chunk,
    CollectionSpec,
    DocumentRecord,
    IndexedDocument,
    Point,
    Source,
    SourceRecord,
    Vector,
)
from pincite.ports import SearchRequest
from pincite.support.fields import replace
from pincite.testing.fakes import CountingEncoder, HashingEncoder

DENSE = HashingEncoder()
SPARSE = CountingEncoder()
AVERAGE_LENGTH = 8.0

LEXICAL_SPEC = CollectionSpec("main", SPARSE.fingerprint, "test", average_length=AVERAGE_LENGTH)
DENSE_SPEC = replace(LEXICAL_SPEC, dense=DENSE.fingerprint, dimensions=DENSE.dimensions)


def id_of(name: str) -> str:
    """Return the id of the chunk of this name."""
    return blake2b(name.encode(), digest_size=16).hexdigest()


def chunk_of(text: str, name: str | None = None, **values: Any) -> Chunk:
    """Return a chunk of that text, the only one of its file."""
    fields: dict[str, Any] = {
        "id": id_of(name or text),
        "repo": "acme/docs",
        "ref": "c0ffee",
        "path": f"docs/{id_of(name or text)[:8]}.md",
        "source_type": "docs",
        "language": "markdown",
        "start": 0,
        "end": len(text),
        "start_line": 1,
        "end_line": 1 + text.count("\n"),
        "text": text,
        "content_hash": blake2b(text.encode("utf-8", "surrogatepass")).hexdigest()[:64],
    }
    return Chunk(**(fields | values))


def point_of(text: str, name: str | None = None, *, dense: bool = True, **values: Any) -> Point:
    """Return the point of such a chunk, encoded with the fakes."""
    sparse, length = SPARSE.encode_document(text, AVERAGE_LENGTH)
    vector = DENSE.vector(text) if dense else None
    return Point(chunk_of(text, name, **values), sparse, length, vector)


def document_of(
    path: str, revision: str, texts: Sequence[str], *, dense: bool = True, source: str = "acme/docs"
) -> IndexedDocument:
    """Return a document of one chunk per text; their ids depend on revision and position."""
    points = tuple(
        point_of(text, f"{revision}/{place}", dense=dense, repo=source, path=path)
        for place, text in enumerate(texts)
    )
    record = DocumentRecord(
        source=source,
        path=path,
        revision=revision,
        content_hash=id_of(revision),
        ref="c0ffee",
        size=sum(map(len, texts)),
        mtime_ns=1,
        chunks=len(points),
        tokens=sum(point.length for point in points),
    )
    return IndexedDocument(record, points)


def assert_close(loaded: Vector | None, staged: Vector | None) -> None:
    """Assert that `loaded` is a vector as `Store.load` may return it: float32, of length 1, perhaps
    coarse."""
    assert loaded is not None
    assert staged is not None
    assert loaded.dtype == np.float32
    assert abs(float(np.linalg.norm(loaded)) - 1) < 1e-5
    assert float(loaded @ staged) > 0.999


def assert_equal(held: Vector | None, staged: Vector | None) -> None:
    """Assert that `held` is a vector as `Store.vectors` may return it: float32, equal to 1e-6."""
    assert held is not None
    assert staged is not None
    assert held.dtype == np.float32
    assert np.allclose(held, staged, rtol=0, atol=1e-6)


def source_of(name: str = "acme/docs") -> SourceRecord:
    """Return a source whose indexing has never been completed."""
    return SourceRecord(Source(name, f"/somewhere/{name}", "folder"))


def request_for(text: str, **values: Any) -> SearchRequest:
    """Return a search for that text on both branches."""
    branches: dict[str, Any] = {"dense": DENSE.vector(text), "sparse": SPARSE.encode_query(text)}
    return SearchRequest(**({"words": text} | branches | values))
