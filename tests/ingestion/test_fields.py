"""Names that every point of a collection has for other programs."""

from __future__ import annotations

from uuid import UUID

import pytest

from pincite.errors import ConfigError
from pincite.ingestion.fields import FIELDS, field_types, with_fields
from pincite.model import OnPage, Point, Section, SparseVector
from pincite.model.attributes import check_attribute_name
from pincite.stores.payload import to_chunk, to_payload
from pincite.stores.settings import StoreSettings
from tests.builders import chunk

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
        with pytest.raises(ConfigError, match="not negative"):
            StoreSettings(**{name: -1})  # type: ignore[arg-type]
