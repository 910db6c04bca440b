"""Markdown that somebody else wrote, as a tree that a page may draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.readers.markdown_tree import MOST_NODES, MOST_PIECES, NAMES, Lines, markdown_tree

ALL = Lines(0, 10**6)


def nodes(tree: list[Any]) -> Iterator[Any]:
    for one in tree:
        yield one
        if not isinstance(one, str):
            yield from nodes(one[2])


def named(tree: list[Any], name: str) -> list[dict[str, Any]]:
    """The attributes of the nodes of that name."""
    return [one[1] for one in nodes(tree) if not isinstance(one, str) and one[0] == name]


def text_of(tree: list[Any]) -> str:
    return "".join(one for one in nodes(tree) if isinstance(one, str))


def cited(tree: list[Any]) -> str:
    """The texts that are marked."""
    marked = [one for one in nodes(tree) if not isinstance(one, str)]
    return "|".join(text_of(one[2]) for one in marked if one[0] == "cited" or one[1].get("cited"))


def drawn(text: str, first: int = 0, end: int = 10**6) -> list[Any]:
    return markdown_tree(text, ALL, Lines(first, end)).nodes


def test_single_lines_of_a_paragraph_are_marked() -> None:
    assert cited(drawn("one\ntwo *and\nthree*\n", 1, 2)) == "two |and"


def test_a_row_of_a_table_an_item_of_a_list_and_a_line_of_code_are_marked() -> None:
    text = "| a | b |\n|---|---|\n| c | d |\n\n- x\n- y\n\n```py\nz = 1\nw = 2\n```\n"
    assert cited(drawn(text, 2, 3)) == "c|d"
    assert cited(drawn(text, 5, 6)) == "y"
    assert cited(drawn(text, 9, 10)) == "w = 2"


def test_a_line_break_within_code_marks_the_whole_paragraph() -> None:
    assert cited(drawn("a `b\nc` d\ne\n", 2, 3)) == "a |b c| d|e"


def by_words(language: str, text: str) -> list[list[tuple[str, str]]]:
    """Colours each word but `plain`; changes texts with a `!`."""
    lines = text.replace("!", "?").split("\n")
    return [[(language, one) if one != "plain" else ("", one) for one in [line]] for line in lines]


@pytest.mark.parametrize(
    ("info", "language"),
    [
        *(("python", "python"), ("Rust,ignore", "rust"), ("{.sh x=1}", "sh"), ("c++ a", "c++")),
        *(("", None), ("!", None)),
    ],
)
def test_code_is_coloured_in_the_language_of_its_fence(info: str, language: str | None) -> None:
    text = f"```{info}\nx = 1\nplain\n```\n"
    tree = markdown_tree(text, ALL, Lines(1, 2), by_words).nodes
    assert [one["kind"] for one in named(tree, "coloured")] == ([language] if language else [])
    assert text_of(tree) == "x = 1plain"
    assert cited(tree) == "x = 1"


def test_colours_change_no_text_and_are_left_out_above_the_limit() -> None:
    for text in ("```x\na!b\n```\n", "```x\n" + "a\n" * (MOST_PIECES + 1) + "```\n"):
        coloured = markdown_tree(text, ALL, ALL, by_words)
        assert coloured == markdown_tree(text, ALL, ALL)


def test_front_matter_is_coloured_as_what_it_is() -> None:
    for mark, kind, entry in (("---", "yaml", "a:"), ("+++", "toml", "a=")):
        tree = markdown_tree(f"{mark}\n{entry}\n{mark}\n\nb\n", ALL, ALL, by_words).nodes
        assert [one["kind"] for one in named(tree, "coloured")] == [kind] * 3


def test_a_fence_that_opens_before_the_window_is_one_in_it() -> None:
    text = "```\n" + "# no heading\n" * 50 + "```\n"
    found = markdown_tree(text, Lines(20, 30), Lines(25, 26))
    assert {one[0] for one in nodes(found.nodes) if not isinstance(one, str)} == {"pre", "line"}
    assert found.marked


def test_only_blocks_of_the_window_are_drawn() -> None:
    found = markdown_tree("one\n\ntwo\n\nthree\n", Lines(2, 3), Lines(2, 3))
    assert text_of(found.nodes) == "two"


def test_no_line_marks_nothing() -> None:
    assert not markdown_tree("[```\n[```\n", ALL, Lines(1, 1)).marked


def test_what_draws_nothing_marks_nothing() -> None:
    assert not markdown_tree("[a]: http://x.example\n\ntext\n", ALL, Lines(0, 1)).marked


def test_the_lines_before_the_text_that_are_for_programs_are_shown_as_they_are() -> None:
    found = drawn("---\ntitle: a\n---\n# b\n", 1, 2)
    assert found[0][0] == "pre"
    assert cited(found) == "title: a"
    assert cited(drawn("---\ntitle: a\n---\nb\n", 3, 4)) == "b"


@pytest.mark.parametrize(
    "text",
    [
        "<script>x</script>",
        "<img src=x onerror=x>",
        "a <svg onload=x> b",
        "<!-- x -->",
        "<https://x.example/<script>>",
    ],
)
def test_html_is_a_text(text: str) -> None:
    found = drawn(f"{text}\n")
    assert text_of(found) == text


@pytest.mark.parametrize(
    "to",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:x",
        "data:text/html,x",
        "data:image/svg+xml,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example",
        "../a.md",
        "#anchor",
        "http:evil",
        "&#106;avascript:x",
        "\\javascript:x",
    ],
)
def test_only_links_to_http_and_https_lead_somewhere(to: str) -> None:
    assert not any(named(drawn(f"[t]({to}) <{to}>\n"), "a"))


def test_a_link_keeps_its_address_and_a_picture_its_name_alone() -> None:
    found = drawn("[t](https://x.example/a) ![alt](https://x.example/p.png)\n")
    assert named(found, "a") == [{"href": "https://x.example/a"}]
    assert named(found, "picture") == [{}]
    assert text_of(found) == "t alt"
    assert "p.png" not in str(found)


def test_a_huge_table_is_cut_and_says_so() -> None:
    found = markdown_tree("|a" * 200 + "|\n" + "|-" * 200 + "|\n" + "|1\n" * 300, ALL, ALL)
    assert found.cut
    assert sum(1 for _ in nodes(found.nodes)) <= 2 * MOST_NODES


@settings(max_examples=150)
@given(
    st.lists(
        st.sampled_from(
            [*"[]()*_`>#|-+~<!&\\:\n ", "a", "\n\n", "```\n", "- ", "> ", "http://x", "javascript:"]
        ),
        max_size=80,
    ).map("".join),
    st.integers(0, 10),
    st.integers(0, 10),
)
def test_whatever_the_text_nodes_are_those_that_are_known(text: str, first: int, many: int) -> None:
    found = markdown_tree(text, ALL, Lines(first, first + many))
    for one in nodes(found.nodes):
        if isinstance(one, str):
            continue
        name, attributes, _ = one
        assert name in NAMES
        assert set(attributes) <= {"cited", "start", "href"}
        if "href" in attributes:
            assert urlsplit(attributes["href"]).scheme in ("http", "https")
    if not many:
        assert not found.marked


def test_a_byte_order_mark_hides_no_heading() -> None:
    text = "# Beta\n\nwords\n"
    every = Lines(0, 3)
    assert markdown_tree(f"\ufeff{text}", every, Lines(0, 1)) == markdown_tree(
        text, every, Lines(0, 1)
    )
