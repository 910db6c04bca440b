"""Names that every point of a collection has for other programs."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import ConfigError
from pincite.index.local import LocalIndex
from pincite.ingestion.attributes.automatic import FIELDS, field_types, with_fields
from pincite.model import (
    CollectionSpec,
    DocumentRecord,
    IndexedDocument,
    OnPage,
    Point,
    Section,
    SparseVector,
)
from pincite.model.attributes import check_attribute_name
from pincite.ports import Condition, Exists, Filter, Is, Range, SearchRequest
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.stores.payload import to_chunk, to_payload
from pincite.stores.settings import StoreSettings
from tests.builders import chunk
from tests.shelf import STORES, opened_store

CONDITIONS: dict[str, Condition] = {
    "pictures": Is("isVisual", True),
    "page 3": Range("page_number", gte=3, lte=3),
    "with an address": Exists("imageUrl"),
}
TABLE = Section(0, 5, on_page=OnPage(3, visual=True))
PROSE = Section(6, 9, on_page=OnPage(3))
PLAIN = Section(10, 12)


def test_a_section_says_its_page_whether_it_is_a_picture_and_its_place() -> None:
    found = [one.attributes for one in with_fields((TABLE, PROSE, PLAIN), "notes")]
    assert found == [
        {"isVisual": True, "chunkIndex": 0, "page_number": 3},
        {"isVisual": False, "chunkIndex": 1, "page_number": 3},
        {"isVisual": False, "chunkIndex": 2},
    ]


def test_what_a_program_said_of_a_page_counts_before_that() -> None:
    own = Section(0, 5, attributes={"page_number": 7, "isVisual": True, "imageUrl": "s3://x"})
    (found,) = with_fields((own,), "notes")
    assert found.attributes == {**own.attributes, "chunkIndex": 0}


def test_without_a_set_nothing_changes() -> None:
    sections = (TABLE, PLAIN)
    assert with_fields(sections, "") is sections
    assert field_types("", {"isVisual": "keyword"}) == {}


def test_a_name_of_another_type_is_refused() -> None:
    assert "courseName" in field_types("notes", {"mode": "keyword"})
    assert "mode" not in field_types("notes", {"mode": "keyword"})
    with pytest.raises(ConfigError, match="chunkIndex a value of the type integer"):
        field_types("notes", {"chunkIndex": "keyword"})


def test_every_name_of_a_set_can_be_an_attribute() -> None:
    for names in FIELDS.values():
        for name in names:
            check_attribute_name(name)


def test_a_picture_without_an_address_says_null_and_reads_as_one_that_has_none() -> None:
    def payload(**attributes: object) -> dict[str, object]:
        one = chunk("a", attributes=attributes)
        return to_payload(Point(one, SparseVector((), ()), 1), "r", aliased=False)

    assert payload(isVisual=True)["imageUrl"] is None
    assert payload(isVisual=True, imageUrl="s3://x")["imageUrl"] == "s3://x"
    assert "imageUrl" not in payload(course="ml")
    made = chunk("a", attributes={"isVisual": True})
    held = to_payload(Point(made, SparseVector((), ()), 1), "r", aliased=False)
    assert to_chunk(UUID(hex=made.id), held) == made


def test_numbers_of_a_store_are_not_negative() -> None:
    for name in ("segments", "dimensions"):
        with pytest.raises(ConfigError, match="must not be negative"):
            StoreSettings(**{name: -1})  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", STORES)
def test_every_store_keeps_the_names_and_filters_by_them(kind: str) -> None:
    async def found() -> dict[str, list[str]]:
        async with opened_store(kind) as store:
            index = LocalIndex(store, SqliteCatalog(":memory:"))
            sparse = Bm25Encoder()
            spec = CollectionSpec(
                *("main", sparse.fingerprint, "chunker"),
                average_length=3.0,
                attributes=field_types("notes", {}),
                fields="notes",
            )
            await index.create(spec)
            for name, visual in (("text", False), ("picture", True)):
                weights, length = sparse.encode_document("a heat pump", 3.0)
                held = {"isVisual": visual, "chunkIndex": 0, "page_number": 3}
                one = chunk(name, text="a heat pump", attributes=held)
                record = DocumentRecord(
                    *("acme/docs", one.path, name, "0" * 64, "c0ffee", 1, 1, 1, length)
                )
                document = IndexedDocument(record, [Point(one, weights, length)])
                await index.replace("main", [document])
            asked = sparse.encode_query("heat")
            said: dict[str, list[str]] = {}
            for text, condition in CONDITIONS.items():
                filter_ = Filter(must=(condition,))
                request = SearchRequest(sparse=asked, filter=filter_)
                (ranking,) = await index.search("main", request)
                stored = await index.load("main", [hit.id for hit in ranking.hits])
                said[text] = sorted(each.chunk.path for each in stored)
            await index.close()
            return said

    assert asyncio.run(found()) == {
        "pictures": ["docs/picture.md"],
        "page 3": ["docs/picture.md", "docs/text.md"],
        "with an address": [],
    }
