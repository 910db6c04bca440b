"""The benches of stores: what they take for the truth, what they count, and that they end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import numpy as np
import pytest

from pincite.support.fields import replace

pytest.importorskip("ir_measures", reason="pip install ir-measures")

from bench.frame import Options
from bench.storage.nearest import Nearest
from bench.storage.store_job import Done, Job
from bench.storage.store_worker import SPEC, work
from bench.synthetic import World, chunk_id
from bench.tables import TABLES

from bench.storage import million, stores


def job_in(folder: Path, **values: object) -> Job:
    job = Job("sqlite", (), str(folder / "store"), str(folder / "truth.json"), 400, 5, ask_s=5)
    return replace(job, **values)


def test_the_nearest_are_those_of_one_large_product() -> None:
    dice = np.random.default_rng(1)
    vectors = dice.standard_normal((10_000, 8), np.float32)
    queries = dice.standard_normal((3, 8), np.float32)
    everything, some = Nearest(queries, 7), Nearest(queries, 7, repositories=10, chosen=4)
    for start in range(0, len(vectors), 60):
        for each in (everything, some):
            each.add(list(vectors[start : start + 60]))
    passing = np.flatnonzero(np.arange(len(vectors)) // 20 % 10 == 4)
    for place, query in enumerate(queries):
        order = np.argsort(-(vectors @ query))
        assert everything.rows()[place].tolist() == order[:7].tolist()
        assert some.rows()[place].tolist() == order[np.isin(order, passing)][:7].tolist()


def test_rows_are_counted_as_documents_are_made() -> None:
    documents = World(100, 1).documents(range(3, 5), SPEC, "v", repositories=4)
    ids = [(point.chunk.id, point.chunk.repo) for _, points in documents for point in points]
    assert ids[0] == (chunk_id(60, "v"), "synthetic-03")
    assert ids[39] == (chunk_id(99, "v"), "synthetic-00")


@pytest.mark.parametrize("kind", ["sqlite", "edge", "memory"])
def test_a_store_is_written_searched_and_right(kind: str, tmp_path: Path) -> None:
    job = job_in(tmp_path, kind=kind)
    if kind == "memory":
        done = asyncio.run(work(replace(job, steps=("fill", "ask"))))
    else:
        done = asyncio.run(work(replace(job, steps=("fill",))))
        assert done.filled is not None
        assert done.filled.disk_mb > 0
        asked = asyncio.run(work(replace(job, steps=("ask",))))
        done.asked = asked.asked
    assert done.filled is not None
    assert done.filled.chunks == 400
    assert done.asked is not None
    assert (done.asked.recall, done.asked.recall_filtered) == (1.0, 1.0)
    assert {one.count for one in done.asked.searches.values()} == {5}


def test_a_store_that_is_too_slow_is_searched_with_what_it_has_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QDRANT_URL", raising=False)
    job = job_in(tmp_path, limit_s=1e-6)

    async def measure() -> list[stores.StoreRow]:
        async def here(one: Job, hard_s: float | None) -> Done:
            return await work(one)

        monkeypatch.setattr(stores, "do", here)
        server = replace(job, kind="qdrant")
        return [await stores.measure(job), await stores.measure(server)]

    slow, absent = asyncio.run(measure())
    assert slow.done.filled is not None
    assert slow.done.filled.chunks == 20
    assert slow.done.asked is not None
    assert "20 of 400 chunks" in slow.notes[0]
    assert absent.notes == ["not measured: QDRANT_URL does not name a server"]
    figures = stores.StoreFigures(400, 5, 1e-6, 5.0, [slow, absent])
    page = TABLES["stores"](msgspec.to_builtins(figures))
    assert "| `sqlite` |     20 |" in page
    assert "- `qdrant`: not measured" in page


def test_a_million_goes_on_where_it_was_cut_off(tmp_path: Path) -> None:
    nowhere = Path()
    options = Options(nowhere, nowhere, tmp_path, nowhere, quick=True, chunks=400)

    def run(*phases: str) -> million.MillionFigures:
        return asyncio.run(million.run(replace(options, phases=phases)))

    first = run("scalar")
    assert (tmp_path / "million-400" / "store").exists()
    both = run()
    assert set(both.phases) == {"plain", "scalar"}
    assert both.filled == first.filled
    assert both.phases["scalar"] == first.phases["scalar"]
    assert both.phases["plain"].asked.recall == 1.0
    assert not (tmp_path / "million-400" / "store").exists()
    head = TABLES["million"](msgspec.to_builtins(both)).splitlines()[2]
    assert [cell.strip() for cell in head.split("|")[2:-1]] == ["plain", "scalar"]
