"""Headers of C, C++ and Objective-C, and the files with the bodies."""

from __future__ import annotations

import time
from typing import Any

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from tests.builders import chunk

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")
HOW = "how are lines folded"
PROTOTYPE = "/* Folds the lines of a text. */\nint fold(struct text *text);\n"


def one(path: str, score: float, text: str = PROTOTYPE, **values: Any) -> Candidate:
    found = chunk(path, id=path, path=path, text=text, source_type="code", **values)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


def order(question: str, *found: Candidate, on: bool = True) -> list[str]:
    query = prepare(Question(question), PrepareConfig())
    config = RankCodeConfig(bodies_first=on)
    return [each.chunk.id for each in rank_code(query, found, ENGLISH, config, CODE)]


@pytest.mark.parametrize(
    ("header", "body"),
    [("src/wrap.h", "src/wrap.c"), ("include/wrap.hpp", "src/wrap.cc"), ("Wrap.h", "Wrap.mm")],
)
def test_the_file_with_the_bodies_takes_the_place_of_its_header(header: str, body: str) -> None:
    found = one(header, 1.0), one("src/other.c", 0.9), one(body, 0.8)
    assert order(HOW, *found) == [body, "src/other.c", header]
    assert order(HOW, *found, on=False) == [header, "src/other.c", body]


def test_the_two_have_exchanged_their_scores_and_say_so() -> None:
    query = prepare(Question(HOW), PrepareConfig())
    found = one("wrap.h", 1.0), one("wrap.c", 0.8)
    ranked = rank_code(query, found, ENGLISH, RankCodeConfig(), CODE)
    assert [each.chunk.id for each in ranked] == ["wrap.c", "wrap.h"]
    assert [each.rank_signal.value for each in ranked] == [1.0, 0.8]
    assert all(each.signal("header") for each in ranked)
    plain = rank_code(query, found, ENGLISH, RankCodeConfig(bodies_first=False), CODE)
    assert not any(each.signal("header") for each in plain)


@pytest.mark.parametrize("body", ["test/wrap.cpp", "examples/wrap.c", "src/tests/wrap.cc"])
def test_tests_and_examples_are_no_bodies(body: str) -> None:
    assert order(HOW, one("include/wrap.hpp", 1.0), one(body, 0.9))[0] == "include/wrap.hpp"


def test_a_header_behind_its_bodies_stays_there() -> None:
    assert order(HOW, one("wrap.c", 1.0), one("wrap.h", 0.9)) == ["wrap.c", "wrap.h"]


@pytest.mark.parametrize(
    "question",
    ["fold", "which flags are there for folding", "where is the interface of folding declared"],
)
def test_a_question_for_a_name_or_for_declarations_gets_the_header(question: str) -> None:
    assert order(question, one("wrap.h", 1.0), one("wrap.c", 0.8))[0] == "wrap.h"


@pytest.mark.parametrize(
    "text",
    [
        *("struct text {\n  int size;\n};", "typedef enum {\n  A\n} kind;"),
        "static inline int fold(struct text *text) {\n  return 0;\n}",
        "inline int Text::fold() const noexcept\n{\n  return 0;\n}",
        "template <class T>\nint fold(T &text);",
        *("@interface Text : NSObject\n- (void)fold;\n@end", "@property (nonatomic) int width;"),
    ],
)
def test_a_header_with_more_than_prototypes_stays(text: str) -> None:
    assert order(HOW, one("wrap.h", 1.0, text), one("wrap.c", 0.8))[0] == "wrap.h"


def test_the_bodies_are_in_the_same_folder_if_there_are_some() -> None:
    header, here, there = one("a/util.h", 1.0), one("a/util.c", 0.7), one("a/b/util.c", 0.8)
    assert order(HOW, header, here, there) == ["a/util.c", "a/b/util.c", "a/util.h"]
    assert order(HOW, header, there) == ["a/b/util.c", "a/util.h"]


@pytest.mark.parametrize(
    "paths",
    [
        ("server/config.h", "client/src/config.c"),
        ("include/config.h", "server/config.c", "client/config.c"),
        ("include/config.h", "src/config.h", "other/config.c"),
    ],
)
def test_bodies_in_the_folder_of_something_else_are_not_meant(paths: tuple[str, ...]) -> None:
    found = [one(path, 1.0 - n / 10) for n, path in enumerate(paths)]
    assert order(HOW, *found) == list(paths)


def test_files_of_other_sources_and_other_languages_are_no_bodies() -> None:
    header = one("wrap.h", 1.0)
    assert order(HOW, header, one("wrap.c", 0.8, repo="other"))[0] == "wrap.h"
    assert order(HOW, header, one("wrap.py", 0.8))[0] == "wrap.h"


def test_bodies_take_the_place_of_one_header_only() -> None:
    found = one("wrap.h", 1.0), one("wrap.hpp", 0.9), one("wrap.cc", 0.8)
    assert order(HOW, *found) == ["wrap.cc", "wrap.hpp", "wrap.h"]


def test_a_hostile_header_takes_little_time() -> None:
    text = "struct\n" * 1_400
    headers = [one(f"n{n}.h", 1.0, text) for n in range(50)]
    bodies = [one(f"n{n}.c", 0.8) for n in range(50)]
    begin = time.process_time()
    assert len(order(HOW, *headers, *bodies)) == 100
    assert time.process_time() - begin < 20
