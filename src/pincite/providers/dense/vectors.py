"""What a provider calls vectors, checked and made into a matrix."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pincite.errors import BadResponse
from pincite.model import Matrix


def by_index(entries: object, count: int, where: str) -> list[Mapping[str, Any]]:
    """The entries of a list in the order of their `index`. Raises BadResponse unless each of
    0..count-1 is there once."""
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise BadResponse(f"{where} sent no list of results")
    if len(entries) != count:
        raise BadResponse(f"{where} sent {len(entries)} results for {count} texts")
    placed: dict[int, Mapping[str, Any]] = {}
    for one in entries:
        index = one.get("index")
        if not isinstance(index, int) or not 0 <= index < count or index in placed:
            raise BadResponse(f"{where} sent a result with index {index!r} of {count}")
        placed[index] = one
    return [placed[index] for index in range(count)]


def to_matrix(
    values: object, count: int, dimensions: int, where: str, *, cut: bool = False
) -> Matrix:
    """Unit vectors of shape (count, dimensions), float32.

    `values` are lists of numbers, or base64 of little-endian float32. With `cut`, longer vectors
    are cut to `dimensions`, as Matryoshka models allow. `dimensions` 0 takes any. Raises
    BadResponse for another count or dimension, and for what is no finite number or all zero.
    """
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
        found = len(values) if isinstance(values, Sequence) else "no"
        raise BadResponse(f"{where} sent {found} vectors for {count} texts")
    try:
        matrix = np.array([_row(value) for value in values], dtype=np.float32)
    except (ValueError, TypeError, binascii.Error) as error:
        raise BadResponse(f"{where} sent what is no vector: {error}") from error
    if matrix.ndim != 2:
        raise BadResponse(f"{where} sent vectors of several lengths")
    if cut and dimensions and matrix.shape[1] > dimensions:
        matrix = matrix[:, :dimensions]
    if matrix.shape[1] != (dimensions or matrix.shape[1]) or not matrix.shape[1]:
        raise BadResponse(
            f"{where} sent vectors of {matrix.shape[1]} numbers where {dimensions} were due",
            hint="is it the model that the index was made with?",
        )
    norms = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    if not (np.isfinite(norms).all() and norms.min(initial=1.0) > 0):
        raise BadResponse(f"{where} sent a vector that is not finite or all zero")
    unit: Matrix = (matrix / norms[:, None]).astype(np.float32)
    return unit


def _row(value: object) -> Any:
    if isinstance(value, str):
        return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
    return np.asarray(value, dtype=np.float32)
