"""Which quotes are passages of an index, so that they may begin and end inside of a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.citations.claimed_text import JoinedChunks
from pincite.model import Chunk

TEXT = "one two three four\n\nfive six"


def chunks_of(text: str, *ends: int) -> list[Chunk]:
    """The text cut there, without the white space at the ends of each piece."""
    found = []
    for start, end in zip((0, *ends), (*ends, len(text)), strict=True):
        piece = text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        place = (begin, begin + len(piece.strip()), 1, 1)
        found.append(Chunk("", "", "", "a.md", "docs", "", *place, piece.strip(), ""))
    return found


@pytest.mark.parametrize(
    "quote", ["one two thr", "ee four", "five six", "one two three four", "ee  four five\nsix"]
)
def test_one_chunk_and_several_that_follow_each_other_are_passages(quote: str) -> None:
    assert JoinedChunks(chunks_of(TEXT, 11, 19)[::-1]).ends_of(quote)


@pytest.mark.parametrize("quote", ["", "one two th", "wo thr", "two three", "one two thr ee four"])
def test_nothing_else_is(quote: str) -> None:
    assert JoinedChunks(chunks_of(TEXT, 11, 19)).ends_of(quote) is None
    assert JoinedChunks(()).ends_of(quote) is None


@given(st.text(alphabet="ab \n", max_size=20), st.data())
def test_all_text_between_two_cuts_is_a_passage(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=4)))
    first, last = sorted(data.draw(st.sampled_from((0, *ends, len(text)))) for _ in range(2))
    found = JoinedChunks(chunks_of(text, *ends)).ends_of(text[first:last])
    assert bool(found) is bool(text[first:last].strip())


@pytest.mark.timeout(60)
@pytest.mark.parametrize("quote", ["ab" * 50_000 + "b", "a" * 100, "ab" * 45_000])
def test_a_hostile_document_takes_time_in_proportion(quote: str) -> None:
    text = "ab" * 100_000
    joined = JoinedChunks(chunks_of(text, *range(9, len(text), 9)))
    assert (joined.ends_of(quote) is not None) is (quote == "ab" * 45_000)
