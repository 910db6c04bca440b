"""Office files with changed members."""

from __future__ import annotations

from typing import Any

from pptx import Presentation
from pptx.enum.chart import XL_CHART_TYPE

from tests.readers.extracted import member
from tests.readers.office_files import rezipped, saved

SHEET, SLIDE, BOOK = "xl/worksheets/sheet1.xml", "ppt/slides/slide1.xml", "OPS/book.opf"


def changed(raw: bytes, name: str, before: str, after: str) -> bytes:
    """The file with another text in one of its members."""
    text = member(raw, name)
    assert before in text
    return rezipped(raw, {name: text.replace(before, after, 1)})


def charted(kind: XL_CHART_TYPE, data: Any) -> bytes:
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    slide.shapes.add_chart(kind, 0, 0, 9, 9, data)
    return saved(made)
