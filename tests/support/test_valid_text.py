"""Texts with lone surrogates become texts and JSON that can be encoded; others stay as they are."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.support.valid_text import valid_json, valid_text

ANY = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("Größe \U0001f9ed \0 \ufffd", "Größe \U0001f9ed \0 \ufffd"),
        ("a\udcffb", "a?b"),
        ("\ud83c", "?"),
        ("\ud83d\ude00", "??"),  # two halves in a text of Python are not a character
    ],
)
def test_each_lone_surrogate_becomes_a_question_mark(text: str, expected: str) -> None:
    assert valid_text(text) == expected


@given(ANY)
def test_a_text_keeps_its_length_and_can_be_encoded(text: str) -> None:
    valid = valid_text(text)
    assert len(valid) == len(text)
    assert valid.encode().decode() == valid
    for before, after in zip(text, valid, strict=True):
        assert after == ("?" if "\ud800" <= before <= "\udfff" else before)


def test_json_has_no_lone_surrogates_in_names_and_values_at_any_depth() -> None:
    value = {"a\udcff": ["b\ud83c", ("c\udcff", {"d": "\udcff"}), 1, None], "ü": 0.5}
    expected = {"a?": ["b?", ["c?", {"d": "?"}], 1, None], "ü": 0.5}
    assert json.loads(valid_json(value)) == expected


@given(st.dictionaries(st.text(), st.lists(st.text() | st.integers(-9, 9) | st.none())))
def test_json_of_valid_texts_is_that_of_the_library(value: dict[str, list[object]]) -> None:
    assert valid_json(value) == msgspec.json.encode(value)
