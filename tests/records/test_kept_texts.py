"""A run with another model makes no collection for records whose texts have not changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.ingestion.options import IndexOptions
from pincite.model import LEXICAL
from pincite.records.report import UpsertReport
from pincite.records.upsert import UpsertOptions, upsert
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from tests.records.desk import Desk, run, tickets

OTHER = {"id": "other", "text": "Scanners hum."}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Four tickets and another record, in a collection with vectors."""
    desk = Desk(tmp_path)
    run(begin(desk))
    return desk


async def begin(desk: Desk) -> None:
    await desk.upsert([*tickets(4, team="red"), OTHER])
    (info,) = await desk.index.collections()
    model = {"dense": "a/1", "dimensions": 8, "model": "openai:a"}
    dense = replace(info.spec, formerly=(LEXICAL,), **model)
    await desk.index.create(dense)


async def write(desk: Desk, records: Sequence[object]) -> UpsertReport:
    """Write in batches of two, without a model."""
    options = UpsertOptions(IndexOptions(lexical=True, beside=True), batch=2)
    return await upsert(desk.settings, desk.index, records, options)


async def names(desk: Desk) -> list[str]:
    return [info.spec.name for info in await desk.index.collections()]


async def teams(desk: Desk) -> dict[str, object]:
    """The team of each record that has a chunk in a member."""
    return {
        one.path: one.attributes.get("team")
        for name in await names(desk)
        for one in await desk.index.page(name, None, 10_000)
    }


def test_new_attributes_are_written_to_the_member_that_has_the_records(desk: Desk) -> None:
    async def work() -> None:
        report = await write(desk, [*tickets(3, team="blue"), *tickets(4, team="red")[3:], OTHER])
        assert (report.rewritten, report.unchanged, report.written) == (3, 2, 0)
        assert await names(desk) == ["main"]
        teams = {one.path: one.attributes.get("team") for one in await desk.chunks()}
        assert teams == {"t0": "blue", "t1": "blue", "t2": "blue", "t3": "red", "other": None}
        with desk.kept() as kept:
            assert kept.page("main", "records", "", 10, pending=True) == []
        report = await write(desk, [*tickets(4, team="blue"), OTHER])
        assert (report.rewritten, report.unchanged) == (1, 4)

    run(work())


def test_another_text_makes_one_and_all_records_are_counted(desk: Desk) -> None:
    async def work() -> None:
        records = [*tickets(3, team="green"), {"id": "t3", "text": "New."}, OTHER, {"id": ""}]
        report = await write(desk, records)
        assert (report.rewritten, report.written) == (3, 1)
        assert (report.unchanged, report.failed_count) == (1, 1)
        assert await names(desk) == ["main", "main__lexical"]

    run(work())


@pytest.mark.parametrize(
    "record",
    [
        {"id": "t0", "text": "Ticket word0 is about printers.", "attributes": {"year": 3}},
        {"id": "t9", "text": "Ticket word0 is about printers."},
        {"id": "t0", "text": "Ticket word0 is about printers.", "title": "Burning"},
    ],
)
def test_what_is_more_than_attributes_is_left_to_the_run(
    desk: Desk, record: dict[str, object]
) -> None:
    async def work() -> None:
        await write(desk, [record])
        assert await names(desk) == ["main", "main__lexical"]

    run(work())


def test_records_that_a_run_left_waiting_are_indexed_with_the_others(desk: Desk) -> None:
    with desk.kept() as kept:
        record = kept.get("main", "records", "t0")
        assert record is not None
        kept.put("main", "records", [type(record)("t9", "t9", "Ticket word9 is about scanners.")])

    async def work() -> None:
        report = await write(desk, tickets(2, team="blue"))
        assert report.resumed == 1
        assert await names(desk) == ["main", "main__lexical"]
        assert await teams(desk) == {
            "t0": "blue", "t1": "blue", "t2": "red", "t3": "red", "t9": None, "other": None,
        }  # fmt: skip

    run(work())


def test_records_that_a_run_was_deleting_are_deleted(desk: Desk) -> None:
    with desk.kept() as kept:
        assert kept.mark("main", "records", "true", (), ["t3"]) == 1

    async def work() -> None:
        await write(desk, tickets(2, team="blue"))
        assert await teams(desk) == {"t0": "blue", "t1": "blue", "t2": "red", "other": None}

    run(work())


def test_a_document_that_a_crash_has_damaged_is_indexed_again(tmp_path: Path) -> None:
    store = MemoryStore()
    desk = Desk(tmp_path, store)

    async def work() -> None:
        await begin(desk)
        (t0,) = [one for one in await desk.index.documents("main") if one.path == "t0"]
        await store.remove("main", [t0.revision])
        await desk.index.open()
        assert (await desk.index.collections())[0].lost == 1
        await write(desk, tickets(2, team="blue"))
        assert await teams(desk) == {
            "t0": "blue", "t1": "blue", "t2": "red", "t3": "red", "other": None,
        }  # fmt: skip

    run(work())
