"""A chunk has a limit in characters, whatever its text is."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.chunkers import ChunkerConfig, chunks_of, estimate_word_pieces, sections_of
from pincite.chunkers.budget import cumulative_cost
from pincite.chunkers.least_cost import BLOCK, LEAST, most_chars, with_least
from pincite.chunkers.small_texts import costs
from tests.chunkers.laws import lawful_chunks, read
from tests.counting import grows_in_proportion

CONFIG = ChunkerConfig()
LONGEST = most_chars(CONFIG.max_tokens)
CHEAP = ("th", "e", " ", "\t", "\n", "\0", "\u200b")
SUFFIXES = (
    "py",
    "md",
    "txt",
    "html",
    "json",
    "csv",
    "rst",
    "adoc",
    "toml",
    "xml",
    "awk",
    "vue",
    "org",
)


def test_the_limit_of_a_chunk_is_ten_thousand_characters() -> None:
    assert LONGEST == 10_000


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("cheap", CHEAP)
def test_text_that_costs_nothing_is_cut(suffix: str, cheap: str) -> None:
    """`run = 'unicorn thth...` was one chunk of 4 MB, and a search printed it."""
    text = f"run = 'unicorn {cheap * (60_000 // len(cheap))} tail'\n"
    chunks = lawful_chunks(f"a.{suffix}", text, CONFIG)
    assert "unicorn" in chunks[0].text
    assert "tail" in chunks[-1].text


@pytest.mark.parametrize("cheap", CHEAP)
def test_turns_are_cut(cheap: str) -> None:
    said = f"unicorn {cheap * (60_000 // len(cheap))} tail"
    turns = [_turn("hello"), _turn(said), _turn("so long")]
    chunks = _chunks("a.jsonl", "\n".join(turns))
    assert "hello" in chunks[0].plain
    assert all(len(one.plain) <= LONGEST for one in chunks)
    assert all(len(one.text) <= 6 * LONGEST for one in chunks)  # with `\\u0000` for each character
    spoken = f"**User:** hello\n\n**Assistant:** {said}\n\n**User:** so long\n"
    assert all(len(one.text) <= LONGEST for one in _chunks("a.md", spoken))


def test_of_a_long_line_with_little_text_only_the_texts_are_cited() -> None:
    """The picture of a turn was in the text of its chunk."""
    parts = [_text("a lamp"), {"type": "image", "data": "A" * 90_000}, _text("a wick")]
    lines = [_turn("hello"), _turn(parts), _turn("so long")]
    chunks = _chunks("a.jsonl", "\n".join(lines))
    assert [one.plain for one in chunks] == [
        "user: hello", "user: a lamp", "user: a wick", "user: so long",
    ]  # fmt: skip
    assert chunks[1].text.endswith("a lamp")
    assert chunks[2].text.startswith("a wick")
    assert all(len(one.text) <= LONGEST for one in chunks)


def test_short_turns_with_much_between_them_stay_apart() -> None:
    """A chunk has whole lines, so what is between its turns counts, too."""
    settings = json.dumps({"setting": "A" * 900})
    lines = [_turn("hello"), *[settings] * 20, _turn("so long")]
    text = "\n".join([_turn("one"), *lines])
    assert [one.plain for one in _chunks("a.jsonl", text)] == [
        "user: one\n\nuser: hello", "user: so long",
    ]  # fmt: skip


def test_many_texts_of_one_turn_take_a_time_that_grows_with_their_number() -> None:
    """Each was looked for in the whole rest of the line: 25 s for 48,000."""

    def of_texts(number: int) -> Any:
        texts = [_text(f"é{one}") for one in range(number)]
        line = _turn([*texts, {"type": "image", "data": "A" * 600 * number}])
        return _chunks("a.jsonl", "\n".join([_turn("one"), line, _turn("two")]))

    assert grows_in_proportion(of_texts, 750)
    assert of_texts(750)[9].text.startswith("\\u00e98")


@pytest.mark.parametrize("suffix", ["py", "md", "html", "json", "jsonl"])
def test_the_time_grows_with_the_length(suffix: str) -> None:
    text = f"run = 'unicorn {'th' * 1_000_000}'\n"
    text = f"{_turn('hi')}\n{_turn(text)}\n" if suffix == "jsonl" else text
    began_s = time.process_time()
    assert len(_chunks(f"a.{suffix}", text)) > 200
    assert time.process_time() - began_s < 8


@given(
    st.lists(
        st.sampled_from(("word and another ", "th" * 700, " " * 1_500, "漢字", "x")), max_size=12
    )
)
@example([" " * BLOCK])
@example([" " * (BLOCK - 1)])
def test_a_block_costs_at_least_the_limit_and_other_blocks_stay(parts: list[str]) -> None:
    text = "".join(parts)
    bare = cumulative_cost(text)
    least = with_least(bare)
    assert with_least(costs(text)) == least.tolist()  # the same without numpy
    added = (least - bare).tolist()
    assert all(later >= one - 1e-9 for one, later in pairwise(added))
    for start in range(0, len(text) - BLOCK + 1, BLOCK):
        was, cost = (float(one[start + BLOCK] - one[start]) for one in (bare, least))
        assert cost == pytest.approx(max(was, LEAST))


def test_ordinary_text_costs_what_it_did() -> None:
    bare = cumulative_cost("a line of text, and another one\n" * 200)
    assert with_least(bare) is bare
    assert estimate_word_pieces(" " * 900) == 0


def test_a_byte_order_mark_before_many_blanks_is_no_part_of_the_first_chunk() -> None:
    """The first chunk had all of them, to begin with the mark."""
    near, far = ("\ufeff" + "\n" * number + "a lamp\n" for number in (500, 50_000))
    assert [one.start for one in lawful_chunks("a.md", near, CONFIG)] == [0]
    assert [one.text for one in lawful_chunks("a.md", far, CONFIG)] == ["a lamp"]


def _text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def _turn(content: object) -> str:
    return json.dumps({"role": "user", "content": content})


def _chunks(path: str, text: str) -> Any:
    document = read(path, text)
    return chunks_of(document, sections_of(document, CONFIG))
