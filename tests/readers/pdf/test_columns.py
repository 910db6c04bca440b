"""Columns of any length are read one after the other, and tables line by line."""

from __future__ import annotations

import pytest

from pincite.readers.pdf.extract import extract_pdf
from tests.readers.pdf.files import texts, typeset

PAGE = '#set page("a4", margin: 2cm, height: 12cm)\n#set par(justify: true)\n#set text(10pt)\n'
FIRST = "The harvest takes place when two thirds of the frames are capped and dry."


@pytest.mark.parametrize("words", [60, 100, 130, 160, 200])
def test_columns_below_a_wide_text_are_read_one_after_the_other(words: int) -> None:
    source = f"{PAGE}#lorem(60)\n\n#columns(2)[\n{FIRST} #lorem({words})\n]"
    said = " ".join(texts(extract_pdf(typeset(source)), page=1))
    wide, _, columns = said.partition(FIRST)
    assert wide.startswith("Lorem ipsum")
    alone = " ".join(texts(extract_pdf(typeset(f"{PAGE}#lorem({words})")), page=1))
    assert columns.strip()[:400] == alone[:400]
    if words < 200:  # on one page
        assert columns.strip() == alone


def test_columns_that_are_far_from_equal_are_columns() -> None:
    source = """#set page("a4", margin: 2.5cm)
#set text(10pt)
#set par(justify: true)
#lorem(160)

#columns(2)[
= Left
#lorem(330)

The last words of the left column. #colbreak()
Athens has the right column, and #lorem(25)
]"""
    said = texts(extract_pdf(typeset(source)))
    assert "Left" in said
    assert said[-2].endswith("The last words of the left column.")
    assert said[-1].startswith("Athens has the right column, and Lorem ipsum")


@pytest.mark.parametrize("words", [50, 120])
@pytest.mark.parametrize("below", [0, 150])
@pytest.mark.parametrize("above", [150, 300])
def test_a_short_section_with_columns_is_read_column_by_column(
    above: int, below: int, words: int
) -> None:
    page = PAGE.replace("12cm", "29cm")
    section = f"#columns(2)[\n{FIRST} #lorem({words}) #colbreak()\nAthens #lorem({words})\n]"
    source = f"{page}#lorem({above})\n\n#block[{section}]\n\n#lorem({below})"
    said = " ".join(texts(extract_pdf(typeset(source)), page=1))
    alone = " ".join(texts(extract_pdf(typeset(f"{page}#lorem({words})")), page=1))
    assert f"{FIRST} {alone} Athens {alone}" in said


def test_a_section_with_columns_above_much_text_is_read_column_by_column() -> None:
    page = PAGE.replace("12cm", "29cm")
    section = f"#columns(2)[{FIRST} #lorem(70) #colbreak()\nAthens #lorem(70)]"
    source = f"{page}#block[{section}]\n\n#lorem(400)"
    said = " ".join(texts(extract_pdf(typeset(source)), page=1))
    alone = " ".join(texts(extract_pdf(typeset(f"{page}#lorem(70)")), page=1))
    assert said.startswith(f"{FIRST} {alone} Athens {alone} Lorem ipsum")


def test_cells_and_comments_below_much_text_stay_on_their_lines() -> None:
    rows = [
        ("The rain of the first spring month", "was measured on the roof of the school"),
        ("The snow of the winter of this year here", "was weighed by the boys"),
        ("The hail of a single day in the autumn", "broke the windows of the house and barn"),
        ("The fog of November", "was not measured by anybody at all"),
        ("The dew of the mornings in June and July", "was tasted"),
    ]
    grid = ", ".join(f"[{cell}]" for row in rows for cell in row)
    page = PAGE.replace("12cm", "29cm").replace("10pt", "9pt")
    source = f"{page}#lorem(250)\n\n#grid(columns: (1fr, 1fr), row-gutter: 8pt, {grid})"
    said = " ".join(texts(extract_pdf(typeset(source))))
    for row in rows:
        assert " ".join(row) in said


def test_a_table_without_lines_is_read_row_by_row() -> None:
    rows = [f"[Amount of rain in the year {1990 + i}], [{i * 37} litres]" for i in range(14)]
    table = f"#lorem(90)\n\n#grid(columns: (1fr, 1fr), row-gutter: 8pt, {', '.join(rows)})"
    said = " ".join(texts(extract_pdf(typeset(PAGE.replace("12cm", "20cm") + table))))
    assert "Amount of rain in the year 1990 0 litres Amount of rain in the year 1991" in said


def test_answers_beside_two_lines_are_no_column() -> None:
    """They begin at different places, so they belong to their lines."""
    indents = {4: 20, 7: 40}
    lines = [
        f"#box(width: 180pt)[Number {row} of the letters that I wrote]"
        + (f"#h({indents[row]}pt)answered {row} by the people at home" if row in indents else "")
        for row in range(10)
    ]
    said = " ".join(texts(extract_pdf(typeset(PAGE + "\\ \n".join(lines)))))
    for row in indents:
        assert f"Number {row} of the letters that I wrote answered {row} by the people" in said
