"""A run with another model makes no collection for records whose texts have not changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.ingestion.options import IndexOptions
from pincite.model import LEXICAL
from pincite.records.report import UpsertReport
from pincite.records.upsert import UpsertOptions, upsert
from pincite.support.fields import replace
from tests.records.desk import Desk, run, tickets

OTHER = {"id": "other", "text": "Scanners hum."}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Four tickets and another record, in a collection with vectors."""
    desk = Desk(tmp_path)

    async def begin() -> None:
        await desk.upsert([*tickets(4, team="red"), OTHER])
        (info,) = await desk.index.collections()
        model = {"dense": "a/1", "dimensions": 8, "model": "openai:a"}
        dense = replace(info.spec, formerly=(LEXICAL,), **model)
        await desk.index.create(dense)

    run(begin())
    return desk


async def write(desk: Desk, records: Sequence[object]) -> UpsertReport:
    """Write in batches of two, without a model."""
    options = UpsertOptions(IndexOptions(lexical=True, beside=True), batch=2)
    return await upsert(desk.settings, desk.index, records, options)


async def names(desk: Desk) -> list[str]:
    return [info.spec.name for info in await desk.index.collections()]


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
