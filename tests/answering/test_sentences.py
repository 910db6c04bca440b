"""Where sentences end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.answering.sentences import split
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


def kinds(text: str) -> list[str]:
    found = []
    for one in split(text):
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
    assert kinds(text) == expected


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
    assert grows_in_proportion(lambda size: split(text * (size // len(text))), 10_000)
