"""Coarse copies of vectors: near enough, small, and not needed by what has none."""

from __future__ import annotations

import asyncio

import numpy as np
import qdrant_edge as edge
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pincite.model import Point, Vector
from pincite.ports import Stored
from pincite.stores.payload import COARSE
from pincite.stores.qdrant_edge.coarse import from_coarse, to_coarse
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.testing.points import DENSE_SPEC, assert_close
from pincite.testing.visibility import COW, FOX, show
from tests.places import quick_folder

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


def off(loaded: Stored, staged: Point) -> float:
    """The largest difference of two components."""
    assert loaded.vector is not None
    assert staged.dense is not None
    return float(np.abs(loaded.vector - staged.dense).max())


def test_points_without_a_copy_are_loaded_with_their_vectors() -> None:
    """Indexes that were made before there were copies."""

    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            await show(store, "r1", FOX, COW)
            without = edge.UpdateOperation.delete_payload([FOX.chunk.id], [COARSE])
            store._shards["main"].apply(without)
            fox, cow = await store.load("main", [FOX.chunk.id, COW.chunk.id], vectors=True)
            assert_close(fox.vector, FOX.dense)
            assert_close(cow.vector, COW.dense)
            assert off(fox, FOX) < 1e-6 < off(cow, COW)
            await store.close()

    asyncio.run(session())
