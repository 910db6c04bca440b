"""A synthetic collection of any size, the same for the same seed: vectors in clusters and texts of
made-up words with Zipf's frequencies. For speed only; nothing can be said about quality with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from bench.made_records import made_word
from pincite.model import (
    Chunk,
    CollectionSpec,
    DocumentRecord,
    IndexedDocument,
    Matrix,
    Point,
    Vector,
)
from pincite.providers.sparse.bm25 import Bm25Encoder

DIMENSIONS = 384
PER_DOCUMENT = 20  #: chunks
_WORDS = 50_000
_LEAST, _MOST = 30, 120  # words of a chunk
_RANK = 16  # directions in which a cluster spreads
_PER_CLUSTER = 200
FINGERPRINT = "given vectors"


@dataclass(frozen=True, slots=True)
class Query:
    """Words of one chunk, and a vector near those of the collection."""

    text: str
    vector: Vector


class GivenVectors:
    """A `DenseEncoder` that knows the vectors of the queries: what it costs to encode a query is
    no part of the figures for which this is used."""

    def __init__(self, queries: Sequence[Query]) -> None:
        self._vectors = {query.text: query.vector for query in queries}
        self.fingerprint = FINGERPRINT
        self.dimensions = DIMENSIONS
        self.languages: frozenset[str] = frozenset()

    async def embed_query(self, text: str) -> Vector:
        """The vector that was given for this text."""
        return self._vectors[text]

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Not given."""
        raise NotImplementedError


class World:
    """All that is random, drawn from one seed."""

    def __init__(self, chunks: int, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        clusters = max(10, chunks // _PER_CLUSTER)
        self._centres = _unit(self._normal(clusters, DIMENSIONS))
        self._spread = self._normal(clusters, _RANK, DIMENSIONS) / np.sqrt(DIMENSIONS)
        self._cluster_shares = _zipf(clusters)
        self._word_shares = _zipf(_WORDS)
        self._vocabulary = [made_word(number) for number in range(_WORDS)]

    def reseed(self, seed: int) -> None:
        """Go on with other draws from the same clusters and words."""
        self._random = np.random.default_rng(seed)

    def _normal(self, *shape: int) -> NDArray[np.float32]:
        return self._random.standard_normal(shape, np.float32)

    def vectors(self, count: int) -> Matrix:
        """Unit vectors: a centre, a few directions of its cluster, a little noise."""
        chosen = self._random.choice(len(self._centres), count, p=self._cluster_shares)
        amounts = self._normal(count, 1, _RANK) * 0.25
        spread = (amounts @ self._spread[chosen])[:, 0]
        noise = self._normal(count, DIMENSIONS) * np.float32(0.3 / np.sqrt(DIMENSIONS))
        return _unit(self._centres[chosen] + spread + noise)

    def texts(self, count: int) -> list[str]:
        """Between 30 and 120 words each."""
        lengths = self._random.integers(_LEAST, _MOST + 1, count)
        words = self._random.choice(_WORDS, int(lengths.sum()), p=self._word_shares)
        rows = np.split(words, np.cumsum(lengths)[:-1])
        return [" ".join(map(self._vocabulary.__getitem__, row)) for row in rows]

    def queries(self, count: int) -> list[Query]:
        """Four to six words of a text, and a vector."""
        found = []
        for text, vector in zip(self.texts(count), self.vectors(count), strict=True):
            words = text.split()
            size = int(self._random.integers(4, 7))
            start = int(self._random.integers(0, len(words) - size))
            found.append(Query(" ".join(words[start : start + size]), vector))
        return found

    def documents(
        self, numbers: range, spec: CollectionSpec, version: str, repositories: int = 1
    ) -> Iterator[IndexedDocument]:
        """One document per number, each of PER_DOCUMENT chunks of one line; document n belongs to
        repository n modulo `repositories`."""
        sparse = Bm25Encoder(spec.language)
        for number in numbers:
            texts, vectors = self.texts(PER_DOCUMENT), self.vectors(PER_DOCUMENT)
            path, repo = _path(number), f"synthetic-{number % repositories:02d}"
            points = []
            start = 0
            for line, (text, vector) in enumerate(zip(texts, vectors, strict=True), start=1):
                weights, length = sparse.encode_document(text, spec.average_length)
                chunk = _chunk(repo, path, version, line, start, text)
                points.append(Point(chunk, weights, length, vector))
                start += len(text) + 1
            yield IndexedDocument(_record(path, version, points), tuple(points))


def spec_for(name: str) -> CollectionSpec:
    """The spec of a synthetic collection."""
    return CollectionSpec(
        name=name,
        sparse=Bm25Encoder().fingerprint,
        chunker="synthetic",
        dense=FINGERPRINT,
        dimensions=DIMENSIONS,
        average_length=(_LEAST + _MOST) / 2,
    )


def chunk_id(row: int, version: str) -> str:
    """The id of chunk `row`, counted from 0 over all documents."""
    number, line = divmod(row, PER_DOCUMENT)
    return _digest(_path(number), version, str(line + 1))


def _path(number: int) -> str:
    return f"documents/{number:06d}.txt"


def _chunk(repo: str, path: str, version: str, line: int, start: int, text: str) -> Chunk:
    return Chunk(
        id=_digest(path, version, str(line)),
        repo=repo,
        ref=version,
        path=path,
        source_type="docs",
        language="text",
        start=start,
        end=start + len(text),
        start_line=line,
        end_line=line,
        text=text,
        content_hash=_digest(path, version),
    )


def _record(path: str, version: str, points: Sequence[Point]) -> DocumentRecord:
    return DocumentRecord(
        source="synthetic",
        path=path,
        revision=_digest(path, version, "revision"),
        content_hash=_digest(path, version),
        ref=version,
        size=sum(len(point.chunk.text) + 1 for point in points),
        mtime_ns=0,
        chunks=len(points),
        tokens=sum(point.length for point in points),
    )


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def _unit(rows: NDArray[np.float32]) -> Matrix:
    units: Matrix = rows / np.linalg.norm(rows, axis=-1, keepdims=True)
    return units


def _zipf(count: int) -> NDArray[np.float64]:
    """Shares in proportion to 1 / (rank + 2.7), Mandelbrot's form for English."""
    weights = 1 / (np.arange(1, count + 1) + 2.7)
    return np.asarray(weights / weights.sum())
