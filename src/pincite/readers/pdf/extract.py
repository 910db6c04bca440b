"""A PDF as text: page by page, then what is seen only over pages, then its elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pypdfium2 as pdfium

from pincite.errors import SourceError
from pincite.model import Element, PageSpan
from pincite.ports import Image
from pincite.readers.extraction import Extraction
from pincite.readers.extractors import extractor_name
from pincite.readers.pdf.blocks import blocks_of
from pincite.readers.pdf.layout import Block
from pincite.readers.pdf.opening import opened, outline_of, title_of
from pincite.readers.pdf.pages import Page, read_page

_MOST_NOTES: Final = 50  # pages named in one note


def extract_pdf(raw: bytes) -> Extraction:
    """The text of a PDF. Raises SourceError where there is none: encrypted, broken, scanned."""
    images: dict[str, Image] = {}
    with opened(raw) as document:
        pages, failed = _pages(document, images)
        title, outline = title_of(document), outline_of(document)
    if not any(page.characters for page in pages):
        raise _without_text(pages, failed)
    blocks = blocks_of(pages, outline)
    text, elements, spans = _written(blocks)
    if not title:
        first = [one.text for one in blocks[0] if one.kind == "heading"] if blocks else []
        title = first[0][:300] if first else ""
    return Extraction(
        text, elements, spans, "page", extractor_name("pdf"), title, _notes(pages, failed), images
    )


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


def _without_text(pages: Sequence[Page], failed: Mapping[int, str]) -> SourceError:
    if len(failed) == len(pages):
        return SourceError(
            f"broken: none of the {len(pages)} pages of the PDF can be read",
            hint="open it in a viewer, and save it again",
        )
    if any(page.pictured for page in pages):
        return SourceError(
            f"scanned: the {len(pages)} pages of the PDF are pictures, without text",
            hint="give it a text layer with a program for OCR, such as ocrmypdf",
        )
    return SourceError("empty: the PDF has no text", hint="leave it out with exclude")


def _written(
    pages: Sequence[Sequence[Block]],
) -> tuple[str, tuple[Element, ...], tuple[PageSpan, ...]]:
    """The text, and where elements and pages are in it."""
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
        spans.append(PageSpan(begins, position, number=number))
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
        ("unmapped", [one.number for one in pages if one.unmapped > 0.1 * one.characters]),
        ("cut", [one.number for one in pages if one.cut]),
        ("untabled", [one.number for one in pages if one.untabled]),
    ):
        found += [f"{code}: page {number}" for number in numbers[:_MOST_NOTES]]
        if len(numbers) > _MOST_NOTES:
            found.append(f"{code}: and {len(numbers) - _MOST_NOTES} more pages")
    return tuple(found)
