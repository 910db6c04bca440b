"""Pages of extracted documents: the page of a character, and the contents of a page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from pincite.model.documents import PAGE_UNITS, Document, Element, PageSpan, PageUnit, Rows


def unit_of(document: Document) -> PageUnit | None:
    """Return the unit of a document's pages, None for a document without pages."""
    return next((unit for unit in PAGE_UNITS if unit == document.cited_in), None)


def page_at(pages: Sequence[PageSpan], position: int) -> PageSpan | None:
    """Return the page of the character at `position`, None if no page has it."""
    found = bisect_right(pages, position, key=lambda page: page.start) - 1
    while found > 0 and pages[found].start == pages[found].end <= position:
        found -= 1  # an empty page has no characters
    return pages[found] if found >= 0 and position < pages[found].end else None


def page_of_span(pages: Sequence[PageSpan], start: int, end: int) -> PageSpan | None:
    """Return the page that contains a whole span, except white space at its end; None if there is
    none."""
    page = page_at(pages, start)
    return page if page is not None and end <= page.end else None


def rows_within(element: Element, text: str, start: int, end: int) -> Rows | None:
    """Return the rows of a sheet in a span of a table; None if the table is not from a sheet."""
    if not element.row:
        return None
    first = element.row + text.count("\n", element.start, start)
    return first, first + text.count("\n", start, end)


def rows_at(elements: Sequence[Element], text: str, start: int, end: int) -> Rows | None:
    """Return the rows of a sheet within a span, which may contain other text; None if there are
    none."""
    parts = [
        rows
        for one in elements
        if one.row and one.start < end and start < one.end
        if (rows := rows_within(one, text, max(start, one.start), min(end, one.end)))
    ]
    return (parts[0][0], parts[-1][1]) if parts else None


def chars_of_rows(elements: Sequence[Element], text: str, page: int, rows: Rows) -> Rows | None:
    """Return the beginning and end of the text of these rows; None if the page has none of them."""
    found = []
    for one in elements:
        if one.page != page or not one.row:
            continue
        at = one.start
        for number, line in enumerate(text[one.start : one.end].split("\n"), start=one.row):
            if rows[0] <= number <= rows[1]:
                found += [at, at + len(line)]
            at += len(line) + 1
    return (found[0], found[-1]) if found else None
