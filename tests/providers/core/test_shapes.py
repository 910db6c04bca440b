"""What is kept of requests and answers has sizes and numbers, and no text and no vector."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.providers.shapes import shape


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (
            {"query": "a secret", "documents": ["one", "three"], "model": "rerank-2.5"},
            {
                "query": {"chars": 8},
                "documents": {"chars": 8, "texts": 2},
                "model": "rerank-2.5",
            },
        ),
        (
            {"data": [{"index": 1, "relevance_score": 0.12345678}], "usage": {"total_tokens": 9}},
            {"data": [{"index": 1, "relevance_score": 0.123457}], "usage": {"total_tokens": 9}},
        ),
        ({"inputs": [["a", "b"], ["c"]]}, {"inputs": {"chars": 3, "lists": 2, "texts": 3}}),
        ({"embedding": [0.1] * 1024}, {"embedding": {"numbers": 1024}}),
        ({"truncation": True, "output_dimension": None}, None),
        (
            {"index": 2**64, "negative": -(10**400)},
            {"index": {"bits": 65}, "negative": {"bits": 1329}},
        ),
        ({"user": "me@example.org"}, {"user": {"chars": 14}}),
    ],
)
def test_a_shape_has_sizes_and_numbers(value: Any, shown: Any) -> None:
    assert shape(value) == (value if shown is None else shown)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.just("do-not-show"),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=40,
)


@given(_JSON)
def test_no_text_is_shown_wherever_it_stands(value: Any) -> None:
    assert b"do-not-show" not in msgspec.json.encode(shape(value))


def test_an_answer_without_end_is_cut() -> None:
    deep: Any = "x"
    for _ in range(10_000):
        deep = {"a": [deep]}
    assert len(msgspec.json.encode(shape(deep))) < 1_000
    assert len(shape({str(n): n for n in range(10_000)})) == 50
