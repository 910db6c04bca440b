"""Paint the page of a PDF that a citation names, with the boxes of the cited elements."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pincite.citations.get import read_within
from pincite.citations.passage import IndexedFile, Passage
from pincite.citations.resolve import open_within
from pincite.errors import SourceError, UsageError
from pincite.model import Attributes, Document
from pincite.ports import Image, PagedIndex
from pincite.readers import read_document
from pincite.readers.page_pictures.ask import Painted, paint
from pincite.sources.reopening import reopen_source

_MOST_BOXES = 500  # of one page
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture of a page. `page` is its number, from 1; `width` and `height` are in points.
    `boxes` are those of the cited elements: left, top, right and bottom, in points from the upper
    left corner."""

    image: Image
    page: int
    width: float
    height: float
    boxes: tuple[Box, ...]


async def page_picture(
    index: PagedIndex,
    locator: str,
    folder: Path | None = None,
    *,
    tags: Attributes = MappingProxyType({}),
    collections: Sequence[str] = (),
) -> PagePicture:
    """Return the page of the current file that a locator of `get` names. Raises the errors of
    `get`, and UsageError if the place is not on a page of a PDF, or if secrets are masked in its
    source."""
    within = await open_within(index, tags, collections)
    known, passage = await read_within(within, locator, folder=folder)
    if passage.page is None or passage.page_unit != "page":
        raise UsageError(f"{passage.path} has no page to show at that place")
    if not passage.path.lower().endswith(".pdf"):
        raise UsageError(f"{passage.path} is not a PDF, so it has no pages to show")
    if known.record.source.mask_secrets:
        raise UsageError(
            f"secrets are masked in {passage.repo}, but a picture would show them",
            hint="read the passage's text, which masks them",
        )
    return await asyncio.to_thread(_picture, known, passage, passage.page)


def _picture(known: IndexedFile, passage: Passage, page: int) -> PagePicture:
    with reopen_source(known.record, only_read=True) as opened:
        entry = opened.find(known.path)
        if entry is None:
            raise SourceError(f"{known.path} no longer exists", hint="pincite index")
        raw = opened.read(entry)
        document = read_document(raw, source=opened.source, path=known.path, ref=known.ref)
    return paint_cited(raw, document, page, passage.start_char or 0, passage.end_char or 0)


def paint_cited(raw: bytes, document: Document, page: int, start: int, end: int) -> PagePicture:
    """Return a page of the PDF of a document, with the boxes of the elements that have characters
    from `start` to `end` (exclusive) of its text. Raises SourceError, ConfigError."""
    painted = paint(raw, page)
    boxes = _boxes(document, page, start, end, painted)
    return PagePicture(painted.image, page, painted.width, painted.height, boxes)


def _boxes(
    document: Document, page: int, start: int, end: int, painted: Painted
) -> tuple[Box, ...]:
    """Return the boxes of the elements with some of these characters, clipped to the page; at most
    500."""
    found = []
    for one in document.elements:
        if one.page == page and one.box and one.start < end and start < one.end:
            left, top, right, bottom = one.box
            box = (max(0.0, left), max(0.0, top), min(painted.width, right),
                   min(painted.height, bottom))  # fmt: skip
            if box[0] < box[2] and box[1] < box[3]:
                found.append(box)
    return tuple(found[:_MOST_BOXES])
