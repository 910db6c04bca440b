"""Extracted documents are cut by their elements: nothing is in two pages, nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from pincite.chunkers.budget import estimate_word_pieces
from pincite.chunkers.least_cost import most_chars
from pincite.ingestion.enrich import enrich
from pincite.model import Document, Element, PageSpan, Section
from pincite.model.pages import rows_within
from pincite.support.fields import replace
from tests.time_limits import GROWS_S

CONFIG = ChunkerConfig()


def document(*elements: tuple[object, ...]) -> Document:
    """A document of `(page, kind, text)`, with more as keywords of elements in a dict behind."""
    text, found, starts = "", list[Element](), [0]
    for page, kind, said, *more in elements:
        while len(starts) < page:  # type: ignore[operator]
            text += "\n\n" if text else ""
            starts.append(len(text))
        text += "\n\n" if text and not text.endswith("\n\n") else ""
        start = len(text)
        text += str(said)
        keywords = more[0] if more else {}
        found.append(Element(kind, start, len(text), page, **keywords))  # type: ignore[arg-type]
    ends = [*starts[1:], len(text)]
    pages = tuple(
        PageSpan(start, end, {}, number)
        for number, (start, end) in enumerate(zip(starts, ends, strict=True), start=1)
    )
    return Document(
        *("notes", "sha256-0", "a.pdf", text, "", "0" * 64, "docs", "pdf", "Notes"),
        cited_in="page",
        pages=pages,
        extractor="pdf/1",
        elements=tuple(found),
    )


def sections(made: Document) -> Sequence[Section]:
    return sections_of(made, CONFIG)


def texts(made: Document) -> list[str]:
    return [made.text[one.start : one.end] for one in sections(made)]


WORDS = st.lists(st.sampled_from("ab cde fgh. Ünal 中文 😀 x|y".split()), max_size=120).map(
    " ".join
)
KINDS = st.sampled_from(("paragraph", "heading", "table", "image"))
ELEMENTS = st.lists(
    st.tuples(
        st.integers(0, 2),
        KINDS,
        WORDS,
        st.fixed_dictionaries({"level": st.integers(0, 4), "marginal": st.booleans()}),
    ),
    min_size=1,
    max_size=15,
)


@settings(deadline=None)
@given(ELEMENTS)
def test_every_word_is_in_one_section_of_one_page_and_sections_fit(
    drawn: list[tuple[int, str, str, dict[str, object]]],
) -> None:
    page, elements = 1, []
    for step, *rest in drawn:
        page += step
        elements.append((page, *rest))
    made = document(*elements)
    found = sections(made)
    covered = [False] * len(made.text)
    end = 0
    for one in found:
        assert end <= one.start < one.end
        assert made.text[one.start : one.end].strip()
        end = one.end
        assert one.on_page is not None
        span = made.pages[one.on_page.number - 1]
        assert span.start <= one.start < one.end <= span.end
        covered[one.start : one.end] = [True] * (one.end - one.start)
    for element in made.elements:
        for at in range(element.start, element.end):
            if not made.text[at].isspace():
                assert covered[at] != element.marginal
    for chunk in chunks_of(made, found):
        assert made.text[chunk.start : chunk.end] == chunk.text
        assert (chunk.start_line, chunk.end_line, chunk.start_column) == (0, 0, None)
        assert estimate_word_pieces(enrich(chunk)) <= CONFIG.max_tokens + 5


def test_headings_are_the_path_of_what_is_below_them_over_pages() -> None:
    made = document(
        (1, "heading", "Keys", {"level": 1}),
        (1, "heading", "Rotation", {"level": 2}),
        (1, "paragraph", "How to rotate."),
        (2, "paragraph", "It goes on."),
        (2, "heading", "# Loss", {"level": 2}),
        (2, "paragraph", "What then?"),
    )
    found = sections(made)
    assert [one.headings for one in found] == [("Keys", "Rotation"), ("Keys",)]
    assert texts(made)[0] == "Keys\n\nRotation\n\nHow to rotate."
    long = document((1, "heading", "Keys", {"level": 1}), *((1, "paragraph", "word " * 100),) * 4)
    assert {one.headings for one in sections(long)} == {("Keys",)}


SENTENCE = "The lamp of the tower burns oil until the keeper turns the wick down again. "
ITEM = SENTENCE[:-1]


def release(name: str, items: int) -> list[tuple[object, ...]]:
    """A section of a list of changes: a heading, a date, and items."""
    date = (1, "paragraph", "Released 2024-05-01")
    return [(1, "heading", name, {"level": 2}), date, *[(1, "paragraph", ITEM)] * items]


def test_a_chunk_does_not_end_with_the_beginning_of_a_section_that_goes_on() -> None:
    made = document(
        (1, "heading", "Changes", {"level": 1}), *release("1.1", 4), *release("1.0", 12)
    )
    found = texts(made)
    (first,) = [one for one in found if "1.0" in one]
    assert first.startswith("1.0\n\nReleased 2024-05-01\n\nThe lamp")
    assert "1.1" not in first
    assert sections(made)[0].headings == ("Changes", "1.1")


def test_short_sections_are_cited_together_as_before() -> None:
    made = document((1, "heading", "Changes", {"level": 1}), *release("1.1", 1), *release("1.0", 1))
    (whole,) = texts(made)
    assert whole.endswith(ITEM)


def test_a_heading_and_a_line_stay_with_the_long_paragraph_below() -> None:
    for line in ((), ((1, "paragraph", "Released 2024-05-01"),)):
        made = document(
            (1, "paragraph", "Before. " * 20),
            (1, "heading", "Oil", {"level": 1}),
            *line,
            (1, "paragraph", SENTENCE * 60),
        )
        (first,) = [one for one in texts(made) if "Oil" in one]
        assert first.startswith("Oil\n\n")
        assert "until the keeper" in first
        assert estimate_word_pieces(first) <= CONFIG.max_tokens


def test_the_text_of_a_parent_goes_with_its_first_subsection() -> None:
    made = document(
        (1, "heading", "Lamps", {"level": 1}),
        (1, "paragraph", "All about them."),
        (1, "heading", "Oil", {"level": 2}),
        *[(1, "paragraph", ITEM)] * 8,
    )
    assert texts(made)[0].startswith("Lamps\n\nAll about them.\n\nOil\n\nThe lamp")


def test_at_the_end_of_a_page_a_heading_is_no_chunk_of_its_own() -> None:
    made = document(
        (1, "paragraph", "Before that. " * 9),
        (1, "heading", "Oil", {"level": 1}),
        (2, "paragraph", ITEM),
    )
    assert [one.split("\n\n")[-1] for one in texts(made)] == ["Oil", ITEM]


def test_a_little_of_a_section_at_the_end_of_a_page_stays_with_the_section_before() -> None:
    made = document(
        *((1, "heading", "Wicks", {"level": 1}), (1, "paragraph", ITEM)),
        *((1, "heading", "Oil", {"level": 1}), (1, "paragraph", "Released 2024-05-01")),
        (2, "paragraph", ITEM),
    )
    first = "\n\n".join(("Wicks", ITEM, "Oil", "Released 2024-05-01"))
    assert texts(made) == [first, ITEM]


def test_each_part_of_a_table_is_encoded_with_its_header_and_cited_without() -> None:
    header = "City | People | Since"
    rows = [header, *(f"City of {n} | {n * 1000} | {1900 + n}" for n in range(60))]
    made = document((1, "table", "\n".join(rows), {"header": header}))
    found = sections(made)
    assert len(found) >= 3
    assert all(one.on_page is not None and one.on_page.visual for one in found)
    assert found[0].plain is None
    for one in found[1:]:
        cited = made.text[one.start : one.end]
        assert not cited.startswith(header)
        assert one.plain == f"{header}\n{cited}"
        assert cited.split("\n")[0] in rows  # whole rows
        assert cited.split("\n")[-1] in rows
    assert "\n".join(texts(made)) == "\n".join(rows)


@given(st.lists(WORDS, min_size=1, max_size=30), st.integers(1, 1_000_000))
@settings(max_examples=40, deadline=None)
def test_rows_of_a_part_are_those_of_its_lines(rows: list[str], first: int) -> None:
    said = "\n".join(row or "-" for row in rows)
    made = document((1, "paragraph", "before"), (1, "table", said, {"row": first}))
    table = made.elements[-1]
    for one in sections(made):
        if one.start >= table.start:
            assert one.on_page is not None
            assert one.on_page.rows == rows_within(table, made.text, one.start, one.end)


def test_a_table_of_very_many_parts_is_cut_in_seconds() -> None:
    """The lines before each part were counted again: 10 MB took more than a minute, these some
    ten seconds."""
    rows = ["| " * 2_000, *(f"{n} | " + "ünö " * 35 for n in range(8_000))]
    made = document((1, "table", "\n".join(rows), {"row": 7, "header": rows[0]}))
    begun = process_time()
    found = sections(made)
    assert process_time() - begun < GROWS_S / 6
    assert found[-1].on_page is not None
    assert found[-1].on_page.rows is not None
    assert found[-1].on_page.rows[1] == 8_007


def test_a_table_that_goes_on_over_a_page_has_its_header_there_too() -> None:
    made = document(
        (1, "table", "A | B\n1 | 2", {"header": "A | B"}),
        (2, "table", "3 | 4", {"header": "A | B"}),
    )
    assert [one.plain for one in sections(made)] == [None, "A | B\n3 | 4"]


def test_a_header_that_is_longer_than_a_chunk_is_cut() -> None:
    header = " | ".join(f"column {n}" for n in range(300))
    made = document((1, "table", f"{header}\n1 | 2", {"header": header}))
    for chunk in chunks_of(made, sections(made)):
        assert estimate_word_pieces(enrich(chunk)) <= CONFIG.max_tokens + 5


def test_a_header_whose_beginning_costs_most_leaves_room_for_the_rows() -> None:
    """The cells below it were cut into single characters."""
    header = "word and so on " * 200 + "th" * 30_000
    made = document((1, "table", f"{header}\n{'cell one ' * 200}", {"header": header}))
    assert "cell one cell one" in sections(made)[-1].plain  # type: ignore[operator]
    assert len(sections(made)) < 200


@pytest.mark.parametrize("cheap", ["th", " ", "\n", "\0"])
def test_a_section_has_a_limit_in_characters(cheap: str) -> None:
    said = f"a{cheap * (60_000 // len(cheap))}b"
    header = {"header": said.split("\n", maxsplit=1)[0]}
    for made in (
        document((1, "paragraph", f"{said}\ncell")),
        document((1, "table", f"{said}\ncell", header)),
    ):
        assert all(len(one) <= most_chars(CONFIG.max_tokens) for one in texts(made))
        assert all(len(one.plain or "") <= most_chars(CONFIG.max_tokens) for one in sections(made))


def test_images_without_words_and_margins_are_not_indexed() -> None:
    made = document(
        (1, "paragraph", "page 1 of 9", {"marginal": True}),
        (1, "image", "", {"image": "0" * 64}),
        (1, "image", "A red dot", {"image": "1" * 64, "box": (1.0, 2.0, 3.0, 4.0)}),
        (1, "paragraph", "Text", {"box": (0.0, 5.0, 9.0, 9.0)}),
        (1, "paragraph", "More", {"box": (0.0, 9.0, 10.0, 12.0)}),
    )
    assert texts(made) == ["A red dot", "Text\n\nMore"]
    image, text = (one.on_page for one in sections(made))
    assert image is not None
    assert text is not None
    assert (image.visual, image.box) == (True, (1.0, 2.0, 3.0, 4.0))
    assert (text.visual, text.box) == (False, (0.0, 5.0, 10.0, 12.0))


def test_long_paragraphs_are_cut_between_lines_or_else_between_sentences() -> None:
    lines = "\n".join(f"value_{n} = compute({n})" for n in range(80))
    made = document((1, "paragraph", lines))
    assert "\n".join(texts(made)) == lines
    prose = document((1, "paragraph", "One sentence is short. " * 80))
    assert all(one.endswith(".") for one in texts(prose))


def test_a_document_without_words_has_no_sections() -> None:
    assert sections(replace(document((1, "image", "")), text="", pages=())) == ()
