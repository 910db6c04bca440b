"""One page: its columns of lines, its tables and its pictures, in reading order."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pypdfium2 as pdfium

from pincite.ports import Image
from pincite.readers.pdf.characters import (
    View,
    by_turn,
    read_glyphs,
    runs_of,
    turned_back,
    upright,
)  # fmt: skip
from pincite.readers.pdf.columns import in_reading_order
from pincite.readers.pdf.drawings import Drawings, read_drawings
from pincite.readers.pdf.figures import drawings_of, is_caption, painted, pictures_of
from pincite.readers.pdf.layout import Block, Glyph, Line, Placed, Run, within
from pincite.readers.pdf.lines import lines_of, text_of
from pincite.readers.pdf.tables import tables_of
from pincite.support.fields import replace

_MOST_IMAGES: Final = 300  # of one document; further pictures are not painted
_MOST_IMAGE_BYTES: Final = 64 << 20  # of one document
_SCAN: Final = 0.3  # of the page: a picture that may hold its text

#: The content of a column: lines, with tables and pictures between them.
Column = tuple[Line | Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page with its columns in reading order. `number` counts from 1; sizes are in points.
    `characters` counts the characters, `unmapped` the glyphs without a Unicode character.
    `pictured` means that pictures cover much of the page. `cut` and `untabled` mean that it has too
    much text or too many shapes to read all. `recognised` means that OCR read its text."""

    number: int
    width: float
    height: float
    columns: tuple[Column, ...] = ()
    characters: int = 0
    unmapped: int = 0
    pictured: bool = False
    cut: bool = False
    untabled: bool = False
    recognised: bool = False

    @property
    def lines(self) -> list[Line]:
        """Return all lines of all columns."""
        return [one for column in self.columns for one in column if isinstance(one, Line)]


def read_page(document: pdfium.PdfDocument, index: int, images: dict[str, Image]) -> Page:
    """Return the page with this index, from 0. Adds its pictures to `images`, by SHA-256."""
    page = document[index]
    try:
        return _read(page, index + 1, images)
    finally:
        page.close()


def with_recognised(page: Page, runs: Sequence[Run]) -> Page:
    """Return the page with lines from OCR, placed before its pictures."""
    letters = sum(1 for run in runs for glyph in run.glyphs if glyph.text != " ")
    columns = (*_columns(runs), *page.columns)
    return replace(page, columns=columns, characters=letters, recognised=letters > 0)


def _read(page: pdfium.PdfPage, number: int, images: dict[str, Image]) -> Page:
    view = View(page)
    text = read_glyphs(page, view)
    drawn = read_drawings(page, view)
    characters = len(text.slanted) + sum(1 for glyph in text.glyphs if glyph.text != " ")
    covered = sum((one.right - one.left) * (one.bottom - one.top) for one in drawn.pictures)
    turned = list(by_turn(text.glyphs))
    level = next((glyphs for turn, glyphs in turned if turn == 0), [])
    own = _level_columns(page, view, level, drawn, characters, images)
    columns: list[Column] = []
    for turn, glyphs in turned or [(0, [])]:
        columns += own if turn == 0 else _turned_columns(glyphs, turn, view)
    if turned and not level:
        columns += own
    columns += [tuple(lines_of([run])) for run in text.slanted]
    return Page(
        number, view.width, view.height, tuple(one for one in columns if one), characters,
        text.unmapped, covered > _SCAN * view.width * view.height, text.cut, drawn.cut,
    )  # fmt: skip


def _level_columns(
    page: pdfium.PdfPage,
    view: View,
    glyphs: Sequence[Glyph],
    drawn: Drawings,
    characters: int,
    images: dict[str, Image],
) -> list[Column]:
    tables, flowing = tables_of(drawn.level, drawn.upright, glyphs)
    runs = runs_of(flowing)
    figures = [
        _figure(page, view, place, "", images)
        for place in pictures_of(drawn.pictures, view.width, view.height, characters)
    ]
    captions = [run for run in runs if is_caption(text_of(run.glyphs[:40]))]
    for place in drawings_of(drawn.shapes, captions, tables):
        labels = [run for run in runs if within(run, place) and run not in captions]
        runs = [run for run in runs if run not in labels]
        said = " ".join(line.text for line in lines_of(labels))
        figures.append(_figure(page, view, place, said, images))
    return _columns([*runs, *tables, *figures])


def _figure(
    page: pdfium.PdfPage, view: View, place: Placed, text: str, images: dict[str, Image]
) -> Block:
    name = ""
    kept = sum(len(image.data) for image in images.values())
    if len(images) < _MOST_IMAGES and kept < _MOST_IMAGE_BYTES:
        image = painted(page, place, view.width, view.height)
        if image is not None:
            name = hashlib.sha256(image.data).hexdigest()
            images[name] = image
    return Block(place.left, place.top, place.right, place.bottom, "image", text, picture=name)


def _columns(items: Sequence[Placed]) -> list[Column]:
    """Return columns of lines, with tables and pictures at their height."""
    columns: list[Column] = []
    for column in in_reading_order(items):
        lines = lines_of([one for one in column if isinstance(one, Run)])
        blocks = [one for one in column if isinstance(one, Block)]
        columns.append(tuple(sorted([*lines, *blocks], key=lambda one: one.middle)))
    return columns


def _turned_columns(glyphs: Sequence[Glyph], turn: int, view: View) -> list[Column]:
    """Return columns of text that runs upwards, downwards or upside down, read as if the page were
    rotated. The positions are those on the page itself."""
    upright_ones = [upright(glyph, turn, view.width, view.height) for glyph in glyphs]
    wide, high = (view.height, view.width) if turn != 180 else (view.width, view.height)
    found: list[Column] = []
    for column in in_reading_order(runs_of(upright_ones)):
        lines = lines_of([one for one in column if isinstance(one, Run)])
        for line in lines:
            line.left, line.top, line.right, line.bottom = turned_back(line, turn, wide, high)
        found.append(tuple(lines))
    return found
