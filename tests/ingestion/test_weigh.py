"""Weights of a chunk depend on its own text alone; those of an earlier version are replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from pincite.ingestion.enrich import enrich
from pincite.ingestion.weigh import weigh
from pincite.model import Point, SparseVector
from pincite.model.catalog import AVERAGE_LENGTH
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.fields import replace
from tests.ingestion.desk import Desk

SPARSE = Bm25Encoder("english")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A folder with a short and a long text, indexed."""
    made = Desk(tmp_path / "src")
    made.write("short.txt", "lantern oil")
    made.write("long.txt", "lantern wick shelf " * 30)
    made.run(".")
    return made


def points(desk: Desk) -> dict[str, Point]:
    held = asyncio.run(desk.index._store.export("main", None, 1_000))
    return {point.chunk.id: point for _, point in held}


def test_no_chunk_is_weighed_again_for_others(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before, weighed = points(desk), list[str]()

    async def noting(collection: str, revision: str, vectors: Mapping[str, SparseVector]) -> None:
        weighed.append(revision)

    monkeypatch.setattr(desk.index, "weigh", noting)
    for number in range(20):
        desk.write(f"n{number}.txt", "match " * 100)
    desk.run(".")
    after = points(desk)
    assert len(after) > len(before)
    assert all(after[key].sparse == point.sparse for key, point in before.items())
    assert weighed == []


def test_weights_of_an_earlier_version_are_replaced_by_the_next_run(desk: Desk) -> None:
    fresh, chunks = points(desk), desk.chunks()
    average = 30.0  # an earlier version computed it from the chunks
    for record in desk.records().values():
        own = [one for one in chunks if one.path == record.path]
        old = {p.chunk.id: p.sparse for p in weigh(own, map(enrich, own), SPARSE, average)}
        asyncio.run(desk.index.weigh("main", record.revision, old))
    asyncio.run(desk.index.create(replace(desk.spec(), average_length=average)))
    assert any(points(desk)[key].sparse != point.sparse for key, point in fresh.items())
    desk.run(".")
    assert desk.spec().average_length == AVERAGE_LENGTH
    assert {key: point.sparse for key, point in points(desk).items()} == {
        key: point.sparse for key, point in fresh.items()
    }


def test_an_empty_collection_of_an_earlier_version_gets_the_average(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "src")
    desk.write("short.txt", "lantern oil")
    (desk.folder / "empty").mkdir()
    desk.run("empty")
    asyncio.run(desk.index.create(replace(desk.spec(), average_length=0.0)))
    desk.run(".")
    assert desk.spec().average_length == AVERAGE_LENGTH
    assert desk.chunks()
