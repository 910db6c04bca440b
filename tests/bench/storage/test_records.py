"""What the bench of records puts in can be made again, and what it checks can fail."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("ir_measures", reason="pip install ir-measures")

from bench.frame import Options
from bench.made_records import Work, key, mark
from bench.product import open_product
from bench.storage.records_searcher import Searcher
from bench.tables import TABLES

from bench.storage import records
from pincite.ingestion.options import IndexOptions

NOWHERE = Path()


def test_a_record_is_a_function_of_its_number() -> None:
    work = Work(5_000, seed=3)
    assert work.record(17) == Work(9, seed=3).record(17) != Work(9, seed=4).record(17)
    assert len({key(n) for n in range(5_000)} | {mark(n) for n in range(5_000)}) == 10_000
    assert key(17) in work.record(17, new_text=True)["text"]
    assert mark(17) not in work.record(17, new_text=True)["text"]


def test_each_phase_is_about_one_record_in_a_hundred() -> None:
    work = Work(20_000)
    chosen = {k: set(work.numbers(k)) for k in ("update", "attributes", "delete ids")}
    chosen["delete where"] = set(work.numbers("delete where"))
    assert {len(numbers) for numbers in chosen.values()} == {200}
    assert not chosen["update"] & chosen["attributes"] & chosen["delete ids"]
    tenant = work.gone_where.split("'")[1]
    with_tenant = {n for n in range(20_000) if work.given(n)["tenant"] == tenant}
    assert chosen["delete where"] == with_tenant
    gone = chosen["delete ids"] | with_tenant
    assert {n for n in range(20_000) if work.at_last(n) is None} == gone


def test_records_are_written_searched_and_read_out(tmp_path: Path) -> None:
    options = Options(NOWHERE, NOWHERE, tmp_path, tmp_path, chunks=2_500, phases=("lexical",))
    figures = asyncio.run(records.run(options))
    written = figures.written["lexical"]
    assert (written.read, written.wrong) == (2_500 - 100 - 25 + 1, 0)  # one is of both
    assert not written.searched.wrong
    assert list(written.steps) == list(records.STEPS)
    page = TABLES["records"](msgspec.to_builtins(figures))
    assert "| lexical, 2,500 |" in page
    assert "Wrong: **0**" in page


def test_a_wrong_answer_is_counted(tmp_path: Path) -> None:
    """The searcher is told that ten records are there, and three are not or are others."""
    work, options = Work(10), Options(NOWHERE, NOWHERE, tmp_path, tmp_path)

    async def check() -> Searcher:
        async with open_product(tmp_path / "index", options) as engine:
            given = [work.record(n) for n in range(8)]
            given[7] = {**work.record(7, new_text=True), "attributes": work.given(7, moved=True)}
            await engine.upsert(given, options=IndexOptions(lexical=True))
            searcher = Searcher(engine, work, seed=1)
            searcher.told("load 10")
            for _ in range(80):
                await searcher.one()
            return searcher

    searcher = asyncio.run(check())
    wrong = {line.split()[line.split().index("of") + 1] for line in searcher.wrong}
    assert wrong == {"7", "8", "9"}
    assert searcher.checked["present"]
