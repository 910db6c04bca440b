"""Chunks with their vectors, for stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from pincite.model.chunks import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]  #: shape (dimensions,)
    Matrix = NDArray[np.float32]  #: shape (rows, dimensions)
else:
    Vector = Matrix = Any  # importing numpy takes 80 ms, and every module imports this one


class SparseVector(msgspec.Struct, frozen=True):
    """Token ids (unsigned 32-bit, ascending, unique), and a finite weight for each."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


class TermCounts(msgspec.Struct, frozen=True, array_like=True):
    """Counts for the IDF: the number of `chunks` with any term, and in `having` the number with
    each term, by term id."""

    chunks: int = 0
    having: Mapping[int, int] = {}


class Point(msgspec.Struct, frozen=True):
    """A chunk with its vectors, for a store. `dense` is None in a lexical collection and if the
    vector follows later.

    `length` is the number of tokens that the sparse encoder counted.
    """

    chunk: Chunk
    sparse: SparseVector
    length: int
    dense: Vector | None = None
