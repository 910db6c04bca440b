"""The page of benchmarks has lines that a reader of its source can read."""

from __future__ import annotations

import re

import pytest
from bench.frame import RESULTS, ROOT, load_results
from bench.report import fill, render, wrapped
from hypothesis import example, given
from hypothesis import strategies as st

#: What the page says of a table whose results are no longer in the file.
OLDER = "These figures are older than the file of results, which no longer has them."
_WORDS = st.lists(
    st.sampled_from(["-", "*", "+", "#", "##", "1.", "2)", "|", ">", "word", "`a b`", "x" * 130]),
    max_size=60,
)


def test_prose_is_wrapped_and_rows_of_tables_are_not() -> None:
    row = "| " + "cell " * 60 + "|"
    text = "Measured with " + "a package, " * 30 + "at the end.\n\n" + row
    first, *others = wrapped(text).split("\n")
    assert 100 < len(first) <= 120
    assert others[-2:] == ["", row]
    assert max(map(len, wrapped(text).removesuffix(row).split("\n"))) <= 120


def test_an_item_of_a_list_stays_one_item() -> None:
    lines = wrapped("- `qdrant`: " + "not measured " * 20).split("\n")
    assert len(lines) > 1
    assert all(line.startswith("  ") and line[2] != " " for line in lines[1:])


@given(_WORDS)
@example(["word"] * 23 + ["-"] * 3 + ["word"] * 30)
@example(["word"] * 24 + ["1."])
def test_wrapping_changes_no_word_and_makes_no_item_heading_or_row(words: list[str]) -> None:
    line = " ".join(words)
    lines = wrapped(line).split("\n")
    assert " ".join(lines).split() == line.split()
    begins = [one.split()[0] for one in lines[1:]]
    assert not set(begins) & {"-", "*", "+", "#", "##", "1.", "2)", "|", ">"}


def test_text_around_the_markers_stays() -> None:
    page = "Before.\n<!-- begin a -->\nold\n<!-- end a -->\nAfter.\n"
    assert fill(page, {"a": "new"}) == (
        "Before.\n<!-- begin a -->\n\nnew\n\n<!-- end a -->\nAfter.\n"
    )
    with pytest.raises(ValueError, match="no lines <!-- begin b -->"):
        fill(page, {"b": "new"})


def test_every_table_of_the_page_is_that_of_a_result() -> None:
    """Except for tables that the page itself calls older than the results."""
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    results = load_results(RESULTS / "latest.json").subjects
    parts = re.findall(r"(.*?)<!-- begin (\w+) -->\n(.*?)<!-- end \2 -->", page, re.DOTALL)
    shown = {name for before, name, table in parts if table.strip()}
    older = {
        name
        for before, name, _ in parts
        if OLDER in " ".join(before.rsplit("\n## ", 1)[-1].split())
    }
    assert shown - older == set(results)
    assert not older & set(results)


def test_the_tables_of_the_page_are_those_of_the_results() -> None:
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    results = load_results(RESULTS / "latest.json").subjects
    assert fill(page, {name: render(name, entry) for name, entry in results.items()}) == page
