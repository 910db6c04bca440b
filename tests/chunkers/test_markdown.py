from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pincite.chunkers import ChunkerConfig
from tests.chunkers.laws import SMALL, lawful_chunks
from tests.counting import grows_in_proportion

if TYPE_CHECKING:
    from pincite.model import Chunk

WORDS = "Some quite ordinary words that say what is meant here and nothing else at all. "


def headings(text: str, config: ChunkerConfig = SMALL) -> list[tuple[str, ...]]:
    return [chunk.headings for chunk in lawful_chunks("a.md", text, config)]


def holding(text: str, words: str) -> Chunk:
    return next(chunk for chunk in lawful_chunks("a.md", text) if words in chunk.text)


def test_a_section_knows_the_headings_above_it() -> None:
    text = f"# One\n\n{WORDS}\n\n## Two\n\n{WORDS}\n\n### Three\n\n{WORDS}\n\n## Four\n\n{WORDS}\n"
    assert headings(text) == [
        ("One",),
        ("One", "Two"),
        ("One", "Two", "Three"),
        ("One", "Four"),
    ]


def test_a_skipped_level_does_not_confuse_the_path() -> None:
    text = f"# One\n\n### Deep\n\n{WORDS}\n\n## Two\n\n{WORDS}\n"
    assert headings(text) == [("One", "Deep"), ("One", "Two")]


def test_headings_with_underlines_are_headings() -> None:
    text = f"One\n===\n\n{WORDS}\n\nTwo\n---\n\n{WORDS}\n"
    assert headings(text) == [("One",), ("One", "Two")]


def test_a_comment_in_a_fence_is_no_heading() -> None:
    text = f"# One\n\n```bash\n# not a heading\nls\n```\n\n~~~\n## nor this\n~~~\n\n{WORDS}\n"
    assert set(headings(text)) == {("One",)}


def test_a_heading_is_never_alone() -> None:
    text = "".join(f"## Part {number}\n\n{WORDS * 4}\n\n" for number in range(5))
    for chunk in lawful_chunks("a.md", text):
        assert chunk.text.strip("# \n") not in {f"Part {number}" for number in range(5)}


def test_a_heading_stays_with_its_text_even_when_the_text_must_be_split() -> None:
    text = "## Part\n\n```\n" + "a line of the listing\n" * 40 + "```\n"
    first, *_, last = lawful_chunks("a.md", text)
    assert first.text.startswith("## Part\n\n```\na line")
    assert last.text.count("\n") > 2  # the closing fence is not alone either


def test_markup_is_taken_out_of_headings() -> None:
    text = f"## The [`Agent`](agent.md) *class* {{ #the-agent }}\n\n{WORDS}\n"
    assert headings(text) == [("The Agent class",)]


def test_small_sections_of_one_parent_share_a_chunk() -> None:
    text = "# One\n\n## A\n\nfirst\n\n## B\n\nsecond\n\n## C\n\nthird\n"
    assert headings(text) == [("One",)]


def test_a_fence_is_kept_whole_where_it_fits() -> None:
    fence = "```python\n" + "value = compute(value)\n" * 5 + "```"
    text = f"# One\n\n{WORDS}\n\n{WORDS}\n\n{fence}\n\n{WORDS}\n"
    assert fence in holding(text, "value = ").text


def test_an_introduction_stays_with_what_it_introduces() -> None:
    text = f"# One\n\n{WORDS * 2}\n\nRun these:\n\n```\nmake\nmake test\n```\n\n{WORDS * 2}\n"
    assert "Run these:" in holding(text, "make test").text


def test_front_matter_is_covered_and_no_heading() -> None:
    text = f"---\ntitle: The title\n# a comment\n---\n\n# One\n\n{WORDS}\n"
    assert headings(text) == [(), ("One",)]
    assert headings(text, ChunkerConfig()) == [("One",)]
    assert lawful_chunks("a.md", text)[0].title == "The title"


def test_the_label_of_a_tab_reaches_the_headings() -> None:
    tab = "    ```\n" + "    some_call(argument)\n" * 6 + "    ```\n"
    text = f'# One\n\n=== "Python"\n\n{tab}\n=== "Go"\n\n{tab}\n'
    found = headings(text)
    assert ("One", "Python") in found
    assert ("One", "Go") in found


def test_the_label_reaches_every_part_of_a_long_tab() -> None:
    tab = "    ```\n" + "    some_call(argument)\n" * 60 + "    ```\n"
    found = headings(f'# One\n\n=== "Python"\n\n{tab}\n\nAfter the tab, some more words.\n')
    assert len(found) > 4
    assert set(found[:-1]) == {("One", "Python")}
    assert found[-1] == ("One",)


def test_the_title_of_an_admonition_reaches_the_headings_and_its_kind_does_not() -> None:
    block = f"    {WORDS}\n    {WORDS}\n"
    text = f'# One\n\n{WORDS}\n\n!!! warning "Mind the gap"\n{block}\n!!! note\n{block}\n'
    found = headings(text)
    assert ("One", "Mind the gap") in found
    assert not any("note" in path for path in found)


def test_the_parts_of_a_long_table_know_its_head() -> None:
    rows = "".join(f"| name{number} | what it means |\n" for number in range(40))
    chunks = lawful_chunks("a.md", f"# One\n\n| Name | Meaning |\n|---|---|\n{rows}")
    assert chunks[0].headings == ("One",)
    assert all(chunk.headings == ("One", "Name | Meaning") for chunk in chunks[1:])


def test_a_long_list_is_cut_between_its_items() -> None:
    items = "".join(f"- Item {number}. {WORDS}\n  {WORDS}\n" for number in range(12))
    for chunk in lawful_chunks("a.md", f"# One\n\n{items}")[1:]:
        assert chunk.text.startswith("- Item")


def test_link_definitions_and_comments_are_covered() -> None:
    lawful_chunks("a.md", f"# One\n\n{WORDS}\n\n[a]: http://a\n[b]: http://b\n\n<!-- hidden -->\n")


def test_a_carriage_return_alone_is_no_line() -> None:
    (chunk,) = lawful_chunks("a.md", "# One\rmore\r\nwords\r\n\r\nend")
    assert (chunk.start_line, chunk.end_line) == (1, 4)


@pytest.mark.parametrize("words", range(8, 40))
def test_only_a_line_that_is_too_long_by_itself_is_cut_inside(words: int) -> None:
    head = "| The name of the option | What it means to whoever sets it | What it was before that |"
    row = f"| `option` | {'some words, ' * words} | none |\n"
    text = f"## Options\n\n{head}\n|---|---|---|\n{row * 9}"
    for chunk in lawful_chunks("docs/options.md", text, ChunkerConfig()):
        assert chunk.start_column is None


def test_the_indent_of_a_long_line_belongs_to_its_first_part() -> None:
    chunks = lawful_chunks("a.md", f"- item\n\n    {'word and word ' * 90}\n")
    parts = [chunk for chunk in chunks if chunk.start_column is not None]
    assert parts[0].start_column == 1
    assert len(parts) > 3


def test_html_is_indexed_as_it_reads_and_cited_as_it_stands() -> None:
    row = "  <tr>\n    <td><b>{}</b></td>\n    <td>Tom &amp; <code>run_{}()</code></td>\n  </tr>\n"
    rows = "".join(row.format(f"Name {number}", number) for number in range(12))
    table = f"<table>\n  <tr>\n    <th>Who</th>\n    <th>Does what</th>\n  </tr>\n{rows}</table>\n"
    text = f"# One\n\n{WORDS}\n\n{table}\n```xml\n<artifact>kept</artifact>\n```\n\n{WORDS}\n"
    chunks = lawful_chunks("a.md", text, ChunkerConfig(60, 120, 10))
    tables = [chunk for chunk in chunks if "<td>" in chunk.text]
    assert len(tables) > 3
    assert tables[0].plain is not None
    assert "Name 0 | Tom & run_0()" in tables[0].plain
    assert all("<t" not in (chunk.plain or "<t") for chunk in tables)
    assert all(chunk.headings == ("One", "Who | Does what") for chunk in tables[1:])
    (listing,) = (chunk for chunk in chunks if "kept" in chunk.text)
    assert "<artifact>kept</artifact>" in (listing.plain or listing.text)


@pytest.mark.parametrize(
    "text",
    ['<svg viewBox="0 0 1 1">\n<path d="M0 1"/>\n</svg>\n', "<table><tr><td></td></table>\n"],
)
def test_markup_without_words_or_table_stays_as_it_is(text: str) -> None:
    (chunk,) = lawful_chunks("a.md", text)
    assert chunk.plain is None


@pytest.mark.parametrize(
    ("part", "times"), [("<a", 12_000), ("<!--", 6_000), ("<tr>", 6_000), ("<p></p>\n\n", 1_200)]
)
def test_hostile_html_takes_time_in_proportion(part: str, times: int) -> None:
    def cut(size: int) -> None:
        lawful_chunks("a.md", f"<div>\n{part * size}\n</div>\n", ChunkerConfig())

    assert grows_in_proportion(cut, times)


@pytest.mark.parametrize(
    "fence",
    [
        "````\n```\n# no\n```\n# no\n````",
        "~~~ bash\n# no\n```\n# no\n~~~",
        "- a\n\n  ```\n  # no\n  ```",
        '=== "Tab"\n    ```sh\n    # no\n    ```\n    # no either',
        "1. a\n\n    ~~~~\n    ~~~\n    # no\n    ~~~~",
        "> ```\n> # no\n> ```",
        '??? tip "A tip"\n\n    ```\n    # no\n\n    ## no\n    ```',
        "   ```\n   # no\n   ```",
        "```\n# never closed\n\n## no",
    ],
)
def test_no_line_of_a_listing_is_a_heading(fence: str) -> None:
    text = f"# One\n\n{WORDS}\n\n{WORDS}\n\n{fence}\n"
    for config in (SMALL, ChunkerConfig(16, 30, 5)):
        for path in headings(text, config):
            assert not any("no" in part.split() or "never" in part for part in path)


def test_a_callout_stays_whole_and_its_mark_is_no_heading() -> None:
    text = f"# One\n\n{WORDS}\n\n> [!NOTE]\n> Mind this,\n> and this.\n\n{WORDS}\n\n{WORDS}\n"
    assert "> [!NOTE]\n> Mind this,\n> and this." in holding(text, "[!NOTE]").text
    assert set(headings(text)) == {("One",)}
