"""Quantised vectors, and vectors on disk: found by the small ones, scored by the real ones."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from pincite.index.folder import Remembered
from pincite.index.store_of_folder import open_store
from pincite.model import CollectionSpec, Matrix, Point
from pincite.ports import AnyOf, Filter, SearchRequest, Store
from pincite.stores.open_store import open_edge
from pincite.stores.qdrant_edge.generations import files_to_open, files_to_search, read_state
from pincite.stores.qdrant_edge.layout import EdgeLayout
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.settings import StoreSettings
from pincite.testing.points import DENSE_SPEC, point_of
from pincite.testing.stores import StoreContract
from tests.quick_folder import quick_folder

DIMENSIONS = 1_024
POINTS = 3_000  # 12 MB of vectors: enough for a graph
SPEC = CollectionSpec("main", DENSE_SPEC.sparse, "test", dense="given", dimensions=DIMENSIONS)
PLAIN = EdgeLayout()
SCALAR = EdgeLayout("scalar")
BINARY = EdgeLayout("binary")
SMALL = EdgeLayout("scalar", on_disk=True)
#: Least recall@10. Neighbours here differ by noise in every direction, which one bit cannot tell.
FLOORS = ((SCALAR, 0.99), (SMALL, 0.99), (BINARY, 0.5), (PLAIN, 0.99))


class TestQuantisedEdgeStore(StoreContract):
    # the layout of vectors has no part in these
    attribute_filters = 250
    attribute_values = 2_500
    revisions_at_once = 300

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        with quick_folder() as folder:
            store = EdgeStore(folder, layout=SMALL)
            yield store
            await store.close()


def clustered(count: int, seed: int) -> Matrix:
    """Unit vectors in 30 clusters, close enough to each other to make quantised ones mistake."""
    centres = np.random.default_rng(0).standard_normal((30, DIMENSIONS), np.float32)
    dice = np.random.default_rng(seed)
    noise = dice.standard_normal((count, DIMENSIONS), np.float32)
    rows = centres[dice.integers(0, 30, count)] + 0.4 * noise
    unit: Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def points_with(vectors: Matrix) -> list[Point]:
    plain = [point_of(f"word{row}", start=row, repo=f"r{row % 10}") for row in range(len(vectors))]
    return [
        Point(one.chunk, one.sparse, one.length, vector)
        for one, vector in zip(plain, vectors, strict=True)
    ]


async def reopened(folder: Path, layout: EdgeLayout) -> EdgeStore:
    """A store with this layout, which its collection has after optimising."""
    store = EdgeStore(folder, layout=layout)
    await store.create(SPEC)
    assert await store.optimise("main")
    assert not await store.optimise("main")
    return store


def quantised_files(folder: Path) -> Sequence[Path]:
    return sorted(folder.rglob("quantized.data"))


async def recall(store: Store, vectors: Matrix, ids: Sequence[str], filter_: Filter) -> float:
    """Recall@10 against exact arithmetic, with which every score agrees."""
    place = {key: row for row, key in enumerate(ids)}
    passing = [row for row in range(len(ids)) if not filter_.must or row % 10 == 3]
    found = 0
    queries = clustered(40, seed=2)
    for query in queries:
        cosines = vectors @ query
        best = sorted(passing, key=lambda row: -cosines[row])[:10]
        request = SearchRequest(dense=query, dense_limit=10, filter=filter_)
        (ranking,) = await store.search("main", request)
        for hit in ranking.hits:
            assert hit.score == pytest.approx(float(cosines[place[hit.id]]), abs=1e-5)
        found += len({place[hit.id] for hit in ranking.hits} & set(best))
    return found / (10 * len(queries))


def check_what_is_read_ahead(generation: Path) -> None:
    """The engine's files still have the names by which they are told apart."""
    before, after = files_to_open(generation, vectors=True), files_to_search(generation)
    assert {*before, *after} == {path for path in generation.rglob("*") if path.is_file()}
    assert not {*before} & {*after}
    assert {"inverted_index.dat", "page_0.dat"} == {path.name for path in after}
    assert {"store", "payload_storage"} < {path.parent.name for path in after}
    kept = files_to_open(generation, vectors=False)
    assert {path.name for path in {*before} - {*kept}} == {"matrix.dat"}


async def check_what_only_words_find(
    store: Store, vectors: Matrix, points: Sequence[Point]
) -> None:
    """Its dense score is not quantised either."""
    query = clustered(1, seed=3)[0]
    worst = int(np.argmin(vectors @ query))
    request = SearchRequest(dense=query, sparse=points[worst].sparse, dense_limit=5)
    dense, sparse = await store.search("main", request)
    tail = dense.hits[dense.depth :]
    assert [hit.id for hit in tail] == [points[worst].chunk.id] == [sparse.hits[0].id]
    assert tail[0].score == pytest.approx(float(vectors[worst] @ query), abs=1e-5)


def test_quantised_vectors_find_what_exact_search_finds_and_keep_its_scores() -> None:
    async def session() -> None:
        vectors = clustered(POINTS, seed=1)
        points = points_with(vectors)
        ids = [point.chunk.id for point in points]
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(SPEC)
            await store.stage("main", {"r1": points})
            await store.publish("main", {"r1": None})
            await store.close()
            for layout, least in FLOORS:
                store = await reopened(folder, layout)
                few = Filter(must=(AnyOf("repo", ("r3",)),))
                assert await recall(store, vectors, ids, Filter()) >= least
                assert await recall(store, vectors, ids, few) >= least
                await check_what_only_words_find(store, vectors, points)
                await store.close()
                assert bool(quantised_files(folder)) == (layout.quantization != "none")
                state = read_state(folder / "main")
                assert state is not None
                assert state.layout == layout
                check_what_is_read_ahead(folder / "main" / state.generation)

    asyncio.run(session())


@pytest.mark.parametrize(("asked", "layout"), [("", SCALAR), ("none", PLAIN), ("binary", BINARY)])
def test_int8_is_usual_and_none_switches_it_off(
    tmp_path: Path, asked: Literal["", "none", "binary"], layout: EdgeLayout
) -> None:
    store = open_edge(tmp_path, asked).store
    assert isinstance(store, EdgeStore)
    assert store.layout == layout
    assert EdgeStore(tmp_path).layout == SCALAR


def test_the_settings_of_an_index_reach_its_store(tmp_path: Path) -> None:
    settings = StoreSettings(quantization="scalar", on_disk=True)
    opened = open_store(tmp_path, Remembered(settings, ""), {})
    assert isinstance(opened.store, EdgeStore)
    assert opened.store.layout == SMALL


def test_an_open_collection_has_one_search_thread() -> None:
    """The engine starts eight by itself, which look for work, spinning."""
    with quick_folder() as folder:
        for _ in range(2):  # created, then opened again
            run = [sys.executable, "-c", THREADS, str(folder)]
            begun = subprocess.run(run, capture_output=True, check=True).stdout
            assert 3 <= int(begun) < 8  # one that ends may still be there


THREADS = """
import asyncio, os, sys, threading
from pincite.support.fields import replace
from pathlib import Path
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.testing.points import DENSE_SPEC

async def main():
    store, before = EdgeStore(Path(sys.argv[1])), len(os.listdir("/proc/self/task"))
    for name in ("one", "two", "three"):
        await store.create(replace(DENSE_SPEC, name=name))
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join()  # it reads ahead
    print(len(os.listdir("/proc/self/task")) - before)
    await store.close()

asyncio.run(main())
"""
