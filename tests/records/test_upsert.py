"""Records are indexed once, whole, and as they were last given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import DiskFull, InvalidRecord, StoreError, UsageError
from pincite.ingestion.attributes.normalise import TableText
from pincite.model import Record, RecordPage
from pincite.model.citation import cite
from pincite.records.normalise import Placed
from pincite.records.report import UpsertProgress
from pincite.support.fields import replace
from tests.records.desk import Desk, run, tickets


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_record_is_found_under_its_id_and_cited_by_its_characters(desk: Desk) -> None:
    report = run(
        desk.upsert(
            [
                {
                    "id": "ticket/7",
                    "text": "The printer is on fire.",
                    "title": "Fire",
                    "url": "https://desk.example/7",
                    "attributes": {"course": "ml", "year": 2026},
                }
            ]
        )
    )
    assert (report.collection, report.source, report.written, report.failed) == (
        *("main", "records", 1),
        (),
    )
    (chunk,) = run(desk.chunks())
    assert cite(chunk) == f"records@{chunk.ref}:ticket/7#char=0,23"
    assert (chunk.title, chunk.url) == ("Fire", "https://desk.example/7")
    assert chunk.attributes == {"course": "ml", "year": 2026}


def test_what_did_not_change_is_not_written_again(desk: Desk) -> None:
    assert run(desk.upsert(tickets(3))).written == 3
    report = run(desk.upsert([*tickets(2), {"id": "t2", "text": "Another text."}]))
    assert (report.written, report.unchanged) == (1, 2)
    assert desk.index.written == ["t0", "t1", "t2", "t2"]
    assert run(desk.texts())["t2"] == "Another text."


def test_attributes_alone_are_rewritten_and_nothing_is_indexed_again(desk: Desk) -> None:
    run(desk.upsert(tickets(2, course="ml", year=2025)))
    report = run(desk.upsert([*tickets(1, course="ml", year=2026), *tickets(2)[1:]]))
    assert (report.rewritten, report.written, report.unchanged) == (2, 0, 0)
    assert desk.index.written == ["t0", "t1"]
    found = {one.path: one.attributes for one in run(desk.chunks())}
    assert found == {"t0": {"course": "ml", "year": 2026}, "t1": {}}
    assert run(desk.upsert(tickets(1, course="ml", year=2026))).unchanged == 1


@pytest.mark.parametrize(
    "change", [{"title": "New"}, {"url": "https://x.org/"}, {"language": "markdown"}]
)
def test_a_new_title_address_or_language_is_a_new_version(
    desk: Desk, change: dict[str, str]
) -> None:
    run(desk.upsert([{"id": "a", "text": "# Head\n\ntext"}]))
    report = run(desk.upsert([{"id": "a", "text": "# Head\n\ntext", **change}]))
    assert report.written == 1
    (chunk,) = run(desk.chunks())
    held = {"title": chunk.title, "url": chunk.url, "language": chunk.language}
    assert held.items() >= change.items()


def test_pages_are_never_mixed_and_carry_their_numbers(desk: Desk) -> None:
    pages: list[str | RecordPage | dict[str, object]] = [
        "First page.",
        {"text": "Second page.", "attributes": {"lang": "en"}},
    ]
    run(desk.upsert([Record("book", pages=[*pages, RecordPage("Tenth.", page_number=10)])]))
    chunks = sorted(run(desk.chunks()), key=lambda one: one.start)
    assert [(one.text, one.attributes["page_number"]) for one in chunks] == [
        *(("First page.", 1), ("Second page.", 2)),
        ("Tenth.", 10),
    ]
    assert chunks[1].attributes == {"page_number": 2, "lang": "en"}
    with desk.kept() as kept:
        record = kept.get("main", "records", "book")
    assert record is not None
    for one in chunks:
        assert record.text[one.start : one.end] == one.text


def test_markdown_has_headings_and_plain_text_has_none(desk: Desk) -> None:
    text = "# Printers\n\nThey burn."
    run(desk.upsert([{"id": "m", "text": text, "language": "markdown"}, {"id": "t", "text": text}]))
    found = {one.path: one.headings for one in run(desk.chunks())}
    assert found == {"m": ("Printers",), "t": ()}


def test_any_dataclass_with_the_fields_will_do(desk: Desk) -> None:
    @dataclass
    class Row:
        id: int
        text: str

    assert run(desk.upsert([Row(7, "seven")])).written == 1
    assert run(desk.texts()) == {"7": "seven"}


def test_an_iterator_is_pulled_batch_by_batch(desk: Desk) -> None:
    ahead: list[int] = []

    def stream() -> Iterator[object]:
        for number, one in enumerate(tickets(20), start=1):
            ahead.append(number - len(desk.index.written))
            yield one

    assert run(desk.upsert(stream(), batch=4)).written == 20
    assert max(ahead) == 4


def test_progress_counts_records_and_not_the_lines_of_their_file(desk: Desk) -> None:
    told: list[UpsertProgress] = []
    placed = [Placed(ticket, row) for row, ticket in enumerate(tickets(3), 2)]  # after a header
    run(desk.upsert(placed, batch=2, progress=told.append))
    assert [one.done for one in told if one.stage == "write"] == [2, 3]


def test_an_async_iterator_will_do(desk: Desk) -> None:
    async def stream() -> AsyncIterator[object]:
        for one in tickets(5):
            await asyncio.sleep(0)
            yield one

    assert run(desk.upsert(stream(), batch=2)).written == 5


def test_the_rest_of_a_batch_is_written_and_what_failed_is_named(desk: Desk) -> None:
    given = [*tickets(1), {"id": "bad"}, "no record", *tickets(1), *tickets(3)[1:]]
    report = run(desk.upsert(given))
    assert (report.written, report.failed_count) == (3, 3)
    assert [(one.id, one.position, one.code) for one in report.failed] == [
        ("bad", 2, "empty_text"),
        ("", 3, "wrong_type"),
        ("t0", 4, "duplicate_id"),
    ]
    assert "record 4 ('t0'): record 1 has the same id" in report.failed[2].message
    assert set(run(desk.texts())) == {"t0", "t1", "t2"}


def test_a_failure_can_end_the_run_after_what_came_before_it(desk: Desk) -> None:
    given = [*tickets(2), {"id": "bad"}, *tickets(4)[2:]]
    with pytest.raises(InvalidRecord, match=r"record 3 \('bad'\)") as caught:
        run(desk.upsert(given, on_error="raise"))
    assert (caught.value.code, caught.value.id, caught.value.position) == ("empty_text", "bad", 3)
    assert set(run(desk.texts())) == {"t0", "t1"}


def test_a_thousand_failures_are_counted_and_a_hundred_named(desk: Desk) -> None:
    report = run(desk.upsert([{"id": str(n)} for n in range(1_000)]))
    assert (report.failed_count, len(report.failed)) == (1_000, 100)


def test_a_run_that_was_cut_off_is_finished_by_the_next_one(desk: Desk) -> None:
    desk.index.fail_at = 3
    with pytest.raises(StoreError, match="on fire"):
        run(desk.upsert(tickets(6), batch=2))
    assert len(run(desk.chunks())) == 3
    desk.index.fail_at = 10**9
    report = run(desk.upsert(tickets(6)))
    assert report.resumed + report.written + report.unchanged >= 6
    assert len(run(desk.chunks())) == 6
    assert run(desk.upsert(tickets(6))).unchanged == 6


def test_a_full_disk_is_told_with_what_becomes_of_the_records(desk: Desk) -> None:
    desk.index.fail_at = 1
    desk.index.failure = DiskFull("5 MB are free", hint="make room")
    with pytest.raises(DiskFull, match=r"5 MB are free; the records .* are stored") as caught:
        run(desk.upsert(tickets(3)))
    assert "pincite index -c main" in caught.value.hint
    desk.index.fail_at = 10**9
    (report,) = run(desk.mirror())
    assert (report.new, report.unchanged) == (2, 1)
    desk.index.fail_at = 3
    assert run(desk.upsert(tickets(3))).unchanged == 3
    with pytest.raises(DiskFull) as caught:  # before anything is stored
        run(desk.mirror(rebuild=True))
    assert caught.value.message == "5 MB are free"


def test_indexing_finishes_it_too(desk: Desk) -> None:
    run(desk.upsert(tickets(1, course="ml")))
    desk.index.fail_at = 2
    with pytest.raises(StoreError, match="on fire"):
        run(desk.upsert([*tickets(3, course="ml")]))
    with desk.kept() as kept:  # and one that was kept with other attributes, and no more
        record = kept.get("main", "records", "t0")
        assert record is not None
        kept.put("main", "records", [type(record)("t0", "t0", record.text, attributes={})])
    desk.index.fail_at = 10**9
    (report,) = run(desk.mirror())
    assert (report.new, report.unchanged, report.removed) == (1, 2, 0)
    found = {one.path: one.attributes for one in run(desk.chunks())}
    assert found == {"t0": {}, "t1": {"course": "ml"}, "t2": {"course": "ml"}}
    report_again = run(desk.upsert([{"id": "t0", "text": "Ticket word0 is about printers."}]))
    assert (report_again.unchanged, report_again.resumed) == (1, 0)


def test_a_second_run_of_indexing_leaves_records_alone(desk: Desk) -> None:
    run(desk.upsert(tickets(3)))
    (report,) = run(desk.mirror())
    assert (report.new, report.changed, report.unchanged, report.removed) == (0, 0, 3, 0)


def test_rebuilding_keeps_all_records(desk: Desk) -> None:
    run(desk.upsert(tickets(3, course="ml")))
    desk.index.fail_at = 4
    with pytest.raises(StoreError, match="on fire"):
        run(desk.mirror(rebuild=True))
    desk.index.fail_at = 10**9
    report = run(desk.upsert(tickets(1, course="ml")))
    assert report.resumed == 3
    assert {one.path: one.attributes for one in run(desk.chunks())} == {
        f"t{n}": {"course": "ml"} for n in range(3)
    }


def test_a_new_attribute_is_said_once_and_has_that_type_from_then_on(desk: Desk) -> None:
    report = run(
        desk.upsert(
            [*tickets(2, year=2026), {"id": "x", "text": "x", "attributes": {"year": "soon"}}]
        )
    )
    assert [one.code for one in report.failed] == ["attribute_invalid"]
    assert (
        "record 3 ('x'): attribute 'year': 'soon' is not a valid integer"
        in report.failed[0].message
    )
    assert [one.message.split(";")[0] for one in desk.notices if one.code == "attribute_new"] == [
        "attribute `year` has the type integer (first seen in record 't0')"
    ]
    (info,) = run(desk.index.collections())
    assert info.spec.attributes == {"year": "integer"}


def test_two_sources_may_use_one_id(desk: Desk) -> None:
    for source in ("one", "two"):
        run(desk.upsert([{"id": "a", "text": "The same text."}], source=source))
    chunks = run(desk.chunks())
    assert [one.repo for one in sorted(chunks, key=lambda one: one.repo)] == ["one", "two"]


def test_a_source_of_files_is_not_taken_over(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nalpha")

    async def work() -> None:
        from pincite.ingest import index_sources
        from pincite.ingestion.options import IndexOptions

        options = IndexOptions(lexical=True)
        await index_sources(desk.settings, desk.index, [folder], options, lambda _: None)
        await desk.upsert(tickets(1))

    with pytest.raises(UsageError, match="does not hold records"):
        run(work())


@pytest.mark.parametrize("given", [{"id": "a", "text": "b"}, Record("a", "b")])
def test_one_record_in_place_of_a_list_is_a_list_of_one(desk: Desk, given: object) -> None:
    assert run(desk.upsert(given)).written == 1  # type: ignore[arg-type]
    assert set(run(desk.texts())) == {"a"}


def test_a_failure_says_what_to_do(desk: Desk) -> None:
    row = {"id": "a", "text": "b", "metadata": {"course": "ml"}}
    report = run(desk.upsert([row]))
    assert [(one.code, one.hint) for one in report.failed] == [
        ("unknown_key", "the name of this field is `attributes`")
    ]


@pytest.mark.parametrize("given", ["text", b"raw", Record, 7])
def test_what_is_no_list_of_records_is_refused_as_a_whole(desk: Desk, given: object) -> None:
    with pytest.raises(UsageError, match="records are a list"):
        run(desk.upsert(given))  # type: ignore[arg-type]


def test_nothing_into_nothing_makes_no_collection(desk: Desk) -> None:
    assert run(desk.upsert([])).written == 0
    assert run(desk.index.collections()) == ()


def test_the_name_of_a_source_has_no_hidden_character(desk: Desk) -> None:
    for name in ("山田\u3000notes", "کتاب\u200cها", "notes\xa02"):
        assert run(desk.upsert([{"id": "a", "text": "The text."}], source=name)).written == 1
    with pytest.raises(UsageError, match=r"U\+202E is not allowed"):
        run(desk.upsert([{"id": "a", "text": "The text."}], source="a\u202eb"))


def test_a_moment_that_has_no_year_in_utc_costs_its_record_alone(desk: Desk) -> None:
    late = datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=-5)))
    given = [
        {"id": "a", "text": "Printers."},
        {"id": "b", "text": "x", "attributes": {"due": late}},
        {"id": "c", "text": "Scanners."},
    ]
    report = run(desk.upsert(given))
    assert [(one.id, one.position, one.code) for one in report.failed] == [
        ("b", 2, "attribute_invalid")
    ]
    assert set(run(desk.texts())) == {"a", "c"}


ZIPS = [
    {"id": zip_, "text": "x", "attributes": {"zip": TableText(zip_)}}
    for zip_ in ("10115", "01067", "+7")
]


def test_zeros_of_a_text_are_not_lost_by_the_order_of_rows(desk: Desk) -> None:
    report = run(desk.upsert(ZIPS))
    assert [(one.id, one.code) for one in report.failed] == [("01067", "attribute_invalid")]
    assert {one.attributes["zip"] for one in run(desk.chunks())} == {10115, 7}
    assert "attribute 'zip': '01067' would lose its beginning as an integer" in (
        report.failed[0].message
    )
    assert report.failed[0].hint == (
        'zip is of type integer in this collection; declare zip = "integer" in [attributes] to'
        ' read it as a number, or "keyword" to keep such texts and run `pincite collections'
        " rebuild`"
    )


def test_a_text_that_begins_with_zeros_is_a_keyword_first(desk: Desk) -> None:
    assert run(desk.upsert(ZIPS[::-1])).failed == ()
    assert {one.attributes["zip"] for one in run(desk.chunks())} == {"10115", "01067", "+7"}


@pytest.mark.parametrize(
    ("kind", "held"), [("integer", {10115, 1067, 7}), ("keyword", {"10115", "01067", "+7"})]
)
def test_a_declared_type_decides_what_zeros_are(desk: Desk, kind: Any, held: set[object]) -> None:
    desk.settings = replace(desk.settings, attributes={"zip": kind})
    assert run(desk.upsert(ZIPS)).failed == ()
    assert {one.attributes["zip"] for one in run(desk.chunks())} == held


def test_a_title_that_is_too_long_is_cut_and_said_once(desk: Desk) -> None:
    given = [{"id": f"t{n}", "text": "x", "title": "w" * 1_001} for n in range(5)]
    run(desk.upsert([*given, {"id": "a", "text": "x", "title": "w" * 1_000}], batch=2))
    assert {len(one.title) for one in run(desk.chunks())} == {1_000}
    assert [one.message for one in desk.notices if one.code == "title_cut"] == [
        "the title is cut to 1,000 characters in 5 records: 't0', 't1', 't2', ..."
    ]
