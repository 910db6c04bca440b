"""The page of a PDF that a citation is on, as a picture, with the boxes of what is cited."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pincite.citations.get import get
from pincite.citations.passage import IndexedFile, Passage
from pincite.citations.resolve import find_path, open_within
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
    """A page with its number from 1, so many points wide and high, and where what is cited stands
    on it: left, top, right and bottom, in points from the upper left corner."""

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
    """The page of the file as it is now, under the rules of `get`. Raises what that does, and
    UsageError for what is on no page of a PDF, or is not to be seen whole."""
    passage = await get(index, locator, 0, folder, tags=tags, collections=collections)
    if passage.page is None or passage.page_unit != "page":
        raise UsageError(f"{passage.path} has no page to show at that place")
    if not passage.path.lower().endswith(".pdf"):
        raise UsageError(f"{passage.path} is not a PDF, so it has no pages to show")
    within = await open_within(index, tags, collections)
    known = await find_path(within, within.infos, passage.path, passage.repo)
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
    """A page of the PDF that the document is extracted from, with the boxes of the characters from
    `start` to before `end` of its text. Raises SourceError, ConfigError."""
    painted = paint(raw, page)
    boxes = _boxes(document, page, start, end, painted)
    return PagePicture(painted.image, page, painted.width, painted.height, boxes)


def _boxes(
    document: Document, page: int, start: int, end: int, painted: Painted
) -> tuple[Box, ...]:
    """Of the elements that have some of the characters, within the page."""
    found = []
    for one in document.elements:
        if one.page == page and one.box and one.start < end and start < one.end:
            left, top, right, bottom = one.box
            box = (max(0.0, left), max(0.0, top), min(painted.width, right),
                   min(painted.height, bottom))  # fmt: skip
            if box[0] < box[2] and box[1] < box[3]:
                found.append(box)
    return tuple(found[:_MOST_BOXES])
