"""A heading stays with its section: no chunk ends with the beginning of a section that goes on."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.chunkers import ChunkerConfig
from tests.chunkers.laws import lawful_chunks

SIZES = ChunkerConfig()
FORMATS = ("md", "rst", "html", "adoc", "org", "3")
ITEM = "The option now accepts a path as well as the name of a module in the folder."


def heading(suffix: str, title: str, level: int = 2) -> str:
    """A heading in the form of this file type."""
    if suffix == "rst":
        return f"{title}\n{'=-~'[level - 1] * len(title)}\n\n"
    if suffix == "html":
        return f"<h{level}>{title}</h{level}>\n"
    if suffix == "3":
        return f".{'SH' if level == 2 else 'SS'} {title}\n"
    return f"{ {'md': '#', 'adoc': '=', 'org': '*'}[suffix] * level } {title}\n\n"


def words(suffix: str, text: str) -> str:
    """A paragraph in this file type."""
    if suffix == "html":
        return f"<p>{text}</p>\n"
    return f".PP\n{text}\n" if suffix == "3" else f"{text}\n\n"


def items(suffix: str, count: int) -> str:
    """A list in this file type."""
    if suffix == "html":
        return "<ul>\n" + f"<li>{ITEM}</li>\n" * count + "</ul>\n"
    if suffix == "3":
        return f".IP *\n{ITEM}\n" * count
    return f"- {ITEM}\n" * count + "\n"


def manual(suffix: str, text: str) -> str:
    """The whole file."""
    return f".TH a 3\n{text}" if suffix == "3" else text


def texts(suffix: str, text: str) -> list[str]:
    return [chunk.text for chunk in lawful_chunks(f"a.{suffix}", manual(suffix, text), SIZES)]


def holding(suffix: str, text: str, title: str) -> str:
    return next(chunk for chunk in texts(suffix, text) if title in chunk)


def release(suffix: str, version: str, count: int) -> str:
    """A section of a list of changes: a heading, a short line and a list."""
    said = words(suffix, f"Released in the year of {version}")
    return heading(suffix, f"Version {version}") + said + items(suffix, count)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_heading_and_a_short_line_stay_with_a_list_that_is_too_long(suffix: str) -> None:
    text = release(suffix, "three", 6) + release(suffix, "two", 30) + release(suffix, "one", 6)
    assert "Version two" not in holding(suffix, text, "Version three")
    beginning = holding(suffix, text, "Version two")
    assert beginning.startswith(heading(suffix, "Version two").rstrip("\n"))
    assert ITEM in beginning


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_section_that_goes_on_is_not_merged_with_the_one_before_it(suffix: str) -> None:
    begins = heading(suffix, "Second") + words(suffix, ITEM * 3)
    text = heading(suffix, "First") + words(suffix, ITEM * 2) + begins + items(suffix, 30)
    assert "Second" not in holding(suffix, text, "First")
    assert holding(suffix, text, "Second").startswith(heading(suffix, "Second").rstrip("\n"))


@pytest.mark.parametrize("suffix", ["md", "rst", "html", "adoc", "org"])
def test_a_heading_without_text_stays_with_its_first_subsection(suffix: str) -> None:
    below = heading(suffix, "Below", 3) + words(suffix, ITEM * 12)
    before = heading(suffix, "Before") + words(suffix, ITEM * 4)
    text = before + heading(suffix, "Alone") + below
    assert "Alone" not in holding(suffix, text, "Before")
    assert "Alone" in holding(suffix, text, "Below")


def test_sections_of_one_title_are_not_taken_for_one_section() -> None:
    short = heading("md", "Fixed") + words("md", ITEM)
    text = heading("md", "Before") + words("md", ITEM * 5) + short + short + items("md", 30)
    assert texts("md", text)[0].count("## Fixed") == 1
    assert texts("md", text)[1].startswith("## Fixed")


def test_the_heading_of_a_long_table_is_not_merged_with_the_section_before_it() -> None:
    row = "| " + "a name in the table " * 50 + "| what it means |\n"
    table = "| Name | Meaning |\n|---|---|\n" + row * 3
    text = heading("md", "Before") + words("md", ITEM * 4) + heading("md", "Table") + table
    assert "## Table" not in holding("md", text, "## Before")


def test_the_text_of_a_parent_may_end_with_the_beginning_of_its_first_subsection() -> None:
    parent = heading("md", "Parent", 1) + words("md", ITEM * 2)
    text = parent + heading("md", "Child") + words("md", ITEM * 3) + items("md", 30)
    first = lawful_chunks("a.md", text, SIZES)[0]
    assert "## Child" in first.text
    assert first.headings == ("Parent",)


def test_small_sections_that_end_in_the_chunk_are_merged_as_before() -> None:
    text = "".join(release("md", version, 2) for version in ("three", "two", "one"))
    assert texts("md", text)[0].count("## Version") == 2


def test_a_long_turn_of_a_transcript_is_cut_in_the_same_way() -> None:
    first = heading("md", "First", 3) + words("md", ITEM * 2)
    said = first + heading("md", "Second", 3) + words("md", ITEM * 3) + items("md", 30)
    text = f"## Human\n\nWhat changed?\n\n## Assistant\n\n{said}"
    chunks = lawful_chunks("log.md", text, SIZES)
    assert chunks[-1].attributes["role"] == ("assistant",)
    beginning = next(chunk.text for chunk in chunks if "Second" in chunk.text)
    assert beginning.startswith("### Second")


#: Sections with some text: a heading with nothing below it is glued to the next one.
SECTIONS = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 14)), min_size=2, max_size=6)


@settings(deadline=None)
@given(SECTIONS, st.sampled_from(FORMATS))
def test_the_first_chunk_of_a_cut_section_begins_with_its_heading(
    drawn: list[tuple[int, int]], suffix: str
) -> None:
    text, parts = "", []
    for number, (said, listed) in enumerate(drawn):
        body = words(suffix, "what it says " * said) + items(suffix, listed)
        parts.append(heading(suffix, f"Section{number}") + body)
        text += parts[-1]
    chunks = lawful_chunks(f"a.{suffix}", manual(suffix, text), SIZES)
    offset = len(manual(suffix, ""))
    whole = manual(suffix, text)
    start = offset
    for number, part in enumerate(parts):
        lines = whole[:start].count("\n") + 1, whole[: start + len(part)].rstrip().count("\n") + 1
        holds = next(one for one in chunks if one.start_line <= lines[0] <= one.end_line)
        cut = holds.end_line < len(whole[: start + len(part)].rstrip().split("\n"))
        if cut and number:
            assert holds.start_line == lines[0]
        start += len(part)
