"""A page of a PDF as a picture, as displayed."""

from __future__ import annotations

import io
from typing import Final

import pypdfium2 as pdfium

from pincite.errors import SourceError
from pincite.ports import Image
from pincite.readers.page_pictures.ask import MOST_BYTES, Painted
from pincite.readers.pdf.characters import View
from pincite.readers.pdf.open_pdf import opened

_SCALE: Final = 2.0  # pixels in a point: 144 to the inch
_LONGEST: Final = 2_000  # pixels of a side
_PIXELS: Final = 2_500_000
_LEAST: Final = 1.0  # points of a side
_PNG_BYTES: Final = 1_500_000  # a larger one is a photograph, which JPEG makes smaller


def paint_page(raw: bytes, number: int) -> Painted:
    """Return the page with this number, from 1, as PNG or JPEG. Scripts do not run; forms and
    annotations are not drawn. Raises SourceError, and errors of the library for damage that it does
    not detect."""
    with opened(raw) as document:
        if not 1 <= number <= len(document):
            raise SourceError(f"the PDF has {len(document):,} pages: page {number} does not exist")
        page = document[number - 1]
        try:
            return _painted(page)
        finally:
            page.close()


def _painted(page: pdfium.PdfPage) -> Painted:
    view = View(page)
    width, height = view.width, view.height
    if not (_LEAST <= width < 1e6 and _LEAST <= height < 1e6):
        raise SourceError(f"the page has {width:.0f} by {height:.0f} points, which cannot be drawn")
    scale = min(_SCALE, _LONGEST / max(width, height), (_PIXELS / (width * height)) ** 0.5)
    bitmap = page.render(scale=scale, may_draw_forms=False, draw_annots=False)
    try:
        picture = bitmap.to_pil().convert("RGB")
    finally:
        bitmap.close()
    for form, media_type, most in (
        ("PNG", "image/png", _PNG_BYTES),
        ("JPEG", "image/jpeg", MOST_BYTES),
    ):
        written = io.BytesIO()
        picture.save(written, form)
        if len(written.getvalue()) <= most:
            return Painted(Image(written.getvalue(), media_type), width, height)
    raise SourceError("the picture of the page is too large")
