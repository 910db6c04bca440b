"""PDFs that real tools make: typst, reportlab, Pillow."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pypdfium2 as pdfium
import typst
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from pincite.model import Element
from pincite.readers.extraction.result import Extraction

FONTS = Path("/usr/share/fonts")  # DejaVu has Hebrew and Arabic; typst brings Libertinus


@lru_cache(maxsize=64)
def typeset(text: str, picture: bytes = b"") -> bytes:
    """What typst makes of a text, which may show `picture.png`."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "main.typ").write_text(text, encoding="utf-8")
        (Path(folder) / "picture.png").write_bytes(picture)
        fonts = [FONTS] if FONTS.is_dir() else []
        made = typst.compile(Path(folder) / "main.typ", font_paths=fonts)
    assert isinstance(made, bytes)
    return made


def picture(color: str = "blue", width: int = 300, height: int = 150) -> bytes:
    """A picture of one colour, as PNG."""
    written = io.BytesIO()
    Image.new("RGB", (width, height), color).save(written, "PNG")
    return written.getvalue()


def scan(*colors: str) -> bytes:
    """Pages that are pictures alone."""
    pages = [Image.new("RGB", (600, 800), color) for color in colors]
    written = io.BytesIO()
    pages[0].save(written, "PDF", save_all=True, append_images=pages[1:])
    return written.getvalue()


def drawn(draw: Callable[[Canvas], None], **options: object) -> bytes:
    """What reportlab makes of a canvas."""
    written = io.BytesIO()
    canvas = Canvas(written, pagesize=A4, invariant=1, **options)
    draw(canvas)
    canvas.save()
    return written.getvalue()


def texts(found: Extraction, kind: str = "", page: int = 0) -> list[str]:
    """The texts of elements that are not marginal."""
    return [
        text_of(found, one)
        for one in found.elements
        if not one.marginal and kind in {"", one.kind} and page in {0, one.page}
    ]


def text_of(found: Extraction, one: Element) -> str:
    """The text of an element."""
    return found.text[one.start : one.end]


@lru_cache(maxsize=8)
def photographed(raw: bytes, dots: int = 200) -> bytes:
    """The pages of a PDF as pictures alone, as a scanner makes them: JPEGs of so many dots to the
    inch."""
    with pdfium.PdfDocument(raw) as document:
        pages = [page.render(scale=dots / 72).to_pil().convert("RGB") for page in document]
    written = io.BytesIO()
    pages[0].save(written, "PDF", save_all=True, append_images=pages[1:], resolution=dots)
    return written.getvalue()
