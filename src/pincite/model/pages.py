"""Pages of extracted documents: which one a character is on, and what is on one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from pincite.model.documents import PAGE_UNITS, Document, PageSpan, PageUnit


def unit_of(document: Document) -> PageUnit | None:
    """What its pages are called, None for a document without any."""
    return next((unit for unit in PAGE_UNITS if unit == document.cited_in), None)


def page_at(pages: Sequence[PageSpan], position: int) -> PageSpan | None:
    """The page that a character is on."""
    found = bisect_right(pages, position, key=lambda page: page.start) - 1
    while found > 0 and pages[found].start == pages[found].end <= position:
        found -= 1  # an empty page has no character
    return pages[found] if found >= 0 and position < pages[found].end else None


def page_of_span(pages: Sequence[PageSpan], start: int, end: int) -> PageSpan | None:
    """The page that all of a span is on, but for white space at its end; None where there is
    none."""
    page = page_at(pages, start)
    return page if page is not None and end <= page.end else None
