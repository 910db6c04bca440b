"""PDFs become text: reading order, headings, tables, pictures, margins, letters."""

from __future__ import annotations

import hashlib

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from pincite.errors import SourceError
from pincite.readers.extraction.extractors import extractor_name
from pincite.readers.extraction.result import Extraction, fault_of
from pincite.readers.pdf.extract import extract_pdf
from tests.readers.pdf.files import drawn, picture, scan, text_of, texts, typeset

COLUMNS = """
#set page(columns: 2HEADER)
#place(top + center, scope: "parent", float: true)[#text(18pt)[A title over both columns]]
= Left begins
#par(justify: true)[#lorem(260)]
= Right ends
The last words stand on the right.
"""
HEADER = ', header: [Heat, in short], numbering: "1"'
LONG_TABLE = """
#set page(numbering: "1")
= Results
#table(columns: 3, table.header([Name], [Age], [City]),
  ..range(60).map(i => ([Person #i], [#(i + 20)], [City #(i * 3)])).flatten())
"""


def whole(found: Extraction) -> None:
    """What every extraction promises."""
    position = 0
    for one in found.elements:
        assert found.text[position : one.start].strip() == ""
        assert one.start < one.end
        span = found.pages[one.page - 1]
        assert span.start <= one.start
        assert one.end <= span.end
        assert not one.image or one.image in found.images
        position = one.end
    assert found.text[position:].strip() == ""
    assert [span.number for span in found.pages] == list(range(1, len(found.pages) + 1))
    assert found.pages[0].start == 0
    assert found.pages[-1].end == len(found.text)
    assert fault_of(found) == ""


def test_columns_are_read_one_after_the_other() -> None:
    found = extract_pdf(typeset(COLUMNS.replace("HEADER", "")))
    whole(found)
    said = texts(found)
    assert said[0] == "A title over both columns"
    assert said[1] == "Left begins"
    assert said[-2:] == ["Right ends", "The last words stand on the right."]
    first = " ".join(said[2:-2])
    assert first.startswith(
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod"
    )


def test_headings_have_the_levels_of_the_outline() -> None:
    found = extract_pdf(typeset("= One\ntext text\n== Two\ntext text\n=== Three\ntext text"))
    headings = [(text_of(found, e), e.level) for e in found.elements if e.kind == "heading"]
    assert headings == [("One", 1), ("Two", 2), ("Three", 3)]
    assert found.title == "One"


def test_a_table_over_two_pages_repeats_its_header_for_each() -> None:
    found = extract_pdf(typeset(LONG_TABLE.replace("table.header([Name], [Age], [City])",
                                                   "[Name], [Age], [City]")))  # fmt: skip
    whole(found)
    tables = [one for one in found.elements if one.kind == "table"]
    assert len(tables) > 1
    assert {one.header for one in tables} == {"Name | Age | City"}
    rows = [row for one in tables for row in text_of(found, one).split("\n")]
    assert rows == [
        "Name | Age | City",
        *(f"Person {i} | {i + 20} | City {i * 3}" for i in range(60)),
    ]


def test_a_table_with_level_rules_alone_is_one() -> None:
    found = extract_pdf(
        typeset(
            "#table(columns: 3, stroke: none, table.hline(), [Metal], [Density], [Melts], "
            "table.hline(), [Iron], [7.87], [1538], [Lead], [11.3], [327], table.hline())"
        )
    )
    assert texts(found, "table") == [
        "Metal | Density | Melts\nIron | 7.87 | 1538\nLead | 11.3 | 327"
    ]


def test_cells_that_reach_over_columns_keep_the_others_in_place() -> None:
    found = extract_pdf(
        typeset(
            "#table(columns: 3, table.cell(colspan: 2)[Both], [C], [a], [b], [c], "
            "table.cell(rowspan: 2)[Down], [d], [e], [f], [g])"
        )
    )
    assert texts(found, "table") == ["Both |  | C\na | b | c\nDown | d | e\n | f | g".replace(
        "\n |", "\n|")]  # fmt: skip


def test_running_headers_and_page_numbers_are_marginal() -> None:
    found = extract_pdf(typeset(COLUMNS.replace("260", "2600").replace("HEADER", HEADER)))
    marginal = [text_of(found, one) for one in found.elements if one.marginal]
    pages = len(found.pages)
    assert pages >= 3
    assert marginal.count("Heat, in short") == pages
    assert set(map(str, range(1, pages + 1))) <= set(marginal)


def test_a_picture_is_an_element_with_its_caption() -> None:
    source = '#lorem(20)\n#figure(image("picture.png", width: 50%), caption: [A blue field.])\nEnd.'
    found = extract_pdf(typeset(source, picture()))
    whole(found)
    (one,) = [e for e in found.elements if e.kind == "image"]
    assert text_of(found, one) == "Figure 1: A blue field."
    image = found.images[one.image]
    assert image.media_type == "image/png"
    assert image.data.startswith(b"\x89PNG")
    assert hashlib.sha256(image.data).hexdigest() == one.image
    assert one.box is not None
    assert one.box[2] - one.box[0] > 200
    assert texts(found)[-1] == "End."


def test_ligatures_soft_hyphens_and_parted_words_become_letters() -> None:
    narrow = (
        '#set page(width: 5cm)\n#set par(justify: true)\n#set text(hyphenate: true, lang: "en")\n'
    )
    found = extract_pdf(typeset(narrow + "Efficient offices find affluent flowers. " * 4))
    assert texts(found) == [("Efficient offices find affluent flowers. " * 4).strip()]


def test_a_compound_keeps_the_hyphen_that_it_has_elsewhere() -> None:
    def draw(canvas: Canvas) -> None:
        for row, text in enumerate(
            ("A well-known thing. It is well-", "known that exam-", "ples help.")
        ):
            canvas.drawString(72, 700 - 14 * row, text)

    assert texts(extract_pdf(drawn(draw))) == [
        "A well-known thing. It is well-known that examples help."
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [("he", "שלום עולם, טוב מאוד (2024) היום"), ("ar", "مرحبا بالعالم 456 اليوم")],
)
def test_text_from_right_to_left_is_in_the_order_of_its_letters(language: str, text: str) -> None:
    source = f'#text(font: "DejaVu Sans", lang: "{language}")[{text}]\n\nSome English text.'
    found = texts(extract_pdf(typeset(source)))
    assert found == [text, "Some English text."]


def test_turned_text_is_read_in_its_own_direction() -> None:
    found = extract_pdf(
        typeset("Level text here.\n\n#rotate(90deg, reflow: true)[Text on its side]")
    )
    assert sorted(texts(found)) == ["Level text here.", "Text on its side"]
    found = extract_pdf(typeset("Level text.\n\n#rotate(35deg, reflow: true)[Slanted words here]"))
    assert sorted(texts(found)) == ["Level text.", "Slanted words here"]


def test_a_page_that_is_turned_is_read_as_it_is_seen() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        canvas.drawString(72, 400, "The first line of it")
        canvas.drawString(72, 386, "and the second line")

    found = extract_pdf(drawn(draw))
    assert texts(found) == ["The first line of it and the second line"]


def test_text_that_is_not_seen_is_kept_and_text_off_the_page_is_not() -> None:
    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(72, 700)
        text.setTextRenderMode(3)
        text.textLine("A layer under a scan")
        canvas.drawText(text)
        canvas.drawString(-900, 400, "Nobody sees this")

    assert texts(extract_pdf(drawn(draw))) == ["A layer under a scan"]


def test_code_keeps_its_lines_and_indentation() -> None:
    source = "Text before.\n\n```\ndef add(a, b):\n    return a + b\n```\n\nText after."
    assert texts(extract_pdf(typeset(source))) == [
        "Text before.",
        "def add(a, b):\n    return a + b",
        "Text after.",
    ]


def test_items_of_a_list_are_paragraphs() -> None:
    found = texts(extract_pdf(typeset("- one thing\n- another thing\n\n+ first\n+ second")))
    assert found == ["• one thing", "• another thing", "1. first", "2. second"]


def test_pages_without_text_are_named() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "A page with text")
        canvas.showPage()
        canvas.drawInlineImage(_image(), 0, 0, *A4)
        canvas.showPage()

    found = extract_pdf(drawn(draw))
    whole(found)
    assert found.notes == ("scanned: page 2",)
    assert len(found.pages) == 2


def _image() -> object:
    import io

    from PIL import Image

    return Image.open(io.BytesIO(picture()))


def test_the_same_bytes_give_the_same_text() -> None:
    raw = typeset(COLUMNS.replace("HEADER", HEADER))
    assert extract_pdf(raw) == extract_pdf(raw)
    assert extract_pdf(raw).extractor == extractor_name("pdf")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (scan("white", "grey"), "scanned"),
        (b"", "broken"),
        (b"no pdf at all", "broken"),
        (b"%PDF-1.7\n%%EOF", "broken"),
        (typeset("Some text")[:300], "broken"),
        (
            drawn(lambda canvas: canvas.drawString(72, 700, "secret"), encrypt="password"),
            "encrypted",
        ),
        (drawn(lambda canvas: canvas.showPage()), "empty"),
    ],
)
def test_a_file_without_text_says_why(raw: bytes, reason: str) -> None:
    with pytest.raises(SourceError) as raised:
        extract_pdf(raw)
    assert raised.value.message.startswith(f"{reason}: ")
    assert raised.value.hint


def test_a_page_begins_with_its_text() -> None:
    found = extract_pdf(typeset("One\n#pagebreak()\n#pagebreak()\nThree"))
    said = [found.text[page.start : page.end] for page in found.pages]
    assert said == ["One", "", "Three"]


@pytest.mark.parametrize("title", [None, "(anonymous)", "untitled", "Untitled 1", "letter.docx"])
def test_what_programs_write_for_want_of_a_title_is_none(title: str | None) -> None:
    def draw(canvas: Canvas) -> None:
        if title is not None:
            canvas.setTitle(title)
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawString(72, 760, "Rain in May")
        canvas.setFont("Helvetica", 10)
        for row in range(9):
            canvas.drawString(72, 700 - 14 * row, "It rained on most days, and on some it did not.")

    assert extract_pdf(drawn(draw)).title == "Rain in May"


BODY = "Rain is measured with a gauge, once a day, at nine in the morning, by whoever is there."


def titled(*titles: str, bold: bool = True) -> list[str]:
    """The headings of a page where these lines stand close together above running text."""

    def draw(canvas: Canvas) -> None:
        text = canvas.beginText(72, 760)
        text.setFont("Helvetica-Bold" if bold else "Helvetica", 11 if bold else 16, 18)
        for title in titles:
            text.textLine(title)
        text.setFont("Helvetica", 11, 14)
        for _ in range(8):
            text.textLine(BODY)
        canvas.drawText(text)

    return texts(extract_pdf(drawn(draw)), "heading")


@pytest.mark.parametrize("bold", [True, False])
def test_two_headings_of_one_size_are_two(bold: bool) -> None:
    two = ["Installation", "Requirements"]
    assert titled(*two, bold=bold) == two
    assert titled("1 Installation", "1.1 Requirements", bold=bold) == [
        "1 Installation",
        "1.1 Requirements",
    ]


@pytest.mark.parametrize("bold", [True, False])
def test_a_heading_over_two_lines_is_one(bold: bool) -> None:
    assert titled("A short history of", "Rain", bold=bold) == ["A short history of Rain"]
    assert titled("Measuring rain,", "Snow and hail", bold=bold) == [
        "Measuring rain, Snow and hail"
    ]
    assert titled("Measuring rain", "in the mountains", bold=bold) == [
        "Measuring rain in the mountains"
    ]
    long = "Measuring the rain of the year by hand and with many kinds of machines in"[
        : 75 if bold else 52
    ]
    both = titled(long, "Mountains", bold=bold)
    assert len(both) == 1
