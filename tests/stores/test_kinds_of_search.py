"""What docs/stores.md says of the kinds of search that each store has, held against the stores."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import pincite.stores
from pincite.errors import InvalidPoint
from pincite.model import Point, Vector
from pincite.ports import SearchRequest, Store
from pincite.stores.chroma.database import Database, open_client
from pincite.stores.chroma.store import ChromaStore
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.layout import EdgeLayout
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.settings import StoreKind
from pincite.stores.sqlite.store import SqliteStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, point_of
from tests.quick_folder import quick_folder

PAGE = Path(__file__).parents[2] / "docs" / "stores.md"
SOURCES = Path(pincite.stores.__file__).parent
OPENED: dict[str, Callable[[Path], Store]] = {
    "edge": lambda folder: EdgeStore(folder / "edge"),
    "sqlite": lambda folder: SqliteStore(folder / "points.db"),
    "chroma": lambda folder: ChromaStore(Database(open_client("", folder), str(folder))),
    "memory": lambda _: MemoryStore(),
}


def said() -> dict[str, dict[str, str]]:
    """The table: what each row says of each store."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    start = next(n for n, row in enumerate(rows) if row[1:2] == ["edge"] and len(row) == 6)
    head = [name.partition(" ")[0] for name in rows[start][1:]]
    names = {"cosine", "dot product, Euclidean distance", "exact", "HNSW", "IVF", "quantised"}
    return {
        row[0]: dict(zip(head, row[1:], strict=True)) for row in rows[start:] if row[0] in names
    }


def pointing(vector: Vector, name: str) -> Point:
    return replace(point_of(name), dense=vector)


def answered(kind: str, points: list[Point], query: Vector, **values: Any) -> dict[str, float]:
    """The dense scores of all points, by text."""

    async def session() -> dict[str, float]:
        with quick_folder() as folder:
            store = OPENED[kind](folder)
            await store.create(DENSE_SPEC)
            await store.stage("main", {"r1": points})
            await store.publish("main", {"r1": None})
            request = SearchRequest(dense=query, dense_limit=len(points), **values)
            (ranking,) = await store.search("main", request)
            await store.close()
            texts = {one.chunk.id: one.chunk.text for one in points}
            return {texts[hit.id]: hit.score for hit in ranking.hits}

    return asyncio.run(session())


def unit_vectors(count: int) -> list[Vector]:
    dice = np.random.default_rng(9)
    rows = dice.standard_normal((count, DENSE_SPEC.dimensions))
    return [np.asarray(row / np.linalg.norm(row), np.float32) for row in rows]


def test_the_table_has_every_store_and_every_kind_of_search() -> None:
    table = said()
    assert len(table) == 6
    for row in table.values():
        assert set(row) == {*get_args(StoreKind), "memory"}
        assert all(row.values())


@pytest.mark.parametrize("kind", OPENED)
def test_scores_are_cosines_and_neither_products_nor_distances(kind: str) -> None:
    table = said()
    assert table["cosine"][kind] == "yes"
    assert table["dot product, Euclidean distance"][kind] == "no"
    query, *others = unit_vectors(4)
    vectors = [query, np.asarray(-query, np.float32), *others]
    points = [pointing(vector, f"n{n}") for n, vector in enumerate(vectors)]
    wanted = {f"n{n}": float(vector @ query) for n, vector in enumerate(vectors)}
    assert answered(kind, points, query, exact=True) == pytest.approx(wanted, abs=1e-4)
    longer = np.asarray(2 * query, np.float32)  # where products and cosines would part
    for held, asked in ((longer, query), (query, longer)):
        with pytest.raises(InvalidPoint, match="norm"):
            answered(kind, [pointing(held, "one")], asked)


@pytest.mark.parametrize("kind", OPENED)
def test_exact_search_is_exact(kind: str) -> None:
    assert said()["exact"][kind] != "no"
    query, *vectors = unit_vectors(201)
    points = [pointing(vector, f"n{n}") for n, vector in enumerate(vectors)]
    always = said()["exact"][kind] == "always"
    found = answered(kind, points, query, **({"hnsw_ef": 1} if always else {"exact": True}))
    assert list(found) == list(answered("memory", points, query))


@pytest.mark.parametrize(
    ("row", "words"), [("HNSW", r"hnsw"), ("IVF", r"\bivf"), ("quantised", r"quantiz|int8")]
)
def test_who_has_it_speaks_of_it_in_its_code_and_who_has_not_does_not(row: str, words: str) -> None:
    places = {"edge": "qdrant_edge", "sqlite": "sqlite", "qdrant": "qdrant", "chroma": "chroma"}
    for kind, folder in places.items():
        texts = (path.read_text(encoding="utf-8") for path in (SOURCES / folder).glob("*.py"))
        speaks = any(re.search(words, text, re.IGNORECASE) for text in texts)
        assert speaks == (said()[row][kind] != "no"), kind


def test_the_ways_to_quantise_are_those_of_the_settings() -> None:
    for kind in ("edge", "qdrant"):
        assert said()["quantised"][kind] == "int8, one bit"
    for quantization in ("none", "scalar", "binary"):
        assert EdgeLayout(quantization, on_disk=False).quantization == quantization
