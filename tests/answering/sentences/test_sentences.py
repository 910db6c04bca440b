"""Where sentences end."""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answering.sentences.split import split
from tests.counting import grows_in_proportion


def texts(text: str) -> list[str]:
    return [text[one.start : one.end] for one in split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "See Fig. 3, e.g. in J. Smith et al. and so on. Two.",
            ["See Fig. 3, e.g. in J. Smith et al. and so on.", "Two."],
        ),
        ("Version 1.2.3 takes 3.5 ms. Two.", ["Version 1.2.3 takes 3.5 ms.", "Two."]),
        (
            "Keys rotate. [1] Backups run [2, 3]. Two [4].",
            ["Keys rotate. [1]", "Backups run [2, 3].", "Two [4]."],
        ),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("Lines of\na paragraph are\none sentence.", ["Lines of\na paragraph are\none sentence."]),
        ("日本語です。次の文。[1]", ["日本語です。", "次の文。[1]"]),
        ("It is `a. B` and [a. link](x.y). Two.", ["It is `a. B` and [a. link](x.y).", "Two."]),
        ("", []),
    ],
)
def test_a_text_is_split_where_a_reader_would(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_items_headings_rows_and_code_are_by_themselves() -> None:
    text = "# Keys\n\n1. First do. Then\n2. rest\n- x\n\n| a | b |\n```py\nx = 1. \n```\nEnd."
    found = split(text)
    assert texts(text) == [
        *("# Keys", "First do.", "Then", "rest", "x", "| a | b |", "x = 1.", "End."),
    ]
    assert [one.heading for one in found] == [True] + 7 * [False]
    assert [one.code for one in found].index(True) == 6


def kinds(text: str, language: str = "text") -> list[str]:
    found = []
    for one in split(text, language):
        mark = "#" * one.heading + "$" * one.code + "-" * one.item + ":" * one.label
        found.append(f"{mark}{text[one.start : one.end].strip()}")
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run:\n\n[source,sh]\n----\nx --all\n----\n\nEnd.", ["Run:", "$x --all", "End."]),
        ("[source]\n----\nls\n----\nEnd.", ["$ls", "End."]),
        ("Run it:\n----\nx\n\n*.log\n----\nEnd.", ["Run it:", "$x", "$*.log", "End."]),
        ("....\nrestart: no\n....\nEnd.", ["$restart: no", "End."]),
        (".Example\n----\nx --all\n----\nEnd.", ["#.Example", "$x --all", "End."]),
        ("[NOTE]\n====\nDo not\n\nrestart it\n====\n\nEnd.", ["Do not", "restart it", "End."]),
        ("****\nIt is restarted\n****\nEnd.", ["It is restarted", "End."]),
        ("====\n----\na b --c\n----\nText of it\n====\nEnd.", ["$a b --c", "Text of it", "End."]),
        ("--------\nHelpers. They\nrotate it.\n--------", ["Helpers.", "They\nrotate it."]),
        ("====\nKeys\n====\n\nText.\n\nLocks\n====\nMore.", ["#Keys", "Text.", "#Locks", "More."]),
        (
            "My keys\n----\nText.\n\nMy locks\n----\nEnd.",
            ["#My keys", "Text.", "#My locks", "End."],
        ),
        ("----\n\nText.\n\nMy keys\n----\nEnd.", ["Text.", "#My keys", "End."]),
        ("-----\nA\n\nB\n-----\nC\n\n----\n----\nD", ["A", "#B", "C", "D"]),
    ],
)
def test_blocks_of_asciidoc_are_told_from_titles(text: str, expected: list[str]) -> None:
    assert kinds(text, "asciidoc") == expected


def test_a_listing_of_asciidoc_ends_at_a_line_of_its_length() -> None:
    text = "[source,sql]\n----\n  count\n-------\n 99\n ----\n----\n\nEnd."
    assert kinds(text, "asciidoc") == ["$count", "$-------", "$99", "$----", "End."]
    text = ".Output\n----\nNAME\n-----\nIt is not so.\n----\n\nEnd."
    assert kinds(text, "asciidoc")[1:] == ["$NAME", "$-----", "$It is not so.", "End."]


@pytest.mark.parametrize("language", ["text", "markdown", "rst", "pdf", "org"])
@pytest.mark.parametrize("rule", ["----", "....", "====", "////"])
def test_rules_of_other_languages_begin_no_block(language: str, rule: str) -> None:
    text = f"Log:\n\n{rule}\n1.2\nIt is 5 MB.\n{rule}\n1.1\nIt was 4 MB.\n{rule}\n\nEnd."
    assert kinds(text, language) == ["Log:", "1.2\nIt is 5 MB.", "1.1\nIt was 4 MB.", "End."]


def test_plain_text_has_blocks_of_asciidoc_below_their_attributes() -> None:
    text = "[source,sh]\n----\nx --all\n----\n\n[NOTE]\n====\nMind\n\nit\n====\nEnd."
    assert kinds(text) == ["$x --all", "Mind", "it", "End."]
    assert kinds(text, "markdown")[0] == "#x --all"


def test_comments_are_left_out_of_the_languages_that_have_them() -> None:
    text = "Text.\n\n.. Not so\n   at all.\n\n   Nor this.\n\n..\n   Hidden\n\n..\n\n  Seen.\n"
    assert kinds(text, "rst") == ["Text.", "Seen."]
    assert kinds(".. and so on", "text") == ["..", "and so on"]
    text = "// Not so\n:toc: left\nText.\n\n////\nNor\n\nthis\n////\nEnd. // so"
    assert kinds(text, "asciidoc") == ["Text.", "End.", "// so"]
    assert kinds("// Not so", "text") == ["// Not so"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".. toctree::\n   :maxdepth: 2\n   :hidden:\n\n   a\n   b\n\nText.", ["Text."]),
        (".. raw:: html\n\n   <b>\n\nText.", ["Text."]),
        (
            ".. code-block:: sh\n   :caption: a\n      long one\n   :linenos:\n\n   x\n\nText.",
            ["$x", "Text."],
        ),
        (".. function:: f(x)\n   :noindex:\n\n   :param x: It.", ["#:f(x)", "-:param x: It."]),
        (".. note::\n   :class: wide\n\n   Text.", ["Text."]),
        (".. only:: html\n\n   Text.", ["Text."]),
        (".. py:module:: a\n   :synopsis: b\n\nText.", ["Text."]),
        (".. rst-class:: lead\n\nText.", ["Text."]),
        (".. sectionauthor:: A B <a@b.org>\n\nText.", ["Text."]),
        (".. autofunction:: a.b\n\nText.", ["Text."]),
        (".. ipython:: python\n\n   x = 1.\n\nText.", ["$x = 1.", "Text."]),
        (".. c:function:: int f()\n\n   Text.", ["#:int f()", "Text."]),
        (".. WARNING:: It rusts.", ["WARNING:: It rusts."]),
        (".. Code-Block:: sh\n\n   x", ["$x"]),
        (
            ".. deprecated-removed:: 3.11 3.13\n   Use x.",
            ["deprecated-removed:: 3.11 3.13\n   Use x."],
        ),
        (".. versionremoved:: 3.13", ["versionremoved:: 3.13"]),
        (".. availability:: Unix.", ["availability:: Unix."]),
    ],
)
def test_names_and_options_of_directives_are_told_from_words(
    text: str, expected: list[str]
) -> None:
    assert kinds(text, "rst") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '=== "Linux"\n\n    Run x.\n\n=== "macOS"\n\n    Run y.',
            ["#:Linux", "Run x.", "#:macOS"],
        ),
        ('???+ tip inline end "Mind it"\n    It rusts.', ["#:Mind it", "It rusts."]),
        ('!!! warning ""\n    It rusts.', ["It rusts."]),
        ("!!! Do it now, or not", ["!!!", "Do it now, or not"]),
        (":::danger Do not\nIt rusts.\n:::\nEnd.", ["#:Do not", "It rusts.", "End."]),
        ("::: tip[Mind it]{.x}\nIt rusts.\n:::", ["#:Mind it", "It rusts."]),
        ("::: a.b.C\n\nText.", ["Text."]),
    ],
)
def test_titles_of_boxes_and_tabs_are_labels(text: str, expected: list[str]) -> None:
    assert kinds(text, "markdown")[: len(expected)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```x``` is it. So.", ["```x``` is it.", "So."]),
        ("~~~x~~~ is it.", ["~~~x~~~ is it."]),
        ("- ```sh\n  x\n  ```\n\nEnd.", ["$x", "End."]),
        ("1. ```\n   x\n   ```\n2. End.", ["$x", "-End."]),
        ("> ```\n> x\n> ```\n\nEnd.", ["$> x", "End."]),
        ("> ```\n> x\n\nEnd.", ["$> x", "End."]),
        ("````\n```\nx\n```\n````\nEnd.", ["$```", "$x", "$```", "End."]),
        ("```\nx\n``` [1]\n\nEnd.", ["$x", "[1]", "End."]),
        ("```\nx\n``` So it is.\nEnd.", ["$x", "So it is.", "End."]),
        ("```\n```sh\n```\nEnd.", ["$```sh", "End."]),
    ],
)
def test_a_fence_has_a_line_of_its_own(text: str, expected: list[str]) -> None:
    assert kinds(text, "markdown") == expected


def test_tildes_of_restructuredtext_are_rules() -> None:
    text = "~~~~\nKeys\n~~~~\n\nText."
    for language in ("rst", "asciidoc"):
        assert kinds(text, language) == ["#Keys", "Text."]
    assert kinds(text, "markdown") == ["$Keys", "Text."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How do I?\n---------\n\nSo.", ["#How do I?", "So."]),
        ("=====\n Keys\n=====\nText.", ["#Keys", "Text."]),
        ("Keys\n~~~~\n\nText.\n\nLocks\n~~~~~\n", ["#Keys", "Text.", "#Locks"]),
        ("Text of\na paragraph.\n---\nMore.", ["Text of\na paragraph.", "More."]),
        ("== Keys\nText.\n+\nMore.", ["#== Keys", "Text.", "More."]),
        (".. _a-b:\n\n.. image:: x.png\n\nText.\n\n.. |a| image:: b\n", ["Text."]),
        (".. [#f1] A note\n   of it.\n.. [2] B\n.. [3]\n   C", ["A note\n   of it.", "B", "C"]),
        (".. option:: --all\n\n   Takes all.", ["#:--all", "Takes all."]),
        (".. note:: It rusts.\n\nText.", ["It rusts.", "Text."]),
        (".. deprecated:: 3.9\n   Use x.\n", ["deprecated:: 3.9\n   Use x."]),
        (
            ".. warning:: It rusts.\n\n.. versionadded:: 3.2",
            ["warning:: It rusts.", "versionadded:: 3.2"],
        ),
        (".. caution::\n\n   It rusts.", ["It rusts."]),
        (".. code-block:: sh\n\n   $ x\n   $ y\nText.", ["$$ x", "$$ y", "Text."]),
        ("Run this::\n\n  $ x\n\nText.", ["Run this::", "$$ x", "Text."]),
        (
            "[[keys]]\n`-a`::\n`-b`::\n\tTakes all. More.",
            ["-`-a`::\n`-b`::\n\tTakes all.", "More."],
        ),
        ("[[x]]key:: A thing.\n[source,sh]\nText.", ["key:: A thing.", "Text."]),
        ("===  ===\nA    B\n===  ===\nx    y\n===  ===", ["A    B", "x    y"]),
        ('!!! note "Mind it"\n    It rusts.', ["#:Mind it", "It rusts."]),
        ("??? note\n    It rusts.", ["It rusts."]),
        ("Text:\n~~~\nx\n~~~\n", ["Text:", "$x"]),
    ],
)
def test_marks_of_documentation_are_no_sentences(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


def test_a_citation_of_lines_is_never_split() -> None:
    cited = "acme/docs@c0ffee:docs/a.b.md#L3C1-L9C4"
    assert texts(f"It is in {cited}. Two.") == [f"It is in {cited}.", "Two."]


@given(st.text(alphabet=".!?[]1, \n`#|-aB。\"'", max_size=300))
def test_sentences_are_in_order_and_lose_no_word(text: str) -> None:
    found = split(text)
    ends = [0]
    for one in found:
        assert ends[-1] <= one.start < one.end <= len(text)
        ends.append(one.end)
    kept = "".join(texts(text))
    if "`" not in text:
        assert kept.count("a") == text.count("a")


@pytest.mark.parametrize(
    "text",
    [
        ".",
        "[1]",
        "`a",
        "[a](",
        "!?",
        "- ",
        "#",
        "e.g. ",
        "a.\n",
        "a::\n",
        "a\n--\n",
        "----\n",
        "a\n----\n",
        "----\nabcde\n",
        " -",
        "~~~\n",
    ],
)
def test_hostile_repetition_takes_time_in_proportion(text: str) -> None:
    for language in ("text", "markdown", "rst", "asciidoc"):
        run = partial(_split_repeated, text, language)
        assert grows_in_proportion(run, 10_000)


def _split_repeated(text: str, language: str, size: int) -> object:
    return split(text * (size // len(text)), language)


def steps(text: str, language: str) -> int:
    """How many lines of Python run to split it. Patterns are not counted."""
    count = 0

    def line(*_: Any) -> Any:
        nonlocal count
        count += 1
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        split(text, language)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(
    "text",
    [
        *("```\n", "> ```\n", "` `` ", "``` x\n", "..\n", ".. a\n  b\n", ".. a::\n  :b:\n"),
        *("////\n", "----\na\n----\n", '=== "a"\n', "::: a\n", "[source]\n----\n", "~~~\n"),
    ],
)
@pytest.mark.parametrize("language", ["text", "markdown", "rst", "asciidoc"])
def test_twice_the_text_takes_twice_the_steps(text: str, language: str) -> None:
    assert steps(text * 800, language) <= 2.2 * steps(text * 400, language)


@pytest.mark.parametrize(
    "text",
    ["::: a ", "::: a" + 50_000 * " ", "!!! a ", "> " * 50_000, '=== "', "- ", "::: a["],
)
def test_long_lines_take_time_in_proportion(text: str) -> None:
    begun = time.process_time()
    split(text * (400_000 // len(text)) + "{x", "markdown")
    split(text * (400_000 // len(text)) + "{x", "rst")
    assert time.process_time() - begun < 10
