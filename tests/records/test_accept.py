"""What is given becomes a record in its normal form, or an error that names record and field."""

from __future__ import annotations

import math
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import InvalidRecord
from pincite.model import Record
from pincite.records.normalise import BETWEEN_PAGES, MOST_ID_CHARS, MOST_TEXT_CHARS, accept, path_of

KNOWN = {"course": "keyword", "year": "integer"}


def refused(given: object, require: tuple[str, ...] = ()) -> InvalidRecord:
    with pytest.raises(InvalidRecord) as caught:
        accept(given, 7, KNOWN, require)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize(
    ("fields", "code", "said"),
    [
        ({"id": ""}, "id_empty", "record 7: it has no id"),
        ({"id": None}, "id_empty", "record 7: it has no id"),
        ({"id": "x" * 10_000}, "id_too_long", "its id has 10,000 characters; at most 512"),
        ({"id": 10**600}, "id_too_long", "its id has 513 characters"),
        ({"id": 1.5}, "wrong_type", "its id is a float"),
        ({"id": True}, "wrong_type", "its id is a bool"),
        ({"id": "a\nb"}, "id_invalid", "control characters"),
        ({"id": " a"}, "id_invalid", "space around it"),
        ({"id": "\ud800"}, "invalid_unicode", "its id is not valid Unicode"),
        ({"text": ""}, "empty_text", "record 7 ('a'): its text is empty"),
        ({"text": " \n\t"}, "empty_text", "its text is empty"),
        ({"text": None}, "empty_text", "has neither `text` nor `pages`"),
        ({"text": 7}, "wrong_type", "`text` is a int, not a text"),
        ({"text": "a\0b"}, "invalid_text", "NUL characters"),
        ({"text": "a\udfff"}, "invalid_unicode", "its text is not valid Unicode"),
        ({"text": "x" * (MOST_TEXT_CHARS + 1)}, "too_large", "5,000,001 characters; at most"),
        ({"pages": ["x"]}, "text_and_pages", "it has `text` and `pages`"),
        ({"text": None, "pages": "x"}, "wrong_type", "`pages` is a str"),
        ({"text": None, "pages": []}, "empty_text", "its text is empty"),
        ({"text": None, "pages": [" ", ""]}, "empty_text", "its text is empty"),
        ({"text": None, "pages": [7]}, "wrong_type", "a int is not page 1"),
        ({"text": None, "pages": [{"txt": "x"}]}, "unknown_key", "'txt' is not a field of page 1"),
        ({"text": None, "pages": [{"text": "x", "page_number": "1"}]}, "wrong_type", "page_number"),
        ({"text": None, "pages": ["x" * 3_000_000] * 2}, "too_large", "characters; at most"),
        ({"course": "ml"}, "unknown_key", "'course' is not a field of a record"),
        ({"title": 7}, "wrong_type", "its title is a int"),
        ({"url": "x.org/a"}, "url_invalid", "is not an address"),
        ({"url": "https://x.org/a b"}, "url_invalid", "is not an address"),
        ({"language": "klingon"}, "wrong_type", "`language` is 'klingon', none of: text, markdown"),
        ({"attributes": "ml"}, "wrong_type", "`attributes` is a str, not a mapping"),
        ({"attributes": {"course": 3}}, "attribute_invalid", "'course': 3 is not a keyword"),
        (
            {"attributes": {"year": "soon"}},
            "attribute_invalid",
            "'year': 'soon' is not a valid integer",
        ),
        ({"attributes": {"grade": math.nan}}, "attribute_invalid", "'grade': nan is not finite"),
        ({"attributes": {"grade": math.inf}}, "attribute_invalid", "'grade': inf is not finite"),
        ({"attributes": {"path": "x"}}, "attribute_reserved", "reserved by Pincite"),
        ({"attributes": {"a b": "x"}}, "attribute_name", "is not a valid attribute name"),
    ],
)
def test_what_cannot_be_is_named(fields: dict[str, Any], code: str, said: str) -> None:
    error = refused({"id": "a", "text": "alpha", **fields})
    assert (error.code, error.position) == (code, 7)
    assert said in error.message
    assert error.message.startswith("record 7")


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({"metadata": {}}, "the name of this field is `attributes`"),
        ({"page_content": "x"}, "the name of this field is `text`"),
        ({"course": "ml"}, "put attributes for filters under `attributes`"),
        ({7: "ml"}, "put attributes for filters under `attributes`"),
        ({"attributes": {"title": "x"}}, "give it as `title` of the record"),
        ({"attributes": {"grade": math.nan}}, "for an unknown value, give None"),
        ({"attributes": {"year": "soon"}}, "year is of type integer in this collection"),
    ],
)
def test_a_hint_says_what_to_write_instead(fields: dict[Any, Any], hint: str) -> None:
    assert refused({"id": "a", "text": "alpha", **fields}).hint.startswith(hint)


@pytest.mark.parametrize("given", [UUID(int=7), np.int64(7)])
def test_ids_of_other_types_are_texts(given: object) -> None:
    assert accept({"id": given, "text": "x"}, 1, {}).record.id == str(given)


@pytest.mark.parametrize("given", [None, 7, "text", ["a", "b"], Record])
def test_what_is_no_record_is_named(given: object) -> None:
    assert refused(given).code == "wrong_type"


def test_an_attribute_is_of_the_record_or_of_its_pages() -> None:
    page = {"text": "x", "attributes": {"course": "ml"}}
    error = refused({"id": "a", "pages": [page], "attributes": {"course": "ml"}})
    assert error.code == "attribute_twice"
    error = refused({"id": "a", "pages": ["x"], "attributes": {"page_number": 3}})
    assert error.code == "attribute_twice"
    page = {"text": "x", "attributes": {"page_number": 3}}
    assert refused({"id": "a", "pages": [page]}).code == "attribute_reserved"


@pytest.mark.parametrize("value", [None, "", []])
def test_required_attributes_must_have_a_value(value: object) -> None:
    fields = {"id": "a", "text": "x", "attributes": {"institution": value, "mode": "exam"}}
    error = refused(fields, ("institution", "mode"))
    assert error.code == "tags_missing"
    assert "has no value for institution, which its collection requires" in error.message


def test_a_type_that_is_inferred_holds_for_the_pages_of_the_same_record() -> None:
    pages = [{"text": "x", "attributes": {"part": 1}}, {"text": "y", "attributes": {"part": "b"}}]
    error = refused({"id": "a", "pages": pages})
    assert "page 2: attribute 'part': 'b' is not a valid integer" in error.message


_VALUES = st.text(st.sampled_from("a/%,"), min_size=1, max_size=4)


@given(st.tuples(_VALUES, _VALUES, _VALUES), st.tuples(_VALUES, _VALUES, _VALUES))
def test_two_tenants_never_share_a_path(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    require = ("institution", "mode")
    paths = [
        path_of(id_, require, dict(zip(require, values, strict=True)))
        for id_, *values in (one, other)
    ]
    assert (paths[0] == paths[1]) == (one == other)


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_the_pages_of_a_record_are_spans_of_its_text(pages: list[str]) -> None:
    if not BETWEEN_PAGES.join(pages).strip() or any(not _is_text(page) for page in pages):
        return
    record = accept({"id": "a", "pages": pages}, 1, {}).record
    assert [record.text[page.start : page.end] for page in record.pages] == pages
    assert [page.attributes["page_number"] for page in record.pages] == [*range(1, len(pages) + 1)]


def _is_text(text: str) -> bool:
    return "\0" not in text and text.encode(errors="replace").decode() == text


def test_the_limits_themselves_are_fine() -> None:
    accept({"id": "x" * MOST_ID_CHARS, "text": "y" * MOST_TEXT_CHARS}, 1, {})
