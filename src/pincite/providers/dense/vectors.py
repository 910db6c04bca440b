"""Check the vectors of a provider and turn them into a matrix."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pincite.errors import BadResponse
from pincite.model import Matrix


def by_index(entries: object, count: int, where: str) -> list[Mapping[str, Any]]:
    """Return the entries of a list in the order of their `index`. Raises BadResponse unless each of
    0..count-1 occurs exactly once."""
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise BadResponse(f"{where} returned no list of results")
    if len(entries) != count:
        raise BadResponse(f"{where} returned {len(entries)} results for {count} texts")
    placed: dict[int, Mapping[str, Any]] = {}
    for one in entries:
        index = one.get("index")
        if not isinstance(index, int) or not 0 <= index < count or index in placed:
            raise BadResponse(f"{where} returned a result with index {index!r} of {count}")
        placed[index] = one
    return [placed[index] for index in range(count)]


def to_matrix(
    values: object, count: int, dimensions: int, where: str, *, cut: bool = False
) -> Matrix:
    """Return unit vectors of shape (count, dimensions), float32.

    `values` are lists of numbers, or base64 of little-endian float32. With `cut`, longer vectors
    are cut to `dimensions`, as Matryoshka models allow. `dimensions` 0 accepts any. Raises
    BadResponse for another count or dimension, for non-finite numbers and for zero vectors.
    """
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
        found = len(values) if isinstance(values, Sequence) else "no"
        raise BadResponse(f"{where} returned {found} vectors for {count} texts")
    try:
        with np.errstate(over="ignore"):  # becomes infinite, which is refused below
            matrix = np.array([_row(value) for value in values], dtype=np.float32)
    except (ValueError, TypeError, OverflowError, binascii.Error) as error:
        raise BadResponse(f"{where} returned an invalid vector: {error}") from error
    if matrix.ndim != 2:
        raise BadResponse(f"{where} returned vectors of different lengths")
    if cut and dimensions and matrix.shape[1] > dimensions:
        matrix = matrix[:, :dimensions]
    if matrix.shape[1] != (dimensions or matrix.shape[1]) or not matrix.shape[1]:
        raise BadResponse(
            f"{where} returned vectors of {matrix.shape[1]} dimensions instead of {dimensions}",
            hint="check that this is the model that the index was made with",
        )
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    if not (np.isfinite(norms).all() and norms.min(initial=1.0) > 0):
        raise BadResponse(
            f"{where} returned a vector that is all zero or has a value that is not finite"
        )
    unit: Matrix = (matrix / norms[:, None]).astype(np.float32)
    return unit


def _row(value: object) -> Any:
    if isinstance(value, str):
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
    if not isinstance(value, list | tuple | np.ndarray):
        raise TypeError(f"{type(value).__name__} is not a list of numbers")
    return np.asarray(value, dtype=np.float32)
