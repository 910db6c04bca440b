"""Records as a source, and what filters mean for them."""

from __future__ import annotations

import shutil
import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.errors import IndexTooNew, SourceError, StoreError
from pincite.model import Chunk, KeptRecord, PageSpan
from pincite.ports import AnyOf, DateRange, Exists, Filter, Is, Prefix, Range
from pincite.ports.predicate import matches
from pincite.sources import Entry
from pincite.sources.record_filter import sql_of
from pincite.sources.record_store import RecordStore, records_file
from pincite.sources.records import open_records, source_of_records
from tests.builders import chunk
from tests.quick_folder import quick_folder

TYPES = {
    "course": "keyword",
    "labels": "keywords",
    "year": "integer",
    "grade": "float",
    "seen": "boolean",
    "due": "date",
    "page_number": "integer",
}


def test_entries_are_in_the_order_of_paths_and_change_with_the_text(tmp_path: Path) -> None:
    with RecordStore(tmp_path) as store:
        records = [KeptRecord(path=f"t{n:04}", id=f"t{n}", text=f"text {n}") for n in range(2_500)]
        store.put("main", "desk", reversed(records))
        with open_records(source_of_records("main", "desk"), tmp_path) as opened:
            before = [one for one in opened.entries() if isinstance(one, Entry)]
            assert [one.path for one in before] == [one.path for one in records]
            store.put("main", "desk", [KeptRecord(path="t0001", id="t1", text="text X")])
            after = [one for one in opened.entries() if isinstance(one, Entry)]
    assert [a.path for a, b in zip(before, after, strict=True) if a != b] == ["t0001"]


def test_the_file_is_private_in_a_folder_that_others_may_enter(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for _ in range(2):
        with RecordStore(tmp_path) as store:
            store.put("main", "desk", [KeptRecord(path="a", id="a", text="a salary")])
            files = list(tmp_path.iterdir())
            assert len(files) == 3  # beside it a log and shared memory
            assert [one for one in files if stat.S_IMODE(one.stat().st_mode) & 0o077] == []
        records_file(tmp_path).chmod(0o644)  # as earlier versions have left it


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    source = source_of_records("main", "desk")
    with pytest.raises(SourceError, match="the records of desk are missing from the index folder"):
        open_records(source, tmp_path)
    RecordStore(tmp_path).close()
    with open_records(source, tmp_path) as opened:
        assert opened.find("a") is None
        with pytest.raises(SourceError, match="record a no longer exists"):
            opened.read(Entry("a", 1, 1))


def test_an_index_folder_can_be_moved(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    with RecordStore(tmp_path / "one") as store:
        store.put("main", "desk", [KeptRecord(path="a", id="a", text="alpha")])
    shutil.move(tmp_path / "one", tmp_path / "two")
    with open_records(source_of_records("main", "desk"), tmp_path / "two") as opened:
        assert opened.read(Entry("a", 5, 0)) == b"alpha"


def test_a_folder_that_cannot_be_written_to_can_be_read(tmp_path: Path) -> None:
    with RecordStore(tmp_path) as store:
        store.put("main", "desk", [KeptRecord(path="a", id="a", text="alpha")])
        store.flush()
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        source = source_of_records("main", "desk")
        with open_records(source, tmp_path, only_read=True) as opened:
            assert opened.find("a") is not None
    finally:
        tmp_path.chmod(stat.S_IRWXU)


def test_a_file_of_a_newer_version_or_a_broken_one_is_named(tmp_path: Path) -> None:
    RecordStore(tmp_path).close()
    with sqlite3.connect(records_file(tmp_path)) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(IndexTooNew, match="has schema 99"):
        RecordStore(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    records_file(other).write_bytes(b"no database" * 1_000)
    with pytest.raises(StoreError, match="cannot be opened"):
        RecordStore(other)


def test_what_is_dropped_gives_its_room_back_and_leaves_no_trace(tmp_path: Path) -> None:
    with RecordStore(tmp_path) as store:
        text = "a secret word " * 1_000
        records = [KeptRecord(path=str(n), id=str(n), text=text) for n in range(100)]
        store.put("main", "desk", records)
        store.flush()
        assert records_file(tmp_path).stat().st_size > 1_000_000
        store.drop("main", "desk")
    assert records_file(tmp_path).stat().st_size < 100_000
    assert b"secret" not in records_file(tmp_path).read_bytes()


_WORD = st.sampled_from(["ml", "ML", "stats", "é", 'a"b', "m"])
_DAY = st.sampled_from(
    ["2026-11-22", "2026-11-22T09:00:00Z", "2026-11-22T09:00:00.5Z", "2027-01-01", "0001-01-01"]
)
_NUMBER = st.sampled_from([-1, 0, 1, 2026, 2**53, 2**53 + 1, 2**63 - 1])
_ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        "course": _WORD,
        "labels": st.lists(_WORD, min_size=1, max_size=3, unique=True).map(tuple),
        "year": _NUMBER,
        "grade": st.sampled_from([-0.5, 0.0, 1.0, 1e300]),
        "seen": st.booleans(),
        "due": _DAY,
    },
)
_BOUNDS = {name: st.none() | _NUMBER for name in ("gte", "gt", "lte", "lt")}
_DAYS = {name: st.none() | _DAY for name in ("gte", "gt", "lte", "lt")}
_CONDITION = st.one_of(
    st.builds(AnyOf, st.sampled_from(["course", "labels", "path", "title"]), st.tuples(_WORD)),
    st.builds(Prefix, st.sampled_from(["course", "labels", "path"]), _WORD),
    st.builds(Exists, st.sampled_from([*TYPES, "title", "url"])),
    st.builds(Range, st.sampled_from(["year", "grade", "page_number"]), **_BOUNDS),
    _NUMBER.map(lambda n: Range("year", gte=n, lte=n)),
    st.builds(DateRange, st.just("due"), **_DAYS),
    st.builds(Is, st.just("seen"), st.booleans()),
)
_CONDITIONS = st.lists(_CONDITION, max_size=2).map(tuple)


def _chunks(record: KeptRecord) -> list[Chunk]:
    """One chunk for each page with text."""
    spans = record.pages or (PageSpan(0, len(record.text)),)
    spans = tuple(one for one in spans if record.text[one.start : one.end].strip())
    return [
        chunk(
            record.path,
            path=record.path,
            title=record.title,
            url=record.url,
            attributes={**record.attributes, **span.attributes},
        )
        for span in spans
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(_ATTRIBUTES, st.lists(_ATTRIBUTES, max_size=2), st.sampled_from(["", "ml"])),
        max_size=5,
    ),
    _CONDITIONS,
    _CONDITIONS,
    _CONDITIONS,
)
def test_records_are_chosen_as_their_chunks_are(
    given_records: list[tuple[dict[str, object], list[dict[str, object]], str]],
    must: tuple[AnyOf, ...],
    must_not: tuple[AnyOf, ...],
    should: tuple[AnyOf, ...],
) -> None:
    filter_ = Filter(must, must_not, should)
    records = []
    for number, (own, pages, title) in enumerate(given_records):
        spans = tuple(
            PageSpan(
                n,
                n + 1,
                {k: v for k, v in {**page, "page_number": n}.items() if k not in own},  # type: ignore[misc]
            )
            for n, page in enumerate(pages, start=1)
        )
        records.append(
            KeptRecord(
                path=f"{'ml' if number % 2 else 'x'}{number}",
                id=str(number),
                text="so e text",  # page 2 is blank
                pages=spans,
                title=title,
                attributes=own,  # type: ignore[arg-type]
            )
        )
    expected = {
        one.path for one in records if any(matches(filter_, "", each) for each in _chunks(one))
    }
    with quick_folder() as folder, RecordStore(folder) as store:
        store.put("main", "desk", records)
        condition, values = sql_of(filter_, TYPES)  # type: ignore[arg-type]
        assert store.matching("main", "desk", condition, values) == len(expected)
        assert store.mark("main", "desk", condition, values) == len(expected)
        assert {one.path for one in store.going("main", "desk", 100)} == expected
