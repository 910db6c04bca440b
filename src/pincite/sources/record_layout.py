"""The pages of a record as one JSON text. If its text was extracted, each page has its elements.

Versions without layouts read the same text, and ignore the fields of the layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pincite.model import Element, Layout, PageSpan, PageUnit
from pincite.support.decodable import ready


class _Element(Element, frozen=True, omit_defaults=True):
    """An element that is written without empty fields."""


class _Page(msgspec.Struct, frozen=True):
    """The layout of a page. All pages of a text have the same unit and extractor."""

    unit: PageUnit | None = None
    extractor: str = ""
    elements: tuple[Element, ...] = ()


_LAID_OUT: Final = msgspec.json.Decoder(ready(list[_Page]))


def pages_text(pages: Sequence[PageSpan], layout: Layout | None) -> str:
    """Return the pages as JSON, with their layout if they have one. Elements are in the order of
    their pages."""
    if layout is None:
        return msgspec.json.encode(pages, order="deterministic").decode()
    held: dict[int, list[_Element]] = {page.number: [] for page in pages}
    for one in layout.elements:
        held[one.page].append(_Element(*(getattr(one, name) for name in one.__struct_fields__)))
    said = {"unit": layout.unit, "extractor": layout.extractor}
    written = [
        {**msgspec.structs.asdict(page), **said, "elements": held[page.number]} for page in pages
    ]
    return msgspec.json.encode(written, order="deterministic").decode()


def layout_in(text: str) -> Layout | None:
    """Return the layout from the text of `pages_text`, None if it has none. Raises
    MsgspecError."""
    if '"unit":' not in text:  # most records have no layout: do not decode them
        return None
    pages = _LAID_OUT.decode(text)
    unit = pages[0].unit if pages else None
    if unit is None:
        return None
    return Layout(unit, pages[0].extractor, tuple(one for page in pages for one in page.elements))
