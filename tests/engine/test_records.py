"""Records through the classes that programs use: what they give is what is meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from pincite import IndexOptions, Pincite, UsageError
from pincite.asking import SearchOptions
from pincite.errors import InvalidRecord

ROWS = [{"id": id_, "text": f"The scanner {id_} is slow."} for id_ in ("1", "0", "10")]


@pytest.fixture
def pincite(tmp_path: Path) -> Any:
    with Pincite(tmp_path / "index") as opened:
        assert opened.upsert(ROWS, lexical=True).written == 3
        yield opened
        opened.stop()


def test_one_id_is_one_record_and_not_one_of_each_letter(pincite: Pincite) -> None:
    assert pincite.count_records(ids="10") == pincite.count_records(ids=10) == 1
    assert pincite.delete(ids="10").deleted == 1
    assert pincite.count_records(ids=["0", 1]) == 2
    assert pincite.delete(ids=UUID(int=1)).missing == (str(UUID(int=1)),)  # type: ignore[arg-type]


@pytest.mark.parametrize("ids", [b"10", {"10": 1}, 1.5])
def test_what_is_no_id_is_refused_by_name(pincite: Pincite, ids: Any) -> None:
    with pytest.raises(UsageError, match=r"^ids is .*; it takes an id or a list of ids"):
        pincite.delete(ids=ids)
    assert pincite.count_records(ids=["1", "0", "10"]) == 3


def test_a_tag_without_a_value_deletes_nothing(pincite: Pincite) -> None:
    with pytest.raises(UsageError, match="tag 'tenant' is None"):
        pincite.delete(ids=["1"], tags={"tenant": None})
    assert pincite.count_records(ids=["1"]) == 1


def test_without_ids_and_filter_all_records_are_counted_and_none_is_deleted(
    pincite: Pincite,
) -> None:
    row = {"id": "x", "text": "Another scanner.", "attributes": {"tenant": "uzh"}}
    assert pincite.upsert([row]).written == 1
    assert pincite.count_records() == 4
    assert pincite.count_records(tags={"tenant": "uzh"}) == 1
    with pytest.raises(UsageError, match="neither ids nor a filter"):
        pincite.delete(tags={"tenant": "uzh"})
    with pytest.raises(UsageError, match="both ids and a filter"):
        pincite.count_records(ids="x", where="tenant = 'uzh'")
    assert pincite.count_records() == 4


def unfinished(pincite: Pincite) -> list[str]:
    pack = pincite.search("slow scanner")
    return [one.message for one in pack.warnings if one.code == "unfinished"]


def test_a_search_warns_of_an_interrupted_run_until_the_next_one_has_finished_it(
    pincite: Pincite,
) -> None:
    assert unfinished(pincite) == []
    rows = [{"id": "20", "text": "A scanner of twenty."}, {"id": "", "text": "?"}]
    with pytest.raises(InvalidRecord):
        pincite.upsert(rows, on_error="raise", batch=1)
    (said,) = unfinished(pincite)
    assert "run `pincite index -c main`" in said
    (report,) = pincite.index()
    assert report.unchanged == 4
    assert unfinished(pincite) == []


#: Methods that take the name of a collection to change, or to count in.
OF_A_COLLECTION: dict[str, Callable[[Pincite, Any], object]] = {
    "index": lambda pincite, name: pincite.index(collection=name),
    "upsert": lambda pincite, name: pincite.upsert(ROWS, collection=name, lexical=True),
    "delete": lambda pincite, name: pincite.delete(ids="1", collection=name),
    "count_records": lambda pincite, name: pincite.count_records(ids="1", collection=name),
    "drop": lambda pincite, name: pincite.drop(name),
    "forget": lambda pincite, name: pincite.forget(name, "records"),
    "reembed": lambda pincite, name: pincite.reembed(name, "bundled"),
}


@pytest.mark.parametrize("method", OF_A_COLLECTION)
def test_a_collection_that_is_no_text_is_never_the_default_one(
    pincite: Pincite, method: str
) -> None:
    for name in ([], 0, ["main"], 1, None, b"main"):
        with pytest.raises(UsageError, match=r"^collection is .*; it takes "):
            OF_A_COLLECTION[method](pincite, name)
    assert pincite.count_records(ids=["1", "0", "10"]) == 3


def test_an_empty_collection_is_the_default_one(pincite: Pincite) -> None:
    options = IndexOptions(collection="other", lexical=True)
    assert pincite.upsert(ROWS, collection="", options=options).collection == "other"
    assert pincite.upsert(ROWS, collection="").collection == "main"
    assert pincite.delete(ids="1", collection="").deleted == 1
    assert pincite.count_records(ids="1", collection="other") == 1


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("batch", 1.5, r"1\.5; it takes a whole number from 1 to 1,000,000"),
        ("batch", "10", "'10'; it takes a whole number"),
        ("batch", 10**30, "1000.*; it takes a whole number"),
        ("batch", 0, "0; it takes a whole number"),
        ("batch", True, "True; it takes a whole number"),
        ("on_error", [], r"\[\]; it takes one of 'report', 'raise'"),
        ("on_error", "rais", "'rais'; it takes one of 'report', 'raise'"),
        ("progress", 5, "5; it takes a function"),
        ("progress", 0, "0; it takes a function"),
        ("on_notice", 5, "5; it takes a function"),
        ("on_fetch", None, "None; it takes a function"),
    ],
)
def test_an_argument_that_cannot_be_is_refused_before_anything_is_written(
    pincite: Pincite, name: str, value: Any, said: str
) -> None:
    new: Any = {"records": [{"id": "new", "text": "A new scanner."}], name: value}
    with pytest.raises(UsageError, match=f"^{name} is {said}"):
        pincite.upsert(**new)
    assert pincite.count_records(ids="new") == 0


def test_the_largest_batch_is_one(pincite: Pincite) -> None:
    assert pincite.upsert(ROWS, batch=1_000_000).unchanged == 3


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("waiting", lambda pincite: pincite.delete(ids="1", waiting=5)),
        ("waiting", lambda pincite: pincite.drop("main", 5)),
        ("waiting", lambda pincite: pincite.forget("main", "records", 5)),
        ("progress", lambda pincite: pincite.index(".", progress=5)),
        ("progress", lambda pincite: pincite.reembed("main", "bundled", progress=5)),
        ("options", lambda pincite: pincite.reembed("main", "bundled", options=5)),
        ("model", lambda pincite: pincite.reembed("main", 5)),
        ("waiting", lambda pincite: pincite.describe("docs", "Guides", waiting=5)),
    ],
)
def test_what_other_methods_cannot_take_is_refused_by_name(
    pincite: Pincite, name: str, asked: Callable[[Any], object]
) -> None:
    with pytest.raises(UsageError, match=f"^{name} is 5; it takes "):
        asked(pincite)
    assert pincite.count_records(ids=["1", "0", "10"]) == 3


def test_a_model_without_a_name_is_never_the_bundled_one(pincite: Pincite) -> None:
    for model in ("", " "):
        with pytest.raises(UsageError, match="it takes the name of a model"):
            pincite.reembed("main", model)


def test_documents_of_langchain_are_told_what_makes_records_of_them(pincite: Pincite) -> None:
    class Document:
        page_content, metadata = "text", {"source": "a"}

        def __iter__(self) -> Any:
            return iter((("page_content", "text"), ("metadata", {})))

    with pytest.raises(UsageError, match="not a Document") as raised:
        pincite.upsert(Document())
    (failure,) = pincite.upsert([Document()]).failed
    for hint in (raised.value.hint, failure.hint):
        assert "records_of(documents) of pincite.surfaces.frameworks.langchain" in hint


def test_both_classes_find_what_one_value_asks_for(pincite: Pincite) -> None:
    asked = SearchOptions("the slow scanner", limit=2)
    assert pincite.find(asked).evidence == pincite.search("the slow scanner", limit=2).evidence
