"""Questions that are made to hurt: a search takes time in proportion to their length."""

from __future__ import annotations

import asyncio

import pytest

from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.absent import find_absent
from tests.counting import grows_in_proportion
from tests.small_search import TEXTS, TopicEncoder, ask, make

FILLERS = (
    *"aAz0_.,-/:'\"`*#$@?!(){}[]<>\\|~’–什。é",
    *("a_", "_a", "_-", "_'", "_.", "a-", "-_", "a'", "Aa", "aA", "A1", "1.", "1,", "1-", "a.b"),
    *("a::", "a->", "k#", "../", "a/", "/a.py", "a.py:1 ", "--a", "`a` ", "[a](", "<!--", "</a>"),
    *("http://", "a@b", "x=1 ", "a\n", "a \n", "\\0", "colour", "colour-", "organis", "a's "),
    *("1.1.", "when was 1.1.", "which version ", "added in 1.0 "),
    *("where is ", "which tests ", "what does ", "how do i ", "rotate_key ", "rotateKey", "key"),
)


@pytest.mark.parametrize("filler", FILLERS)
def test_a_search_takes_linear_time(filler: str) -> None:
    files = {"src/rotate.py": "def rotate_key(secret): pass", "tests/test_keys.py": "rotate_key()"}
    collection = asyncio.run(
        make(TopicEncoder(), {**TEXTS, **files}, kinds=dict.fromkeys(files, "code"))
    )

    def search(size: int) -> None:
        ask(f"where is rotate_key {filler * (size // len(filler))} key", collection, mode="debug")

    assert grows_in_proportion(search, 1_250)  # up to 10,000 characters


@pytest.mark.parametrize("piece", ["_'", "colour", "vapour'", "is", "a-_", "Aa", "é_"])
def test_words_of_a_question_are_read_in_linear_time(piece: str) -> None:
    terms = informative_terms("english")

    def find(size: int) -> None:
        find_absent(f"{piece * (size // len(piece))}-x", (), (), {}, (), terms)

    assert grows_in_proportion(find, 5_000)
