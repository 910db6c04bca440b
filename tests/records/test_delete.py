"""What is deleted is gone: from the index, from what is kept, and from the next run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.encoders.by_name import Models
from pincite.errors import StoreError, TagsRequired, UsageError
from pincite.maintenance.remove import drop, forget
from pincite.model import Element, KeptRecord, Layout, PageSpan
from pincite.ports import Exists, Filter, Waiting
from pincite.sources.record_filter import sql_of
from pincite.sources.record_store import RecordStore
from pincite.support.fields import replace
from tests.records.desk import Desk, run, tickets


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def kept(desk: Desk, source: str = "records") -> int:
    with desk.kept() as store:
        return store.count("main", source)


def test_records_go_by_their_ids_and_missing_ones_are_named(desk: Desk) -> None:
    run(desk.upsert(tickets(4)))
    report = run(desk.delete(ids=["t1", "t3", "t9"]))
    assert (report.deleted, report.missing, report.missing_count) == (2, ("t9",), 1)
    assert set(run(desk.texts())) == {"t0", "t2"}
    assert kept(desk) == 2
    assert run(desk.mirror())[0].removed == 0


def test_a_deleted_record_may_be_written_again(desk: Desk) -> None:
    run(desk.upsert(tickets(2)))
    run(desk.delete(ids=["t1"]))
    report = run(desk.upsert(tickets(2)))
    assert (report.written, report.unchanged) == (1, 1)
    assert set(run(desk.texts())) == {"t0", "t1"}


def test_a_deletion_that_was_cut_off_is_finished_by_the_next_run(desk: Desk) -> None:
    run(desk.upsert(tickets(3)))
    remove = desk.index.remove

    async def fails(collection: str, revisions: Sequence[str]) -> None:
        raise StoreError("the machine is on fire")

    desk.index.remove = fails  # type: ignore[method-assign]
    with pytest.raises(StoreError, match="on fire"):
        run(desk.delete(ids=["t0"]))
    desk.index.remove = remove  # type: ignore[method-assign]
    assert len(run(desk.chunks())) == 3
    run(desk.upsert(tickets(3)[2:]))
    assert set(run(desk.texts())) == {"t1", "t2"}


def test_what_a_cut_off_run_has_written_is_deleted_too(desk: Desk) -> None:
    run(desk.upsert(tickets(1)))
    settle = RecordStore.settle

    def fails(*_: object) -> None:
        raise StoreError("the machine is on fire")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RecordStore, "settle", fails)
        with pytest.raises(StoreError, match="on fire"):
            run(desk.upsert([{"id": "t0", "text": "Another text."}]))
    assert RecordStore.settle is settle
    assert run(desk.texts()) == {"t0": "Another text."}
    assert run(desk.delete(ids=["t0"])).deleted == 1
    assert run(desk.chunks()) == ()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "neither ids nor a filter"),
        ({"ids": ["a"], "where": "course = ml"}, "both ids and a filter"),
        (
            {"ids": ["a"], "source": "tickets"},
            "no source of records 'tickets'; known sources: records",
        ),
        ({"ids": ["a"], "tags": {"mood": "x"}}, "no attribute is named 'mood'"),
        ({"where": "text ~ printers"}, "records cannot be deleted by 'text'"),
    ],
)
def test_what_cannot_be_asked_is_said(desk: Desk, asked: dict[str, object], said: str) -> None:
    run(desk.upsert(tickets(1, course="ml")))
    with pytest.raises(UsageError, match=said):
        run(desk.delete(**asked))
    assert kept(desk) == 1


@pytest.mark.parametrize(
    ("where", "tags", "left"),
    [
        ("course = ml", {}, {"b", "c"}),
        ('course = "ml" and year >= 2026', {}, {"a", "b", "c"}),
        ("year < 2026", {}, {"b", "d"}),
        ("due >= 2026-01-01 and due < 2026-06-01", {}, {"b", "c", "d"}),
        ("not course = ml", {}, {"a", "d"}),
        ("page_number = 2", {}, {"a", "b", "c"}),
        ('path = "b"', {}, {"a", "c", "d"}),
        ("year exists", {"course": "stats"}, {"a", "b", "d"}),
        ("course = chemistry", {}, {"a", "b", "c", "d"}),
    ],
)
def test_records_go_by_what_a_filter_says_of_their_attributes(
    desk: Desk, where: str, tags: dict[str, object], left: set[str]
) -> None:
    given = [
        {"id": "a", "text": "x", "attributes": {"course": "ml", "year": 2025, "due": "2026-02-01"}},
        {"id": "b", "text": "x"},
        {"id": "c", "text": "x", "attributes": {"course": "stats", "year": 2024}},
        {"id": "d", "pages": ["x", "y"], "attributes": {"course": "ml", "year": 2026}},
    ]
    run(desk.upsert(given))
    assert run(desk.delete(where=where, tags=tags)).deleted == 4 - len(left)
    assert {one.path for one in run(desk.chunks())} == left
    assert kept(desk) == len(left)


@pytest.mark.parametrize("blank", ["", " \n", "\u2003"])
@pytest.mark.parametrize("where", ["not status exists", "status != keep", "page_number = 1"])
def test_a_page_without_text_is_not_what_a_record_is_deleted_by(
    desk: Desk, where: str, blank: str
) -> None:
    pages = [blank, {"text": "apple", "attributes": {"status": "keep"}}, blank]
    run(desk.upsert([{"id": "scan", "pages": pages}, {"id": "junk", "pages": ["junk"]}]))
    assert run(desk.delete(where=where)).deleted == 1
    assert {one.path for one in run(desk.chunks())} == {"scan"}


def test_a_page_of_headers_and_pictures_alone_has_no_chunk_to_delete_by(tmp_path: Path) -> None:
    text = "1\f[image]\fapple"
    pages = tuple(
        PageSpan(start, end, {} if start < 9 else {"status": "keep"}, number)
        for number, (start, end) in enumerate(((0, 1), (2, 9), (10, 15)), start=1)
    )
    elements = (
        Element("paragraph", 0, 1, 1, marginal=True),
        Element("image", 2, 9, 2),
        Element("paragraph", 10, 15, 3),
    )
    described = (*elements[:1], replace(elements[1], note="A chart of apples."), *elements[2:])
    condition = sql_of(Filter(must_not=(Exists("status"),)), {"status": "keyword"})
    with RecordStore(tmp_path) as store:
        for path, held in (("a", elements), ("b", described)):
            layout = Layout("page", "pdf/1", held)
            store.put("main", "desk", [KeptRecord(path, path, text, pages, layout=layout)])
        assert store.mark("main", "desk", *condition) == 1
        assert [one.path for one in store.going("main", "desk", 9)] == ["b"]


def _tenants(desk: Desk) -> None:
    """A collection that requires `institution`, of which two tenants use the same ids."""
    run(desk.upsert([{"id": "t0", "text": "x", "attributes": {"institution": "none"}}]))
    run(desk.delete(ids=["t0"]))
    (info,) = run(desk.index.collections())
    run(desk.index.create(replace(info.spec, require=("institution",))))
    for name in ("eth/zh", "uzh"):
        given = [
            {"id": one["id"], "text": one["text"], "attributes": {"institution": name}}
            for one in tickets(2)
        ]
        assert run(desk.upsert(given)).written == 2


def test_two_tenants_may_use_the_same_ids_and_texts(desk: Desk) -> None:
    _tenants(desk)
    assert set(run(desk.texts())) == {"eth%2Fzh/t0", "eth%2Fzh/t1", "uzh/t0", "uzh/t1"}
    report = run(desk.upsert([{"id": "t0", "text": "x", "attributes": {}}]))
    assert [one.code for one in report.failed] == ["tags_missing"]
    run(desk.upsert([{"id": "t0", "text": "New.", "attributes": {"institution": "uzh"}}]))
    assert run(desk.texts())["eth%2Fzh/t0"] != "New."


def test_a_tenant_deletes_its_own_records_and_no_others(desk: Desk) -> None:
    _tenants(desk)
    with pytest.raises(TagsRequired, match="institution"):
        run(desk.delete(ids=["t0"]))
    with pytest.raises(TagsRequired, match="institution"):
        run(desk.delete(where='path ^= "uzh"'))
    assert run(desk.delete(ids=["t0"], tags={"institution": "uzh"})).deleted == 1
    assert set(run(desk.texts())) == {"eth%2Fzh/t0", "eth%2Fzh/t1", "uzh/t1"}
    again = run(desk.delete(ids=["t0"], tags={"institution": "uzh"}))
    assert (again.deleted, again.missing) == (0, ("t0",))
    assert run(desk.delete(where="path exists", tags={"institution": "uzh"})).deleted == 1
    assert set(run(desk.texts())) == {"eth%2Fzh/t0", "eth%2Fzh/t1"}


def test_forgetting_a_source_forgets_its_records(desk: Desk) -> None:
    for source in ("one", "two"):
        run(desk.upsert(tickets(2), source=source))
    models = Models(desk.settings)
    run(forget(desk.index, models, "main", "one", Waiting(0), desk.root))
    assert (kept(desk, "one"), kept(desk, "two")) == (0, 2)
    assert {one.repo for one in run(desk.chunks())} == {"two"}
    assert run(desk.upsert(tickets(2), source="one")).written == 2


def test_dropping_a_collection_drops_its_records(desk: Desk) -> None:
    run(desk.upsert(tickets(2)))
    run(drop(desk.index, "main", Waiting(0), desk.root))
    assert kept(desk) == 0
    assert run(desk.upsert(tickets(2))).written == 2


def test_records_of_a_collection_that_was_lost_are_indexed_again(desk: Desk) -> None:
    run(desk.upsert(tickets(3)))
    run(desk.index.drop("main"))
    report = run(desk.upsert(tickets(1)))
    assert report.resumed == 3
    assert len(run(desk.chunks())) == 3
