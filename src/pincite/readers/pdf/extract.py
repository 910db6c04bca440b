"""The text of a PDF: single pages first, then decisions over all pages, then the elements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import pypdfium2 as pdfium

from pincite.errors import SourceError
from pincite.model import Element, PageSpan
from pincite.ports import Image
from pincite.readers.extraction.extractors import extractor_name
from pincite.readers.extraction.result import Extraction, OnPageRead
from pincite.readers.pdf.blocks import blocks_of
from pincite.readers.pdf.layout import Block
from pincite.readers.pdf.open_pdf import opened, outline_of, title_of
from pincite.readers.pdf.pages import Page, read_page, with_recognised
from pincite.support.counted import counted

_MOST_NOTES: Final = 50  # pages named in one note


def extract_pdf(raw: bytes, on_page_read: OnPageRead | None = None) -> Extraction:
    """Return the text of a PDF. With `on_page_read` picture pages are read by OCR. Raises
    SourceError if there is no text: encrypted, broken, scanned."""
    images: dict[str, Image] = {}
    with opened(raw) as document:
        pages, failed = _pages(document, images)
        if on_page_read is not None:
            pages = _recognised(document, pages, on_page_read)
        title, outline = title_of(document), outline_of(document)
    if not any(page.characters for page in pages):
        raise _without_text(pages, failed, ocr=on_page_read is not None)
    blocks = blocks_of(pages, outline)
    text, elements, spans = _written(blocks, {one.number for one in pages if one.recognised})
    if not title:
        first = [one.text for one in blocks[0] if one.kind == "heading"] if blocks else []
        title = first[0][:300] if first else ""
    name = extractor_name("pdf", ocr=on_page_read is not None)
    return Extraction(text, elements, spans, "page", name, title, _notes(pages, failed), images)


def _pages(
    document: pdfium.PdfDocument, images: dict[str, Image]
) -> tuple[list[Page], Mapping[int, str]]:
    pages: list[Page] = []
    failed: dict[int, str] = {}
    for index in range(len(document)):
        try:
            pages.append(read_page(document, index, images))
        except pdfium.PdfiumError as error:
            failed[index + 1] = str(error)
            pages.append(Page(index + 1, 0.0, 0.0))
    return pages, failed


def _recognised(
    document: pdfium.PdfDocument, pages: Sequence[Page], on_page_read: OnPageRead
) -> list[Page]:
    """Return the pages; picture pages have the text read by OCR."""
    from pincite.readers.pdf.recognised import MOST_RECOGNISED, recognised_runs

    found = list(pages)
    pictures = [page for page in pages if not page.characters and page.pictured]
    for page in pictures[:MOST_RECOGNISED]:
        found[page.number - 1] = with_recognised(page, recognised_runs(document, page.number - 1))
        on_page_read()
    return found


def _without_text(pages: Sequence[Page], failed: Mapping[int, str], *, ocr: bool) -> SourceError:
    if len(failed) == len(pages):
        return SourceError(
            f"broken: no page of the PDF can be read ({counted(len(pages), 'page')})",
            hint="open it in a viewer, and save it again",
        )
    if any(page.pictured for page in pages):
        return SourceError(
            f"scanned: the PDF has pictures without text ({counted(len(pages), 'page')})",
            hint="OCR finds no text in them" if ocr else "read them: pincite index --ocr",
        )
    return SourceError("empty: the PDF has no text", hint="exclude it")


def _written(
    pages: Sequence[Sequence[Block]], recognised: Collection[int]
) -> tuple[str, tuple[Element, ...], tuple[PageSpan, ...]]:
    """Return the text, and the positions of elements and pages in it."""
    parts: list[str] = []
    elements: list[Element] = []
    spans: list[PageSpan] = []
    position = 0
    for number, blocks in enumerate(pages, start=1):
        begins = position + 2 if blocks and parts else position
        for block in blocks:
            if parts:
                parts.append("\n\n")
                position += 2
            start = position
            parts.append(block.text)
            position += len(block.text)
            elements.append(_element(block, number, start, position))
        spans.append(PageSpan(begins, position, number=number, recognised=number in recognised))
    return "".join(parts), tuple(elements), tuple(spans)


def _element(block: Block, page: int, start: int, end: int) -> Element:
    return Element(
        block.kind, start, end, page, block.box, level=block.level, header=block.header,
        marginal=block.marginal, image=block.picture,
    )  # fmt: skip


def _notes(pages: Sequence[Page], failed: Mapping[int, str]) -> tuple[str, ...]:
    found = [f"unreadable: page {number}: {why}" for number, why in failed.items()][:_MOST_NOTES]
    for code, numbers in (
        ("scanned", [one.number for one in pages if not one.characters and one.pictured]),
        ("ocr", [one.number for one in pages if one.recognised]),
        ("unmapped", [one.number for one in pages if one.unmapped > 0.1 * one.characters]),
        ("cut", [one.number for one in pages if one.cut]),
        ("untabled", [one.number for one in pages if one.untabled]),
    ):
        found += [f"{code}: page {number}" for number in numbers[:_MOST_NOTES]]
        if len(numbers) > _MOST_NOTES:
            found.append(f"{code}: and {len(numbers) - _MOST_NOTES} more pages")
    return tuple(found)
