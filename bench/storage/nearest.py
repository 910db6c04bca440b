"""What exact search finds: the nearest of all vectors, while these pass by in batches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.synthetic import PER_DOCUMENT
from pincite.model import Matrix, Vector

_BATCH = 4_096  # vectors a matrix product


class Nearest:
    """The rows of the `depth` nearest vectors of each query, by plain arithmetic in float32.

    With `repositories` only rows of documents whose number is `chosen` modulo it count.
    """

    def __init__(
        self, queries: Matrix, depth: int = 10, repositories: int = 1, chosen: int = 0
    ) -> None:
        self._queries, self._depth = queries, depth
        self._repositories, self._chosen = repositories, chosen
        self._scores = np.empty((len(queries), 0), np.float32)
        self._rows = np.empty((len(queries), 0), np.int64)
        self._waiting: list[tuple[int, Vector]] = []
        self._seen = 0

    def add(self, vectors: Sequence[Vector]) -> None:
        """The next vectors; rows are counted on."""
        for row, vector in enumerate(vectors, start=self._seen):
            if row // PER_DOCUMENT % self._repositories == self._chosen:
                self._waiting.append((row, vector))
        self._seen += len(vectors)
        if len(self._waiting) >= _BATCH:
            self._merge()

    def _merge(self) -> None:
        rows = np.array([row for row, _ in self._waiting], np.int64)
        matrix = np.stack([vector for _, vector in self._waiting])
        self._waiting = []
        scores = np.hstack([self._scores, self._queries @ matrix.T])
        both = np.hstack([self._rows, np.broadcast_to(rows, (len(self._queries), len(rows)))])
        best = np.argsort(-scores, axis=1, kind="stable")[:, : self._depth]
        self._scores = np.take_along_axis(scores, best, axis=1)
        self._rows = np.take_along_axis(both, best, axis=1)

    def rows(self) -> NDArray[np.int64]:
        """Shape (queries, at most depth), nearest first."""
        if self._waiting:
            self._merge()
        return self._rows
