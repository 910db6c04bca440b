"""No shape, picture or footnote of an office file is lost, and none of them costs the file."""

from __future__ import annotations

import io
from typing import Any

import pytest
from docx import Document
from openpyxl import load_workbook
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE

from tests.readers.changed_office import SLIDE, changed, charted
from tests.readers.extracted import extracted, member, parts
from tests.readers.office_files import PNG, epub, pptx, rezipped, saved, xlsx

CHART, CHART_LINKS = "ppt/charts/chart1.xml", "ppt/slides/_rels/slide1.xml.rels"
WORD_LINKS = "word/_rels/document.xml.rels"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
A14 = "http://schemas.microsoft.com/office/drawing/2010/main"
MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def turnover(kind: XL_CHART_TYPE) -> bytes:
    """A slide with a chart, whose part has the name `CHART`."""
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = ["North", "South"]
    data.add_series("Turnover", (19.25, 27.5))
    raw = charted(kind, data)
    links = member(raw, CHART_LINKS)
    name = "ppt/charts/" + links.split("/charts/")[1].split('"')[0]
    return rezipped(
        raw,
        {
            name: None,
            CHART: member(raw, name),
            CHART_LINKS: links.replace(name.removeprefix("ppt"), CHART.removeprefix("ppt")),
            "[Content_Types].xml": member(raw, "[Content_Types].xml").replace(name, CHART),
        },
    )


@pytest.mark.parametrize(
    ("kind", "flat", "solid"),
    [
        (XL_CHART_TYPE.PIE, "pieChart", "pie3DChart"),
        (XL_CHART_TYPE.PIE, "pieChart", "ofPieChart"),
        (XL_CHART_TYPE.COLUMN_CLUSTERED, "barChart", "bar3DChart"),
        (XL_CHART_TYPE.LINE, "lineChart", "line3DChart"),
        (XL_CHART_TYPE.LINE, "lineChart", "stockChart"),
        (XL_CHART_TYPE.AREA, "areaChart", "surface3DChart"),
    ],
)
def test_charts_of_types_that_the_library_does_not_know_have_their_data(
    kind: XL_CHART_TYPE, flat: str, solid: str
) -> None:
    raw = turnover(kind)
    text = member(raw, CHART)
    assert f"<c:{flat}>" in text
    found = extracted("pptx", rezipped(raw, {CHART: text.replace(f"c:{flat}>", f"c:{solid}>")}))
    assert parts(found)[-1] == (1, "table", "| Turnover\nNorth | 19.25\nSouth | 27.5")
    assert found.notes == ()


def test_a_shape_that_cannot_be_read_is_noted_and_the_others_are_read() -> None:
    raw = turnover(XL_CHART_TYPE.PIE)
    shape = (
        '<p:sp><p:nvSpPr><p:cNvPr id="99" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        "<p:txBody><a:bodyPr/><a:p><a:r><a:t>after it</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    raw = changed(raw, SLIDE, "</p:spTree>", f"{shape}</p:spTree>")
    found = extracted("pptx", rezipped(raw, {CHART: None}))
    assert found.text == "after it"
    (note,) = found.notes
    assert note.startswith("unread: slide 1, a shape: KeyError: ")


def alternative(shape: str, fallback: str) -> str:
    """A shape of two, for programs that know `a14` and for others."""
    return (
        f'<mc:AlternateContent xmlns:mc="{MC}" xmlns:a14="{A14}"><mc:Choice Requires="a14">{shape}'
        f"</mc:Choice><mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>"
    )


def text_shape(inner: str) -> str:
    return (
        '<p:sp><p:nvSpPr><p:cNvPr id="9" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        f"<p:txBody><a:bodyPr/><a:p>{inner}</a:p></p:txBody></p:sp>"
    )


def test_a_text_with_an_equation_is_read_once_with_its_formula() -> None:
    formula = f'<a14:m><m:oMath xmlns:m="{MATH}"><m:r><m:t>S=k ln W</m:t></m:r></m:oMath></a14:m>'
    said = text_shape(f"<a:r><a:t>Entropy is </a:t></a:r>{formula}")
    plain = text_shape("<a:r><a:t>Entropy is (a picture)</a:t></a:r>")
    raw = changed(pptx(("Title", "words")), SLIDE, "</p:spTree>", "<!-- x --></p:spTree>")
    raw = changed(raw, SLIDE, "<!-- x -->", alternative(said, plain))
    assert extracted("pptx", raw).text == "Title\n\nwords\n\nEntropy is S=k ln W"


def test_a_title_among_alternatives_is_the_heading() -> None:
    raw = pptx(("Title", "words"))
    text = member(raw, SLIDE)
    start, end = text.index("<p:sp>"), text.index("</p:sp>") + len("</p:sp>")
    inside = alternative(text[start:end], text[start:end])
    found = extracted("pptx", rezipped(raw, {SLIDE: text[:start] + inside + text[end:]}))
    assert parts(found) == [(1, "heading", "Title"), (1, "paragraph", "words")]


def test_the_fallback_is_read_if_the_first_alternative_is_of_an_unknown_kind() -> None:
    ink = '<p:contentPart xmlns:r="http://x" r:id="rId9"/>'
    empty = '<p:graphicFrame><a:graphic><a:graphicData uri="http://x/chartex"/></a:graphic>'
    empty += "</p:graphicFrame>"
    said = text_shape("<a:r><a:t>drawn</a:t></a:r>")
    for shape in (ink, empty):
        raw = changed(
            pptx(("Title", "words")), SLIDE, "</p:spTree>", alternative(shape, said) + "</p:spTree>"
        )
        assert extracted("pptx", raw).text == "Title\n\nwords\n\ndrawn"


def test_a_table_of_a_slide_has_lines_within_cells_and_merged_cells_once() -> None:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    table = slide.shapes.add_table(2, 3, 0, 0, 10**6, 10**6).table
    for number in range(6):
        table.cell(number // 3, number % 3).text = str(number)
    table.cell(0, 0).text_frame.text = "two\nlines"
    table.cell(1, 1).merge(table.cell(1, 2))
    assert extracted("pptx", saved(made)).text == "two lines | 1 | 2\n3 | 4 5"


@pytest.mark.parametrize("target", ["../NULL", "/word/media/none.png", "media/%20.png", "#_Toc1"])
def test_a_picture_whose_part_is_missing_keeps_its_text_and_costs_nothing_else(target: str) -> None:
    made = Document()
    made.add_paragraph("before")
    made.add_picture(io.BytesIO(PNG))
    made.inline_shapes[0]._inline.docPr.set("descr", "A red dot")
    made.add_paragraph("after")
    raw = changed(saved(made), WORD_LINKS, "media/image1.png", target)
    found = extracted("docx", rezipped(raw, {"word/media/image1.png": None}))
    assert found.text == "before\n\nA red dot\n\nafter"
    assert found.images == {}


def test_cells_of_a_book_have_their_words_whole_and_stand_in_their_columns() -> None:
    page = (
        "<table><caption>Acids <b>at</b> home</caption>"
        '<tr><th rowspan="2">Name</th><th colspan="2">Amount</th><th>Safe</th></tr>'
        "<tr><th>ml</th><th>g</th><th>yes</th></tr>"
        '<tr><td>H<sub>2</sub>SO<sub>4</sub></td><td colspan="2">5<br/>about</td>'
        '<td><img src="no.png" alt="not safe"/></td></tr>'
        "<tr><td><p>Vinegar</p><p>white</p></td><td>7</td><td>8</td>"
        "<td>yes<script>alert(1)</script></td></tr></table>"
    )
    assert parts(extracted("epub", epub(page))) == [
        (1, "paragraph", "Acids at home"),
        (
            *(1, "table"),
            "Name | Amount |  | Safe\n| ml | g | yes\nH2SO4 | 5 about |  | not safe\n"
            "Vinegar white | 7 | 8 | yes",
        ),
    ]


def test_a_picture_in_a_cell_of_a_book_is_kept_after_the_table() -> None:
    page = '<table><tr><td>one</td><td><img src="p.png" alt="a dot"/></td></tr></table><p>end</p>'
    found = extracted("epub", epub(page, more={"OPS/text/p.png": PNG}))
    assert parts(found) == [
        (1, "table", "one | a dot"),
        (1, "image", ""),
        (1, "paragraph", "end"),
    ]
    assert [one.data for one in found.images.values()] == [PNG]


def test_words_that_are_nested_deeply_in_a_book_are_read_and_deeper_ones_cost_nothing() -> None:
    nested = f"{'<div>' * 40}{'<i>' * 190}words{'</i>' * 190}{'</div>' * 40}"
    page = f"{nested}<h1>{'<i>' * 240}title{'</i>' * 240}</h1>{'<div>' * 5_000}"
    assert extracted("epub", epub(page)).text == "words\n\ntitle"


def test_a_heading_of_a_book_has_spaces_for_line_ends_and_the_text_of_its_picture() -> None:
    page = '<h1>Chapter One<br/>The <i>Light</i>house</h1><h2><img alt="Fog" src="x"/></h2><p>x</p>'
    assert parts(extracted("epub", epub(page))) == [
        (1, "heading", "Chapter One The Lighthouse"),
        (1, "heading", "Fog"),
        (1, "paragraph", "x"),
    ]


@pytest.mark.parametrize("prefix", ["", "m:"])
def test_formulas_of_a_book_are_read_once(prefix: str) -> None:
    formula = (
        "<math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>"
        '</mrow><annotation encoding="application/x-tex">E = mc^2</annotation></semantics></math>'
    )
    named = formula.replace("</", "\0").replace("<", f"<{prefix}").replace("\0", f"</{prefix}")
    page = f"<p>Energy is {named}.</p><table><tr><td>a</td><td>{named}</td></tr></table>"
    assert extracted("epub", epub(page)).text == "Energy is E=mc2.\n\na | E=mc2"


PERCENTAGES = ["0%", "0.00%", '0.0%;[Red]-0.0%;"none"', '"a"0%"b"']
PLAIN = ['0" %"', "0\\%", "0_%", "*%0", "[$%-409]0", '0"%']


@pytest.mark.parametrize(
    ("number_format", "shown"),
    [*((one, "500%") for one in PERCENTAGES), *((one, "5") for one in PLAIN)],
)
def test_only_a_percent_sign_of_its_own_makes_a_number_a_percentage(
    number_format: str, shown: str
) -> None:
    made = load_workbook(io.BytesIO(xlsx({"Rates": [["Rate"], [5]]})))
    made["Rates"]["A2"].number_format = number_format
    assert parts(extracted("xlsx", saved(made)))[-1] == (1, "table", f"Rate\n{shown}")
