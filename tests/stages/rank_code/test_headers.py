"""Headers of C, C++ and Objective-C, and the files with the bodies."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.stages.rank_code.files import RatedFile
from pincite.stages.rank_code.headers import bodies_first
from tests.builders import chunk
from tests.counting import grows_in_proportion

CODE = frozenset(("main",))
ENGLISH = informative_terms("english")
HOW = "how are lines folded"
PROTOTYPE = "/* Folds the lines of a text. */\nint fold(struct text *text);\n"


def one(path: str, score: float, text: str = PROTOTYPE, **values: Any) -> Candidate:
    values = {"symbols": ("fold",), **values}
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
    [
        *(
            "fold",
            "which flags are there for folding",
            "where is the interface of folding declared",
        ),
        *("which header do I include to fold lines", "What header file folds lines"),
        *("which file do we need to import for folding", "public API for folding lines"),
        *("signature of the function that folds lines", "prototype for folding lines"),
        *("which constants are there for folding", "typedef for folded lines"),
    ],
)
def test_a_question_for_a_name_or_for_declarations_gets_the_header(question: str) -> None:
    assert order(question, one("wrap.h", 1.0), one("wrap.c", 0.8))[0] == "wrap.h"


@pytest.mark.parametrize(
    "question", ["how are headers of mails folded", "how is the signature of a line folded"]
)
def test_a_question_for_headers_of_messages_gets_the_bodies(question: str) -> None:
    assert order(question, one("wrap.h", 1.0), one("wrap.c", 0.8))[0] == "wrap.c"


@pytest.mark.parametrize(
    "text",
    [
        *(PROTOTYPE, "#ifndef FOLD_H\n#define FOLD_H\n" + PROTOTYPE, "- (void)fold:(int)width;"),
        "#ifndef FOLD_H\n#define FOLD_H 1\n" + PROTOTYPE,
        "#if !defined(FOLD_H)\n# define FOLD_H /* read once */\n" + PROTOTYPE,
        '#define API __attribute__((visibility("default")))\n' + PROTOTYPE,
        "# define API \\\n    __declspec(dllexport)\n" + PROTOTYPE,
        "#define LIKE(a, b) __attribute__((format(printf, a, b)))\n" + PROTOTYPE,
        "#define INLINE static inline\n" + PROTOTYPE,
    ],
)
def test_prototypes_are_all_that_a_header_may_have(text: str) -> None:
    assert order(HOW, one("wrap.h", 1.0, text), one("wrap.m", 0.8))[0] == "wrap.m"


@pytest.mark.parametrize(
    "text",
    [
        *("struct text {\n  int size;\n};", "typedef enum {\n  A\n} kind;"),
        "static inline int fold(struct text *text) {\n  return 0;\n}",
        "inline int Text::fold() const noexcept\n{\n  return 0;\n}",
        "template <class T>\nint fold(T &text);",
        *("@interface Text : NSObject\n- (void)fold;\n@end", "@property (nonatomic) int width;"),
        "/* Longest folded line, in bytes. */\n#define WIDTH 78\n\n" + PROTOTYPE,
        "#define FOLD(text) fold(&(text))\n" + PROTOTYPE,
        "#ifndef WIDTH\n#define WIDTH 78\n#endif\n" + PROTOTYPE,
        "#ifndef FOLD_H\n#define WIDTH 1\n" + PROTOTYPE,
        "#define FOLD_SIGN __builtin_fold(1)\n" + PROTOTYPE,
        "typedef int (*fold_callback)(const char *line);\n" + PROTOTYPE,
        *("extern int width;", "/* Folded lines. */\n#include <stdio.h>\n"),
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
        ("include/fold.h", "tools/cli/fold.c"),
        ("components/radio/include/fold.h", "components/audio/src/fold.c"),
        ("server/config.h", "client/src/config.c"),
    ],
)
def test_a_file_of_another_folder_must_define_what_the_header_declares(
    paths: tuple[str, str],
) -> None:
    header, body = paths
    other = one(body, 0.8, symbols=("start", "unfold"))
    assert order(HOW, one(header, 1.0), other) == [header, body]
    assert order(HOW, one(header, 1.0), one(body, 0.8)) == [body, header]
    beside = one(header.replace(".h", ".c"), 0.8, symbols=("start",))
    assert order(HOW, one(header, 1.0), beside)[0] == beside.chunk.path


def test_a_constant_of_its_own_is_nothing_that_the_header_declares() -> None:
    body = one("src/wrap.c", 0.8, symbols=("text",), named_values=1)
    assert order(HOW, one("include/wrap.h", 1.0), body)[0] == "include/wrap.h"


def test_of_several_files_that_define_it_the_nearest_is_meant() -> None:
    header = one("parts/radio/include/timer.h", 1.0)
    far, near = one("parts/audio/src/timer.c", 0.9), one("parts/radio/src/timer.c", 0.8)
    assert order(HOW, header, far, near)[0] == near.chunk.path


def test_files_of_other_sources_and_other_languages_are_no_bodies() -> None:
    header = one("wrap.h", 1.0)
    assert order(HOW, header, one("wrap.c", 0.8, repo="other"))[0] == "wrap.h"
    assert order(HOW, header, one("wrap.py", 0.8))[0] == "wrap.h"


def test_bodies_take_the_place_of_one_header_only() -> None:
    found = one("wrap.h", 1.0), one("wrap.hpp", 0.9), one("wrap.cc", 0.8)
    assert order(HOW, *found) == ["wrap.cc", "wrap.hpp", "wrap.h"]


def test_headers_and_files_of_one_name_take_linear_time() -> None:
    query = prepare(Question(HOW), PrepareConfig())

    def pairs(size: int) -> object:
        headers = [RatedFile(1.0, (), [(1.0, one(f"a{n}/include/w.h", 1.0))]) for n in range(size)]
        bodies = [RatedFile(0.5, (), [(1.0, one(f"a{n}/src/w.c", 0.5))]) for n in range(size)]
        return bodies_first(query, headers + bodies)

    assert grows_in_proportion(pairs, 100)


def test_headers_and_files_that_share_many_names_take_linear_time() -> None:
    query = prepare(Question(HOW), PrepareConfig())
    names = tuple(f"fold_{n}" for n in range(300))
    text = "".join(f"int {name}(int width);\n" for name in names)

    def pairs(size: int) -> object:
        headers = [
            RatedFile(1.0, (), [(1.0, one(f"include/c{n}/w.h", 1.0, text))]) for n in range(size)
        ]
        bodies = [
            RatedFile(0.5, (), [(1.0, one(f"src/d{n}/w.c", 0.5, symbols=names))])
            for n in range(size)
        ]
        return bodies_first(query, headers + bodies)

    assert grows_in_proportion(pairs, 10)


def test_a_header_with_many_namesakes_finds_the_file_that_shares_most_folders() -> None:
    header = one("a/b/c/include/timer.h", 1.0)
    bodies = [one(f"x{n}/b/src/timer.c", 0.9) for n in range(70)]
    near, farther = one("a/b/c/src/timer.c", 0.5), one("a/b/src/timer.c", 0.8)
    assert order(HOW, header, *bodies, farther, near)[0] == near.chunk.path


@pytest.mark.parametrize(
    "text",
    [
        *(
            "struct\n",
            "typedef\n",
            "typedef (",
            "#define x ",
            ") a ",
            "#define x(a, ",
            "#ifndef x\n",
        ),
        *("#define x \\\n\\\n", "#if !defined((((", "#ifndef x\n\n#define x "),
    ],
)
def test_a_hostile_header_takes_linear_time(text: str) -> None:
    def ranked(size: int) -> object:
        return order(HOW, one("n.h", 1.0, text * size), one("n.c", 0.8))

    assert grows_in_proportion(ranked, 1_000)
