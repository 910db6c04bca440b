"""Pictures of a page and their captions."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Final

import pypdfium2 as pdfium

from pincite.ports import Image
from pincite.readers.extraction.result import PICTURE
from pincite.readers.pdf.layout import Block, Placed, around
from pincite.support.fields import replace

_LEAST: Final = 24.0  # points: narrower or lower pictures are ornaments
_NEAR: Final = 4.0  # points between two parts of one picture
_CAPTION_GAP: Final = 40.0  # points between a picture and its caption
_BACKGROUND: Final = 0.85  # of the page: a scan under its text, or paper
_SHAPES: Final = 6  # shapes of a drawing, at least
_MOST_PARTS: Final = 500  # of pictures on one page; comparing them takes the square of it
_LONGEST: Final = 1568  # pixels: vision models scale larger pictures down
_SCALE: Final = 2.0  # pixels in a point: 144 to the inch
_PIXELS: Final = 2_500_000
MOST_IMAGE_BYTES: Final = 4 << 20  #: of one picture
#: The beginnings of captions, in the languages of the documents that were examined.
_CAPTION = re.compile(
    r"(?:fig(?:ure|ura|uur)?|abb(?:ildung)?|image|diagram|chart|photo|plate|scheme|illustration"
    r"|bild|рис(?:унок)?|図|图|圖)\.?\s*[A-Z]?\d",
    re.IGNORECASE,
)
NO_CAPTION: Final = PICTURE


def pictures_of(
    pictures: Sequence[Placed], width: float, height: float, characters: int
) -> list[Placed]:
    """Return the places of pictures; adjacent parts become one. On a page with text, a picture that
    covers most of it is the background and is left out. `width` and `height` are the page's, in
    points."""
    large = [one for one in pictures if one.right > one.left and one.bottom > one.top][:_MOST_PARTS]
    found = [
        one
        for one in _together(large)
        if one.right - one.left >= _LEAST and one.bottom - one.top >= _LEAST
    ]
    return [
        one
        for one in found
        if not characters or _area(one) < _BACKGROUND * max(1.0, width * height)
    ]


def drawings_of(
    shapes: Sequence[Placed], captions: Sequence[Placed], tables: Sequence[Placed]
) -> list[Placed]:
    """Return the places of vector drawings. Most frames and rules are not drawings, so only shapes
    directly above or below a caption count."""
    if not captions or not _SHAPES <= len(shapes) <= 2 * _MOST_PARTS:
        return []
    free = [one for one in shapes if not any(_overlap(one, table) for table in tables)]
    found = []
    for one in _together(free):
        parts = sum(1 for shape in free if _overlap(one, shape))
        wide, high = one.right - one.left, one.bottom - one.top
        near = any(_distance(one, caption) is not None for caption in captions)
        if near and parts >= _SHAPES and min(wide, high) >= 2 * _LEAST:
            found.append(one)
    return found


def is_caption(text: str) -> bool:
    """Return whether the text begins like a caption."""
    return _CAPTION.match(text) is not None


def with_captions(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks with captions moved into pictures. Each picture, in order, takes the
    nearest caption that is left."""
    taken: dict[int, Block] = {}
    captions = [
        (position, one)
        for position, one in enumerate(blocks)
        if one.kind == "paragraph" and is_caption(one.text)
    ]
    for picture in (one for one in blocks if one.kind == "image"):
        best = min(
            (
                (distance, position)
                for position, one in captions
                if position not in taken and (distance := _distance(picture, one)) is not None
            ),
            default=None,
        )
        if best is not None:
            taken[best[1]] = picture
    captioned = {id(picture): blocks[position] for position, picture in taken.items()}
    found = []
    for position, one in enumerate(blocks):
        if position in taken:
            continue
        caption = captioned.get(id(one))
        if caption is None:
            found.append(one)
        else:
            left, top, right, bottom = around([one, caption])
            whole = replace(one, left=left, top=top, right=right, bottom=bottom)
            found.append(replace(whole, text=caption.text))
    return found


def _distance(picture: Placed, caption: Placed) -> float | None:
    """Return the distance in points between a picture and a text below it; twice the distance for a
    text above it. None if the text is too far away or not in line with the picture."""
    if min(picture.right, caption.right) - max(picture.left, caption.left) <= 0:
        return None
    below, above = caption.top - picture.bottom, picture.top - caption.bottom
    if -_NEAR - 6 <= below <= _CAPTION_GAP:
        return max(0.0, below)
    return 2 * max(0.0, above) if -_NEAR - 6 <= above <= _CAPTION_GAP else None


def _together(parts: Sequence[Placed]) -> list[Placed]:
    """Return the bounding boxes of parts that touch or nearly touch."""
    found = sorted(parts, key=lambda one: (one.top, one.left))
    for _ in range(8):
        merged: list[Placed] = []
        for one in found:
            for position, other in enumerate(merged):
                if _overlap(one, other):
                    merged[position] = Placed(*around([one, other]))
                    break
            else:
                merged.append(Placed(*one_box(one)))
        if len(merged) == len(found):
            break
        found = merged
    return found


def one_box(one: Placed) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom in points."""
    return one.left, one.top, one.right, one.bottom


def _overlap(one: Placed, other: Placed) -> bool:
    return (
        one.left <= other.right + _NEAR
        and other.left <= one.right + _NEAR
        and one.top <= other.bottom + _NEAR
        and other.top <= one.bottom + _NEAR
    )


def _area(one: Placed) -> float:
    return (one.right - one.left) * (one.bottom - one.top)


def painted(page: pdfium.PdfPage, place: Placed, width: float, height: float) -> Image | None:
    """Return a part of a page as a PNG, as displayed; None if it would be too small or too large.
    `width` and `height` are the page's, in points."""
    wide, high = place.right - place.left, place.bottom - place.top
    if wide < 1 or high < 1 or not _LEAST <= width * height < 1e9:
        return None
    scale = min(_SCALE, _LONGEST / max(wide, high), (_PIXELS / (wide * high)) ** 0.5)
    crop = (place.left, height - place.bottom, width - place.right, place.top)
    bitmap = page.render(
        scale=scale, crop=tuple(max(0.0, side) for side in crop), may_draw_forms=False,
        draw_annots=False,
    )  # fmt: skip
    try:
        written = io.BytesIO()
        bitmap.to_pil().convert("RGB").save(written, "PNG")
    finally:
        bitmap.close()
    data = written.getvalue()
    return Image(data, "image/png") if len(data) <= MOST_IMAGE_BYTES else None
