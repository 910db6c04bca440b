"""The layout of an extracted record is kept beside its pages, where earlier versions ignore it."""

from __future__ import annotations

import msgspec
import pytest

from pincite.model import Element, KeptRecord, Layout, PageSpan
from pincite.sources.record_layout import layout_in, pages_text
from pincite.support.fields import replace

PAGES = (
    PageSpan(0, 4, {"page_number": 1, "unit": "kg"}, 1),
    PageSpan(5, 5, {"page_number": 2}, 2),
    PageSpan(6, 10, {"page_number": 3, "ocr": True}, 3, recognised=True),
)
ELEMENTS = (
    Element("heading", 0, 2, 1, (1.0, 2.0, 3.0, 4.0), level=2),
    Element("table", 3, 4, 1, header="a | b", row=7),
    Element("paragraph", 6, 10, 3, marginal=True),
)
LAYOUT = Layout("sheet", "openpyxl/3", ELEMENTS)


def test_a_layout_is_read_as_it_was_written() -> None:
    assert layout_in(pages_text(PAGES, LAYOUT)) == LAYOUT


def test_earlier_versions_read_the_pages_alone() -> None:
    assert tuple(msgspec.json.decode(pages_text(PAGES, LAYOUT), type=list[PageSpan])) == PAGES


@pytest.mark.parametrize("pages", [(), PAGES])
def test_without_a_layout_the_text_is_that_of_earlier_versions(pages: tuple[PageSpan, ...]) -> None:
    written = pages_text(pages, None)
    assert written == msgspec.json.encode(pages, order="deterministic").decode()
    assert layout_in(written) is None


def test_a_record_without_a_layout_keeps_the_shape_that_its_chunks_were_made_of() -> None:
    plain = KeptRecord("a/1", "1", "text")
    assert plain.shape == "4ebb26d30098b63ca5a1b51c451e2c07"
    laid_out = replace(plain, layout=LAYOUT)
    assert len({plain.shape, laid_out.shape}) == 2
    newer = replace(LAYOUT, extractor="openpyxl/4")
    assert replace(plain, layout=newer).shape == laid_out.shape
