"""What `pincite status` says of an index that is not finished."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from pincite.daemon.refresh.freshness import Condition, Freshness, Pending
from pincite.diagnostics.status import Status, kept_back, status, status_table
from pincite.engine import AsyncPincite
from pincite.model import CollectionSpec, Source, SourceRecord
from pincite.model.documents import SourceKind
from pincite.ports import CollectionInfo
from pincite.ports.leases import Waiting
from pincite.settings.load import load_settings
from pincite.sources.record_store import RecordCounts
from pincite.sources.records import unsettle
from pincite.support.fields import replace


def table(*, indexing: bool) -> str:
    record = SourceRecord(Source("docs", "/docs", "folder"), complete=False)
    spec = CollectionSpec("main", dense="model", sparse="bm25", chunker="c")
    info = CollectionInfo(spec, (record,), 2, 10, 0, unembedded=5)
    fresh = Freshness(auto=True, indexing=indexing, pending=(Pending("main", "docs", 1),))
    found = Status(
        "/index", 1, "1", "bundled", (info,), (), condition=Condition(1.0, (), "", fresh)
    )
    return status_table(found)


def test_what_is_being_indexed_is_not_called_incomplete() -> None:
    said = table(indexing=True)
    assert "docs (folder), being indexed" in said
    assert "found by keyword search\n" in said
    assert "1 file of docs in main" in said


def records_line(counts: RecordCounts, *, kinds: tuple[SourceKind, ...], indexing: bool) -> str:
    """The first line of a collection with 256 documents, and the line of its records."""
    named = (Source(kind, kind, kind) for kind in kinds)
    sources = tuple(SourceRecord(one, complete=True) for one in named)
    info = CollectionInfo(CollectionSpec("main", sparse="s", chunker="c"), sources, 256, 300, 0)
    fresh = Freshness(indexing=indexing)
    found = Status(
        *("/index", 1, "1", "bundled", (info,), ()),
        condition=Condition(1.0, (), "", fresh),
        records={"main": counts},
    )
    lines = status_table(found).splitlines()
    first = next(one for one in lines if one.startswith("collection"))
    return "; ".join([first, *(one for one in lines if one.startswith("  records"))])


def test_records_are_counted_as_records_also_during_a_batch() -> None:
    counts = RecordCounts(stored=1_000, pending=1_000)  # settled when the whole batch is indexed
    said = records_line(counts, kinds=("records",), indexing=True)
    head = "collection main: 256 records, 300 chunks, 0.0 MB; "
    assert said == f"{head}  records 256 of 1,000 are indexed"
    said = records_line(counts, kinds=("records",), indexing=False)
    assert said == f"{head}  records 256 of 1,000 are indexed: pincite index -c main"
    done = records_line(RecordCounts(256, 20), kinds=("records",), indexing=True)
    assert done == head.removesuffix("; "), "those of the batch have an earlier text"


def test_records_beside_files_are_told_apart_by_what_is_pending() -> None:
    said = records_line(RecordCounts(1_000, 900), kinds=("folder", "records"), indexing=True)
    assert said.startswith("collection main: 256 documents, ")
    assert said.endswith("  records 100 of 1,000 are indexed")


def test_stored_records_that_wait_are_counted_and_kept_back_from_tenants(tmp_path: Path) -> None:
    async def check() -> tuple[Status, Status]:
        settings = load_settings({"PINCITE_IDLE_S": "60"}, tmp_path)
        async with AsyncPincite(settings) as engine:
            try:
                texts = [{"id": name, "text": f"The {name}."} for name in ("alpaca", "badger")]
                await engine.upsert(texts, lexical=True)
                before = await status(engine)
                unsettle(settings.index, "main")
                return before, await status(engine)
            finally:
                await engine.stop()

    before, after = asyncio.run(check())
    assert before.records == {}
    assert "collection main: 2 records, 2 chunks" in status_table(before)
    assert after.records == {"main": RecordCounts(2, 2)}
    assert kept_back(after, all_=True).records == {}


def test_what_another_terminal_does_is_said_and_not_called_cut_off(tmp_path: Path) -> None:
    async def check() -> tuple[Status, Status]:
        settings = load_settings({"PINCITE_IDLE_S": "60"}, tmp_path)
        async with AsyncPincite(settings) as engine:
            try:
                await engine.index(tmp_path / "docs", lexical=True)
                client = engine.client()
                (info,) = await engine.collections()
                cut_off = replace(info.sources[0], complete=False)
                await client.put_source("main", cut_off)
                async with client.leases.take("main", "indexing\n/home/me", Waiting(0)):
                    during = await status(engine)
                return during, await status(engine)
            finally:
                await engine.stop()

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# A\n\nAlpaca.\n")
    during, after = asyncio.run(check())
    said = status_table(during)
    assert f"writing  process {os.getpid()} is indexing\\x0a/home/me, since " in said
    assert "docs (folder), being indexed" in said
    assert not any("cut off" in one for one in during.advice)
    assert any("cut off" in one for one in after.advice)
    assert after.writing == ()
    assert kept_back(during, all_=True).writing == ()


def test_what_was_cut_off_is_incomplete_and_says_what_to_do() -> None:
    said = table(indexing=False)
    assert "docs (folder), incomplete" in said
    assert "found by keyword search: pincite index" in said


def test_the_log_of_commands_is_not_called_that_of_the_users_of_workspaces(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# a\n\nthe quetzal flies\n", encoding="utf-8")

    async def log_line(configured: str) -> str:
        (tmp_path / "pincite.toml").write_text(configured, encoding="utf-8")
        settings = load_settings(
            {"PINCITE_IDLE_S": "60", "PINCITE_TRUST": "1"}, tmp_path, tmp_path / ".pincite"
        )
        async with AsyncPincite(settings) as engine:
            await engine.index(tmp_path / "docs", lexical=True)
            said = status_table(await status(engine))
        return next(line for line in said.splitlines() if line.startswith("log "))

    assert asyncio.run(log_line("")) == "log      of searches, in the index folder"
    (tmp_path / ".pincite/workspaces.db").touch()
    assert asyncio.run(log_line("")).endswith("none of workspaces")
    assert asyncio.run(log_line("[log]\nenabled = true")).endswith("in the index folder")
    assert asyncio.run(log_line("[log]\nenabled = false")) == "log      off"
