"""Coarse copies of vectors: near enough, small, and not needed by what has none."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pincite.model import Vector
from pincite.stores.qdrant_edge.coarse import from_coarse, to_coarse

FINITE = st.floats(-1, 1, width=32).map(lambda x: x if abs(x) > 1e-6 else 0.0)


@given(arrays(np.float32, st.integers(1, 400), elements=FINITE))
def test_a_copy_has_the_direction_of_its_vector(vector: Vector) -> None:
    length = float(np.linalg.norm(vector.astype(np.float64)))
    text = to_coarse(vector)
    (copy,) = from_coarse([text])
    assert copy.dtype == np.float32
    assert copy.shape == vector.shape
    assert len(text) <= 4 * (len(vector) / 3 + 1)
    if length > 0:
        assert abs(float(np.linalg.norm(copy)) - 1) < 1e-5
        largest = float(np.abs(vector).max())
        off = np.abs(copy * length - vector) / largest
        assert float(off.max()) < 0.03  # so much if all components are small but one
    else:
        assert not copy.any()


@given(st.integers(0, 2**32 - 1))
def test_of_vectors_like_those_of_models_cosines_stay(seed: int) -> None:
    rows = np.random.default_rng(seed).standard_normal((8, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    copies = np.array(from_coarse([to_coarse(row) for row in rows]))
    assert np.abs(copies @ copies.T - rows @ rows.T).max() < 3e-3


def test_nothing_is_made_of_nothing() -> None:
    assert from_coarse([]) == ()
