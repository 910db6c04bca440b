"""Office files, books and notebooks have the text that people see, in its order."""

from __future__ import annotations

import base64
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import SourceError
from pincite.readers.extraction.extractors import EXTRACTORS, is_missing
from pincite.readers.extraction.process import extract_here
from pincite.readers.extraction.result import reason_of
from tests.readers.extracted import extracted, member, parts
from tests.readers.office_files import (
    PNG,
    a_day,
    code,
    docx,
    epub,
    markdown,
    notebook,
    pptx,
    rezipped,
    saved,
    xlsx,
)

SAMPLES = {
    "docx": docx((1, "Safety"), "Wear goggles.", [["a", "b"], ["1", "2"]]),
    "pptx": pptx(("Quarter", "Sales rose")),
    "xlsx": xlsx({"Rates": [["City", "Rate"], ["Ulm", 3]]}),
    "epub": epub("<html><body><h1>One</h1><p>Text</p></body></html>"),
    "ipynb": notebook(markdown("# Keys"), code("print(1)")),
}


@pytest.mark.parametrize("suffix", sorted(set(EXTRACTORS) & {*SAMPLES}))
def test_every_extractor_has_its_name_and_gives_what_its_line_of_the_table_says(
    suffix: str,
) -> None:
    found = extracted(suffix, SAMPLES[suffix])
    assert not is_missing(suffix)
    assert found.unit == EXTRACTORS[suffix].unit or suffix == "docx"
    assert found.text.strip()


def test_a_word_file_has_headings_paragraphs_and_tables_in_the_order_of_its_body() -> None:
    rows = [["Acid", "pH"], ["Vinegar", "2.4"]]
    raw = docx((1, "Safety"), "Wear goggles. ﬁne שלום 😀", rows, (2, "Acids"), "Pour slowly.")
    found = extracted("docx", raw)
    assert parts(found) == [
        (1, "heading", "Safety"),
        (1, "paragraph", "Wear goggles. ﬁne שלום 😀"),
        (1, "table", "Acid | pH\nVinegar | 2.4"),
        (1, "heading", "Acids"),
        (1, "paragraph", "Pour slowly."),
    ]
    assert [one.level for one in found.elements if one.kind == "heading"] == [1, 2]
    assert next(one for one in found.elements if one.kind == "table").header == "Acid | pH"


def test_a_word_file_that_does_not_say_its_pages_is_cited_by_chapters() -> None:
    found = extracted("docx", docx("Before", (1, "One"), "first", (1, "Two"), "second"))
    assert found.unit == "chapter"
    assert [page for page, _, _ in parts(found)] == [1, 2, 2, 3, 3]


def test_a_word_file_whose_pages_word_has_noted_is_cited_by_them() -> None:
    from docx import Document
    from docx.oxml import OxmlElement

    made = Document()
    for text in ("on the first", "on the second"):
        run = made.add_paragraph().add_run()
        if "second" in text:
            run._r.append(OxmlElement("w:lastRenderedPageBreak"))
        run.add_text(text)
    found = extracted("docx", saved(made))
    assert found.unit == "page"
    assert parts(found) == [(1, "paragraph", "on the first"), (2, "paragraph", "on the second")]


def test_merged_cells_are_said_once_and_columns_stay_in_line() -> None:
    from docx import Document

    made = Document()
    table = made.add_table(3, 3)
    for number, cell in enumerate(one for row in table.rows for one in row.cells):
        cell.text = str(number)
    table.cell(1, 0).merge(table.cell(2, 0)).text = "down"
    table.cell(0, 0).merge(table.cell(0, 1)).text = "across"
    found = extracted("docx", saved(made))
    assert found.text == "across |  | 2\ndown | 4 | 5\n| 7 | 8"


def test_what_was_deleted_or_is_hidden_is_not_read_and_what_was_inserted_is() -> None:
    raw = docx("kept")
    body = (
        '<w:p><w:ins w:id="1" w:author="a"><w:r><w:t>inserted</w:t></w:r></w:ins>'
        '<w:del w:id="2" w:author="a"><w:r><w:delText>deleted</w:delText></w:r></w:del>'
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:sdt><w:sdtContent><w:r><w:t> controlled</w:t></w:r></w:sdtContent></w:sdt></w:p>"
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>in a block</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    document = member(raw, "word/document.xml").replace("<w:body>", f"<w:body>{body}")
    found = extracted("docx", rezipped(raw, {"word/document.xml": document}))
    assert found.text == "inserted controlled\n\nin a block\n\nkept"


def test_pictures_have_their_bytes_and_what_the_file_says_of_them() -> None:
    import io

    from docx import Document

    made = Document()
    made.add_picture(io.BytesIO(PNG))
    made.inline_shapes[0]._inline.docPr.set("descr", "A red dot")
    found = extracted("docx", saved(made))
    (image,) = [one for one in found.elements if one.kind == "image"]
    assert found.text == "A red dot"
    assert found.images[image.image].data == PNG
    assert found.images[image.image].media_type == "image/png"


def test_slides_have_title_text_tables_charts_and_notes() -> None:
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    table = slide.shapes.add_table(2, 2, 0, 0, 10**6, 10**6).table
    for number, text in enumerate(("City", "People", "Ulm", "126,000")):
        table.cell(number // 2, number % 2).text = text
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["East", "West"]
    data.add_series("Q1", (19.2, 21.4))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 10**6, 10**6, data)
    slide.shapes.title.text = "Cities"
    slide.notes_slide.notes_text_frame.text = "Say it slowly"
    hidden = made.slides.add_slide(made.slide_layouts[5])
    hidden.shapes.title.text = "Secret"
    hidden.element.set("show", "0")
    last = made.slides.add_slide(made.slide_layouts[5])
    last.shapes.title.text = "End"
    found = extracted("pptx", saved(made))
    assert parts(found) == [
        (1, "heading", "Cities"),
        (1, "table", "City | People\nUlm | 126,000"),
        (1, "table", "| Q1\nEast | 19.2\nWest | 21.4"),
        (1, "paragraph", "Say it slowly"),
        (3, "heading", "End"),
    ]
    assert found.notes == ("hidden: slide 2",)
    assert found.title == "Cities"


def test_sheets_have_values_as_they_are_shown_and_an_empty_row_ends_a_table() -> None:
    from openpyxl import load_workbook

    rows: list[list[Any]] = [
        ["City", "Rate", "Since"],
        ["Ulm", 0.25, a_day()],
        [],
        ["Total", 0.1 + 0.2, True],
    ]
    import io

    made = load_workbook(io.BytesIO(xlsx({"Rates": rows, "Secret": [["x"]], "Nothing": []})))
    made["Rates"]["B2"].number_format = "0%"
    made["Secret"].sheet_state = "hidden"
    found = extracted("xlsx", saved(made))
    assert parts(found) == [
        (1, "heading", "Rates"),
        (1, "table", "City | Rate | Since\nUlm | 25% | 2024-02-29"),
        (1, "table", "Total | 0.3 | TRUE"),
    ]
    assert len(found.pages) == 3
    assert found.notes == ("hidden: sheet 2, Secret",)


def test_formulas_have_the_value_that_was_saved_and_those_without_are_counted() -> None:
    raw = xlsx({"Sums": [["a", "=1+1", "=2+2"]]})
    sheet = member(raw, "xl/worksheets/sheet1.xml")
    valued = sheet.replace("<f>1+1</f><v></v>", "<f>1+1</f><v>2</v>").replace(
        "<f>1+1</f><v/>", "<f>1+1</f><v>2</v>"
    )
    assert valued != sheet
    found = extracted("xlsx", rezipped(raw, {"xl/worksheets/sheet1.xml": valued}))
    assert parts(found)[-1] == (1, "table", "a | 2")
    assert found.notes == ("no_values: sheet 1, 1 formulas without a saved value",)


def test_chapters_come_in_the_order_of_the_spine_as_a_browser_shows_them() -> None:
    first = (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html><head><title/>'
        "<style>p {}</style></head><body><h1>One&nbsp;day</h1><p>It <i>rained</i>.<br/>Still.</p>"
        '<a id="x"/><ul><li>one</li><li>two</li></ul><script>alert(1)</script>'
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>"
    )
    found = extracted("epub", epub(first, "<p>Second</p>", title="Rain &amp; sun"))
    assert parts(found) == [
        (1, "heading", "One day"),
        (1, "paragraph", "It rained.\nStill."),
        (1, "paragraph", "one"),
        (1, "paragraph", "two"),
        (1, "table", "A | B\n1 | 2"),
        (2, "paragraph", "Second"),
    ]
    assert found.title == "Rain & sun"


def test_notebooks_have_sources_and_outputs_by_cell() -> None:
    image = {"text/plain": "<Figure>", "image/png": base64.b64encode(PNG).decode()}
    found = extracted(
        "ipynb",
        notebook(
            markdown("# Keys\n\nHow to rotate.\n```\n# no heading\n```\n"),
            code("x = 1\n\ny = 2", {"output_type": "stream", "text": ["a\n", "\x1b[31mb\x1b[0m"]}),
            code("plot()", {"output_type": "display_data", "data": image}),
            code("1/0", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "by 0"}),
        ),
    )
    assert parts(found) == [
        (1, "heading", "# Keys"),
        (1, "paragraph", "How to rotate.\n```\n# no heading\n```"),
        (2, "paragraph", "x = 1\n\ny = 2"),
        (2, "paragraph", "a\nb"),
        (3, "paragraph", "plot()"),
        (3, "image", "<Figure>"),
        (4, "paragraph", "1/0"),
        (4, "paragraph", "ZeroDivisionError: by 0"),
    ]
    assert found.title == "Keys"
    assert [one.data for one in found.images.values()] == [PNG]


def test_notebooks_of_nbformat_3_are_read_and_half_characters_are_replaced() -> None:
    import json

    old = {
        "nbformat": 3,
        "worksheets": [{"cells": [{"cell_type": "code", "input": "x \ud800", "outputs": []}]}],
    }
    assert extracted("ipynb", json.dumps(old).encode()).text == "x \ufffd"


@pytest.mark.parametrize("suffix", sorted({*SAMPLES}))
@pytest.mark.parametrize("raw", [b"x", b"{}", b"PK\x03\x04", b"[" * 100_000, b"\xff" * 50])
def test_what_is_no_such_file_is_refused(suffix: str, raw: bytes) -> None:
    with pytest.raises(SourceError) as raised:
        extract_here(suffix, raw)
    assert reason_of(raised.value)[0] == "failed"


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx", "epub"])
def test_a_file_of_another_format_is_refused_or_broken_by_name(suffix: str) -> None:
    others = [raw for other, raw in SAMPLES.items() if other != suffix]
    for raw in others:
        with pytest.raises(SourceError):
            extract_here(suffix, raw)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx"])
def test_what_libreoffice_writes_has_the_same_text(suffix: str, tmp_path: Path) -> None:
    place = tmp_path / f"a.{suffix}"
    place.write_bytes(SAMPLES[suffix])
    subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless",
         "--convert-to", suffix, "--outdir", str(tmp_path / "out"), str(place)],
        check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    found = extracted(suffix, (tmp_path / "out" / f"a.{suffix}").read_bytes())
    assert [one[1:] for one in parts(found)] == [
        one[1:] for one in parts(extracted(suffix, SAMPLES[suffix]))
    ]


def with_footnote(raw: bytes, document: str) -> bytes:
    """A Word file with another text, in which the footnote 7 may be referred to."""
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    notes = (
        f'<w:footnotes {names}><w:footnote w:id="7"><w:p><w:r><w:t>said below</w:t></w:r></w:p>'
        "</w:footnote></w:footnotes>"
    )
    relation = (
        '<Relationship Id="rId99" Target="footnotes.xml" Type="http://schemas.openxmlformats.org/'
        'officeDocument/2006/relationships/footnotes"/></Relationships>'
    )
    kind = (
        '<Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-'
        'officedocument.wordprocessingml.footnotes+xml"/></Types>'
    )
    rels, types = "word/_rels/document.xml.rels", "[Content_Types].xml"
    return rezipped(
        raw,
        {
            "word/document.xml": document,
            "word/footnotes.xml": notes,
            rels: member(raw, rels).replace("</Relationships>", relation),
            types: member(raw, types).replace("</Types>", kind),
        },
    )


REFERENCE = '</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r><w:r><w:t>'


def test_a_footnote_stands_behind_its_paragraph_and_its_words_are_not_torn() -> None:
    raw = docx("before", "after")
    document = member(raw, "word/document.xml").replace("before", f"be{REFERENCE}fore")
    found = extracted("docx", with_footnote(raw, document))
    assert found.text == "before\n\nsaid below\n\nafter"


def test_a_footnote_in_a_table_stands_behind_it_on_the_same_page() -> None:
    raw = docx([["Rotor", "Speed"], ["Swing", "3000"], ["Fixed", "15000"]], "after")
    text = member(raw, "word/document.xml").replace("Swing", f"Swi{REFERENCE}ng")
    assert parts(extracted("docx", with_footnote(raw, text))) == [
        (1, "table", "Rotor | Speed\nSwing | 3000\nFixed | 15000"),
        (1, "paragraph", "said below"),
        (1, "paragraph", "after"),
    ]
    broken = text.replace("<w:t>Fixed", "<w:lastRenderedPageBreak/><w:t>Fixed")
    assert parts(extracted("docx", with_footnote(raw, broken))) == [
        (1, "table", "Rotor | Speed\nSwing | 3000"),
        (1, "paragraph", "said below"),
        (2, "table", "Fixed | 15000"),
        (2, "paragraph", "after"),
    ]


def test_what_a_book_declares_before_its_pages_is_no_text() -> None:
    declared = '<?xml version="1.0"?>\n<!DOCTYPE html [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    found = extracted("epub", epub(f"{declared}<html><body><p>Gorillas &e;</p></body></html>"))
    assert found.text == "Gorillas &e;"
