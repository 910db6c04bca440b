"""Office files, books and notebooks that a stranger made to be costly are read or refused soon.

The limit of these extractors guards against minutes of work: without the mend, each of these files
takes longer than it.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE

from pincite.errors import SourceError
from pincite.readers.extraction.result import Extraction, reason_of
from pincite.readers.extraction.run import Extracting
from tests.readers.changed_office import BOOK, SHEET, SLIDE, changed, charted
from tests.readers.extracted import member
from tests.readers.office_files import PNG, docx, epub, notebook, pptx, rezipped, saved, xlsx

LIMIT_S = 30.0
STYLES, WORDS = "word/styles.xml", "word/document.xml"


@pytest.fixture
def extracting() -> Iterator[Extracting]:
    made = Extracting(limit_s=LIMIT_S)
    yield made
    made.close()


def refusal(extracting: Extracting, name: str, raw: bytes) -> tuple[str, str]:
    with pytest.raises(SourceError) as caught:
        extracting.extract(name, raw, name)
    return reason_of(caught.value)


def shown(found: Extraction) -> list[tuple[str, int, str]]:
    return [(one.kind, one.level, found.text[one.start : one.end]) for one in found.elements]


def styled(count: int, last: str) -> bytes:
    """A Word file with a chain of styles. Its last style has the level 2 and the base `last`."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="s{n}"><w:name w:val="Style {n}"/>'
        + (
            f'<w:basedOn w:val="s{n + 1}"/>'
            if n + 1 < count
            else f'<w:basedOn w:val="{last}"/>'
            + ("" if last else '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>')
        )
        + "</w:style>"
        for n in range(count)
    )
    raw = changed(docx(), STYLES, "</w:styles>", f"{styles}</w:styles>")
    said = '<w:p><w:pPr><w:pStyle w:val="s0"/></w:pPr><w:r><w:t>words</w:t></w:r></w:p>'
    return changed(raw, WORDS, "<w:body>", f"<w:body>{said}")


@pytest.mark.parametrize(
    ("last", "element"), [("", ("heading", 2, "words")), ("s0", ("paragraph", 0, "words"))]
)
def test_a_chain_of_styles_or_a_loop_of_them_gives_the_level_of_its_end(
    extracting: Extracting, last: str, element: tuple[str, int, str]
) -> None:
    found = extracting.extract("a.docx", styled(3_000, last), "x")
    assert shown(found) == [element]


def box(inner: str) -> str:
    return f"<w:p><w:r><w:drawing><w:txbxContent>{inner}</w:txbxContent></w:drawing></w:r></w:p>"


def test_boxes_within_boxes_are_read_once_each(extracting: Extracting) -> None:
    inner = "<w:p><w:r><w:t>innermost</w:t></w:r></w:p>"
    for _ in range(40):
        inner = box(inner)
    found = extracting.extract(
        "a.docx", changed(docx(), WORDS, "<w:body>", f"<w:body>{inner}"), "x"
    )
    assert found.text == "innermost"


def test_a_box_in_a_cell_is_read_once(extracting: Extracting) -> None:
    said = "<w:p><w:r><w:t>in a box</w:t></w:r></w:p>"
    cells = f"<w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p></w:tc><w:tc>{box(said)}</w:tc>"
    table = f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    found = extracting.extract(
        "a.docx", changed(docx(), WORDS, "<w:body>", f"<w:body>{table}"), "x"
    )
    assert found.text == "one | in a box"


def test_notes_that_a_file_refers_to_thousands_of_times_are_read_once(
    extracting: Extracting,
) -> None:
    place = "word/_rels/document.xml.rels"
    again = "".join(
        f'<Relationship Id="n{n}" Type="http://x/footnotes" Target="notes.xml"/>'
        for n in range(5_000)
    )
    raw = changed(docx("words"), place, "</Relationships>", f"{again}</Relationships>")
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    note = "<w:footnote w:id='1'><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote>"
    notes = f"<w:footnotes {space}>{note * 10_000}</w:footnotes>"
    assert (
        extracting.extract("a.docx", rezipped(raw, {"word/notes.xml": notes}), "x").text == "words"
    )


def rows(text: str) -> bytes:
    """A workbook with more rows behind its first one."""
    return changed(xlsx({"Rates": [["first"]]}), SHEET, "</sheetData>", f"{text}</sheetData>")


@pytest.mark.parametrize("row", ["1048577", "99999999999", "1e12"])
def test_a_row_behind_the_last_that_a_sheet_may_have_is_left_out(
    extracting: Extracting, row: str
) -> None:
    far = f'<row r="{row}"><c t="inlineStr"><is><t>far away</t></is></c></row>'
    found = extracting.extract("a.xlsx", rows(far), "x")
    assert (found.text, found.notes) == (
        "Rates\n\nfirst",
        ("rows_cut: sheet 1, at 1,048,576 rows",),
    )


def test_the_last_row_is_read_with_its_number(extracting: Extracting) -> None:
    far = '<row r="1048576"><c t="inlineStr"><is><t>far away</t></is></c></row>'
    found = extracting.extract("a.xlsx", rows(far), "x")
    assert [(shown(found)[-1][2], found.elements[-1].row)] == [("far away", 1_048_576)]


def test_cells_far_apart_in_many_rows_are_cut(extracting: Extracting) -> None:
    far = "".join(
        f'<row r="{n}"><c r="XFD{n}" t="inlineStr"><is><t>x</t></is></c></row>'
        for n in range(2, 40_000)
    )
    found = extracting.extract("a.xlsx", rows(far), "x")
    assert found.notes[-1] == (
        "cells_cut: sheet 1, after 100,000,000 cells of the workbook, empty ones included"
    )
    assert found.elements


def test_a_broken_sheet_is_refused_by_its_name_and_what_to_do(extracting: Extracting) -> None:
    code, why = refusal(extracting, "a.xlsx", rows('<row r="2"><c t="s"><v>77</v></c></row>'))
    assert code == "failed"
    assert why.startswith("sheet 1, Rates, cannot be read: ")
    assert why.endswith("save it again, or exclude it")


def test_a_slide_or_a_chapter_that_is_listed_again_is_read_once(extracting: Extracting) -> None:
    raw = pptx(("Title", "words"))
    text = member(raw, "ppt/presentation.xml")
    slide = text[text.index("<p:sldId ") : text.index("</p:sldIdLst>")]
    deck = changed(raw, "ppt/presentation.xml", slide, slide * 100_000)
    book = changed(epub("<p>words</p>"), BOOK, "</spine>", '<itemref idref="c0.xhtml"/></spine>')
    found = extracting.extract("a.pptx", deck, "x")
    assert (found.text.split(), found.notes[0]) == (["Title", "words"], "repeated: slide 2")
    found = extracting.extract("a.epub", book, "y")
    assert (found.text.split(), found.notes) == (["words"], ("repeated: chapter 2",))


def test_a_shape_that_the_library_has_no_name_for_is_read(extracting: Extracting) -> None:
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="99" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        "<p:txBody><a:bodyPr/><a:p><a:r><a:t>odd</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    raw = changed(pptx(("Title", "words")), SLIDE, "</p:spTree>", f"{shape}</p:spTree>")
    assert extracting.extract("a.pptx", raw, "x").text.split() == ["Title", "words", "odd"]


def test_a_page_that_begins_with_a_declaration_of_spaces_is_read(extracting: Extracting) -> None:
    page = f"<?xml {' ' * 200_000}<p>words</p>"
    assert extracting.extract("a.epub", epub(page), "x").text == "words"


def test_a_picture_that_a_book_shows_very_often_is_not_read_each_time(
    extracting: Extracting,
) -> None:
    page = '<img src="p.png" alt="a dot"/>' * 100_000
    raw = epub(page, more={"OPS/text/p.png": PNG + b"\0" * 4_000_000})
    found = extracting.extract("a.epub", raw, "x")
    assert len(found.elements) == 100_000
    assert len(found.images) == 1


def test_a_notebook_of_too_many_cells_is_too_large(extracting: Extracting) -> None:
    raw = json.dumps({"cells": [1] * 500_001}).encode()
    code, why = refusal(extracting, "a.ipynb", raw)
    assert (code, why) == ("too_large", "more than 500,000 of its cells")


def test_an_extractor_that_crashes_says_what_to_do(extracting: Extracting) -> None:
    raw = notebook({"cell_type": "code", "source": "words"})
    assert extracting.extract("a.ipynb", raw, "x").text == "words"
    (process,) = extracting._idle
    process.used = False  # or it counts as one that had ended by itself
    os.killpg(process._process.pid, signal.SIGSTOP)
    kill = threading.Timer(0.2, os.killpg, (process._process.pid, signal.SIGKILL))
    kill.start()
    assert refusal(extracting, "b.ipynb", raw) == (
        "failed",
        "its extractor has crashed; save it again, or exclude it",
    )
    kill.join()


def test_a_style_without_an_id_decides_for_no_other(extracting: Extracting) -> None:
    style = (
        '<w:style w:type="paragraph"><w:name w:val="Nameless"/>'
        '<w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="own"><w:name w:val="Own"/></w:style>'
    )
    raw = changed(docx(), STYLES, "</w:styles>", f"{style}</w:styles>")
    said = '<w:p><w:pPr><w:pStyle w:val="own"/></w:pPr><w:r><w:t>words</w:t></w:r></w:p>'
    raw = changed(raw, WORDS, "<w:body>", f"<w:body>{said}")
    assert shown(extracting.extract("a.docx", raw, "x")) == [("paragraph", 0, "words")]


def test_boxes_with_very_many_paragraphs_are_walked_once(extracting: Extracting) -> None:
    inner = "<w:p/>" * 200_000 + "<w:p><w:r><w:t>innermost</w:t></w:r></w:p>"
    for _ in range(60):
        inner = box(inner)
    raw = changed(docx(), WORDS, "<w:body>", f"<w:body>{inner}")
    assert extracting.extract("a.docx", raw, "x").text == "innermost"


def test_paragraphs_within_paragraphs_of_a_cell_are_read_once(extracting: Extracting) -> None:
    inner = "<w:r><w:t>words</w:t></w:r>" + "<w:tab/>" * 30_000
    cell = f"<w:tc>{'<w:p>' * 190}{inner}{'</w:p>' * 190}</w:tc>"
    table = f"<w:tbl><w:tr>{cell}<w:tc><w:p/></w:tc></w:tr></w:tbl>"
    raw = changed(docx(), WORDS, "<w:body>", f"<w:body>{table}")
    assert extracting.extract("a.docx", raw, "x").text == "words"


def test_notes_within_notes_are_walked_once(extracting: Extracting) -> None:
    place = "word/_rels/document.xml.rels"
    relation = '<Relationship Id="n" Type="http://x/footnotes" Target="notes.xml"/>'
    raw = changed(docx("words"), place, "</Relationships>", f"{relation}</Relationships>")
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    nested = f"{'<w:footnote>' * 230}{'<w:p/>' * 200_000}{'</w:footnote>' * 230}"
    notes = f"<w:footnotes {space}>{nested}</w:footnotes>"
    raw = rezipped(raw, {"word/notes.xml": notes})
    assert extracting.extract("a.docx", raw, "x").text == "words"


def test_a_table_of_very_many_cells_takes_linear_time(extracting: Extracting) -> None:
    page = f"<table><tr>{'<td>' * 100_000}{'<th>' * 100_000}x</table>"
    assert extracting.extract("a.epub", epub(page), "x").text.endswith("x")


def test_a_chart_is_read_by_the_points_that_it_has(extracting: Extracting) -> None:
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["a", "b", "c"]
    data.add_series("S", (1, None, 0.1))
    data.add_series("T", (None, None, 3))
    raw = charted(XL_CHART_TYPE.COLUMN_CLUSTERED, data)
    names = zipfile.ZipFile(BytesIO(raw)).namelist()
    place = next(name for name in names if "/charts/chart" in name)
    counted = changed(raw, place, '<c:ptCount val="3"/>', '<c:ptCount val="999999999"/>')
    for one in (raw, counted):
        found = extracting.extract("a.pptx", one, "x")
        assert found.text == "| S | T\na | 1\nb\nc | 0.1 | 3"


def test_a_chart_of_points_has_a_row_for_each(extracting: Extracting) -> None:
    data: Any = XyChartData()  # type: ignore[no-untyped-call]
    series = data.add_series("S")
    for number in range(20_000):
        series.add_data_point(number / 10, number)
    found = extracting.extract("a.pptx", charted(XL_CHART_TYPE.XY_SCATTER, data), "x")
    assert found.text.startswith("| S\n0.0 | 0\n0.1 | 1\n")
    assert found.text.endswith("| 19999")


def test_a_sheet_under_many_names_is_read_once(extracting: Extracting) -> None:
    raw = rows("")
    text = member(raw, "xl/workbook.xml")
    start = text.index("<sheet ")
    end = text.index("/>", start) + 2
    again = "".join(
        text[start:end]
        .replace('name="Rates"', f'name="S{n}"')
        .replace('sheetId="1"', f'sheetId="{n}"')
        for n in range(1, 10_000)
    )
    found = extracting.extract(
        "a.xlsx", rezipped(raw, {"xl/workbook.xml": text[:start] + again + text[end:]}), "x"
    )
    assert found.text.rstrip() == "S1\n\nfirst"
    assert found.notes[0] == "repeated: sheet 2, S2"


def test_a_chart_of_very_many_series_and_categories_takes_linear_time(
    extracting: Extracting,
) -> None:
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["a"]
    data.add_series("S", (1,))
    raw = charted(XL_CHART_TYPE.PIE, data)
    place = next(name for name in zipfile.ZipFile(BytesIO(raw)).namelist() if "/chart" in name)
    points = "".join(f'<c:pt idx="{n}"><c:v>{n}</c:v></c:pt>' for n in range(20_000))
    long = f"<c:ser><c:val><c:numLit>{points}</c:numLit></c:val></c:ser>"
    many = changed(raw, place, "<c:ser>", f"{long}{'<c:ser/>' * 20_000}<c:ser>")
    assert extracting.extract("a.pptx", many, "x").text.endswith("\n| 19999")


def test_a_table_of_a_slide_with_very_many_rows_takes_linear_time(extracting: Extracting) -> None:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    slide.shapes.add_table(1, 1, 0, 0, 9, 9).table.cell(0, 0).text = "last"
    row = '<a:tr h="1"><a:tc/></a:tr>'
    raw = changed(saved(made), SLIDE, "<a:tr ", f"{row * 60_000}<a:tr ")
    assert extracting.extract("a.pptx", raw, "x").text == "last"


@pytest.mark.parametrize("span", ["rowspan", "colspan"])
def test_a_table_of_very_large_cells_takes_linear_time(extracting: Extracting, span: str) -> None:
    cells = f"<td {span}=65534>" * 50_000
    page = f"<table><tr>{cells}{'<tr><td>' * 50_000}x</table>"
    assert extracting.extract("a.epub", epub(page), "x").text.endswith("x")


def test_references_to_very_many_missing_parts_take_linear_time(extracting: Extracting) -> None:
    place = "word/_rels/document.xml.rels"
    dead = "".join(
        f'<Relationship Id="n{n}" Type="http://x/image" Target="../NULL{n}"/>'
        for n in range(90_000)
    )
    raw = changed(docx("words"), place, "</Relationships>", f"{dead}</Relationships>")
    assert extracting.extract("a.docx", raw, "x").text == "words"


def test_a_chart_that_very_many_shapes_show_is_read_once(extracting: Extracting) -> None:
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["a"]
    data.add_series("S", (1,))
    raw = charted(XL_CHART_TYPE.PIE, data)
    place = next(name for name in zipfile.ZipFile(BytesIO(raw)).namelist() if "/chart" in name)
    raw = changed(raw, place, "</c:ser>", f"</c:ser>{'<c:ser/>' * 20_000}")
    text = member(raw, SLIDE)
    end = text.index("</p:graphicFrame>") + len("</p:graphicFrame>")
    again = text[text.index("<p:graphicFrame>") : end] * 20_000
    found = extracting.extract(
        "a.pptx", rezipped(raw, {SLIDE: text[:end] + again + text[end:]}), "x"
    )
    assert (found.text.split(), found.notes) == (
        ["|", "S", "a", "|", "1"],
        ("repeated: slide 1, a chart",),
    )
