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
