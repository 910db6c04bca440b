"""Records in PostgreSQL are what they are in a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pincite.errors import IndexUnavailable, InvalidPoint
from pincite.model import DocumentRecord, KeptRecord, PageSpan
from pincite.ports import AnyOf, Exists, Filter, Prefix, Range
from pincite.sources.record_filter import sql_of
from pincite.sources.record_store import RecordStore
from pincite.sources.record_store_postgres import PostgresRecords
from tests.workspace.conftest import migrated, postgres
from tests.workspace.postgres_server import Database, Server

__all__ = ["migrated", "postgres"]

TYPES: Any = {"course": "keyword", "year": "integer"}
PATHS = ("a", "b", "ä/%s?", "Z'", "🎉")
FILTERS = (
    Filter(),
    Filter(must=(AnyOf("course", ("ml", "db")),)),
    Filter(must_not=(Range("year", gte=2000),)),
    Filter(should=(Exists("year"), Prefix("path", "a"))),
)
_numbers = count()


@pytest.fixture(scope="module")
def database(postgres: Server, migrated: str) -> Database:
    return postgres.database(migrated)


@pytest.fixture(scope="module")
def kept(database: Database) -> Iterator[PostgresRecords]:
    with PostgresRecords(database.operator) as store:
        yield store


records = st.builds(
    lambda path, text, course, year, paged: KeptRecord(
        path,
        path.upper(),
        text,
        (PageSpan(0, 3), PageSpan(3, 6)) if paged else (),
        attributes={**({"course": course} if course else {}), **({"year": year} if year else {})},
    ),
    st.sampled_from(PATHS),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9),
    st.sampled_from(("", "ml", "db", "it's")),
    st.sampled_from((0, 1999, 2024)),
    st.booleans(),
)
paths = st.lists(st.sampled_from(PATHS), unique=True)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.lists(records, max_size=3)),
        st.tuples(st.just("settle"), paths),
        st.tuples(st.just("unsettle"), paths),
        st.tuples(st.just("mark"), st.sampled_from(FILTERS), st.none() | paths),
        st.tuples(st.just("purge"), paths),
        st.tuples(st.just("drop")),
    ),
    max_size=9,
)


def record_of(path: str, content_hash: str) -> DocumentRecord:
    return DocumentRecord("desk", path, f"r{path}", content_hash, "", 1, 0, 1, 1)


def take(store: RecordStore, collection: str, step: tuple[Any, ...]) -> int:
    """One step, and how many records it marks."""
    match step:
        case "put", given:
            store.put(collection, "desk", given)
        case "settle", chosen:
            states = store.states(collection, "desk", chosen)
            done = [record_of(one.path, one.content_hash) for one in states.values()]
            store.settle(collection, done)
        case "unsettle", chosen:
            store.unsettle(collection, "desk", [record_of(path, "") for path in chosen])
            store.unsettle("another")
        case "mark", wanted, among:
            condition, values = sql_of(wanted, TYPES)
            fits = store.matching(collection, "desk", condition, values, among)
            assert store.mark(collection, "desk", condition, values, among) == fits
            return fits
        case "purge", chosen:
            store.purge(collection, "desk", chosen)
        case _:
            store.drop(collection, "desk")
    return 0


def seen(store: RecordStore, collection: str) -> object:
    """All that can be read of it."""
    place = (collection, "desk")
    return (
        store.states(*place, PATHS),
        store.page(*place, "", 3),
        store.page(*place, "a", 10, pending=True),
        store.going(*place, 10),
        store.count(*place),
        store.unfinished().get(collection),
        [store.get(*place, path) for path in PATHS],
        [store.paths_of(*place, path.upper()) for path in PATHS],
    )


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_the_same_steps_leave_the_same_in_a_file_and_in_postgresql(
    kept: PostgresRecords, tmp_path: Path, taken: list[tuple[Any, ...]]
) -> None:
    collection = f"c{next(_numbers)}"
    with RecordStore(tmp_path) as file:
        for step in taken:
            assert take(kept, collection, step) == take(file, collection, step)
            assert seen(kept, collection) == seen(file, collection)


def test_who_has_lost_the_lease_changes_nothing(database: Database) -> None:
    def lost(row: object, held: tuple[str, int]) -> None:
        assert (row, held) == ((7,), ("late", 3))
        raise IndexUnavailable("others write")

    with PostgresRecords(database.operator) as store:
        store.put("late", "desk", [KeptRecord("a", "a", "one")])
    with PostgresRecords(database.operator, lambda _: ("late", 3), lost, "SELECT 7, %s") as late:
        late._require = lambda row, held: lost(row[:1], held)
        for change in (
            lambda: late.put("late", "desk", [KeptRecord("a", "a", "two")]),
            lambda: late.settle("late", [record_of("a", KeptRecord("a", "a", "one").content_hash)]),
            lambda: late.unsettle("late"),
            lambda: late.mark("late", "desk", "1", ()),
            lambda: late.purge("late", "desk", ["a"]),
            lambda: late.drop("late"),
        ):
            with pytest.raises(IndexUnavailable):
                change()
        kept = late.get("late", "desk", "a")
        assert kept is not None
        assert kept.text == "one"
        assert not late.states("late", "desk", ["a"])["a"].settled


def test_a_text_that_postgresql_cannot_keep_is_named(kept: PostgresRecords) -> None:
    with pytest.raises(InvalidPoint, match="PostgreSQL cannot store"):
        kept.put("main", "desk", [KeptRecord("a", "a", "one\0two")])
    assert kept.count("main", "desk") == 0
