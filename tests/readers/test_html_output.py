"""Outputs of notebooks that are HTML alone are read as what they show."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.readers.office.html_output import text_of_html
from pincite.readers.office.notebook import extract_notebook
from tests.counting import grows_in_proportion
from tests.readers.office_files import code, notebook

TABLE = (
    "<style>td {color: red}</style><table><thead><tr><th>City</th><th>Rate</th></tr></thead>\n"
    "<tr><td>Ulm</td><td>3</td></tr><tr><td>Bern</td><td></td></tr></table>"
)


def read(**data: object) -> str:
    shown = {name.replace("_", "/"): value for name, value in data.items()}
    return extract_notebook(
        notebook(code("show()", {"output_type": "display_data", "data": shown}))
    ).text


def test_a_table_is_read_row_by_row() -> None:
    assert read(text_html=TABLE) == "show()\n\nCity | Rate\nUlm | 3\nBern |"


def test_what_python_says_of_an_object_is_no_text_of_it() -> None:
    html = ["<p>One &amp; <b>two</b>", "</p><script>evil('<p>')</script>three"]
    said = "<IPython.core.display.HTML object>"
    assert read(text_html=html, text_plain=said) == "show()\n\nOne & two\nthree"
    assert read(text_plain=said) == f"show()\n\n{said}"


def test_text_goes_before_html_and_formulas_are_read_where_there_is_nothing_else() -> None:
    assert read(text_html=TABLE, text_plain="  City  Rate") == "show()\n\nCity  Rate"
    assert read(text_latex="$x^2$") == "show()\n\n$x^2$"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<!-- a --> b <!-- c", "b"),
        ("a<br>b<BR/>c", "a\nb\nc"),
        ("<script>never ends", ""),
        ("1 < 2 and <3>", "1 < 2 and <3>"),
        ("<!DOCTYPE html><p>x", "x"),
        ("<svg><text>axis</text></svg>y", "y"),
        ("&lt;td&gt;", "<td>"),
    ],
)
def test_tags_show_nothing_and_damage_is_text(html: str, text: str) -> None:
    assert text_of_html(html) == text


@given(st.lists(st.sampled_from("<a <td </td> <!-- --> <script> </script> & > x <p".split())))
def test_any_mixture_ends_in_lines(parts: list[str]) -> None:
    found = text_of_html(" ".join(parts))
    assert not any(line != line.strip() or not line for line in found.split("\n") if found)


def test_megabytes_of_beginnings_of_tags_are_read_once() -> None:
    for part in ("<a ", "<!", "<a b='", "</", "<!--x"):
        read = partial(lambda part, size: text_of_html(part * (size // len(part))), part)
        assert grows_in_proportion(read, 120_000), part
