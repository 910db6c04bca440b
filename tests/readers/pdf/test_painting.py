"""Pages as pictures, and PDFs that are made to harm the process that draws them."""

from __future__ import annotations

import hashlib
import io

import pytest
from PIL import Image, ImageChops
from reportlab.pdfgen.canvas import Canvas

from pincite.errors import SourceError
from pincite.readers.extraction.run import extract
from pincite.readers.page_pictures.ask import paint
from tests.readers.pdf.files import drawn, typeset
from tests.readers.pdf.objects import built, stream

PAGES = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"


def page_of(content: str, size: str = "0 0 612 792", more: str = "") -> bytes:
    return built(
        {
            1: "<< /Type /Catalog /Pages 2 0 R >>",
            2: PAGES,
            3: f"<< /Type /Page /Parent 2 0 R /MediaBox [{size}] /Contents 4 0 R {more} >>",
            4: stream(content, packed=True),
        }
    )


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_the_box_of_a_text_is_where_its_ink_is_however_the_page_is_turned(turn: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(turn)
        canvas.setFont("Helvetica", 30)
        canvas.drawString(100, 300, "Ocelots")

    raw = drawn(draw)
    painted = paint(raw, 1)
    found = extract("a.pdf", raw, hashlib.sha256(raw).hexdigest())
    (box,) = [one.box for one in found.elements]
    assert box is not None
    with Image.open(io.BytesIO(painted.image.data)) as opened:
        picture = opened.convert("L")
    ink = ImageChops.invert(picture).getbbox()
    assert ink is not None
    scale = picture.width / painted.width
    assert abs(picture.height / painted.height - scale) < 0.01
    near = 12.0  # points: boxes of letters are higher than their ink
    assert all(abs(one / scale - side) < near for one, side in zip(ink, box, strict=True))


def test_a_page_that_is_not_there_is_said() -> None:
    with pytest.raises(SourceError, match="page 2 does not exist"):
        paint(typeset("one"), 2)


def test_no_picture_has_more_pixels_than_a_screen_needs() -> None:
    for size in ("0 0 14400 14400", "0 0 200000 200000", "0 0 14400 2"):
        try:
            painted = paint(page_of("0 0 50 50 re f", size), 1)
        except SourceError:
            continue
        with Image.open(io.BytesIO(painted.image.data)) as picture:
            assert picture.width * picture.height <= 2_600_000
            assert max(picture.size) <= 2_001


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"%PDF-",
        b"%PDF-1.7\n" + b"x" * 1_000,
        b"<script>" * 100,
        page_of("", "0 0 0 0"),
        page_of("", "0 0 1e30 1e30"),
        page_of("", "nan inf 1 1"),
    ],
    ids=["empty", "head", "rubbish", "html", "flat", "vast", "no numbers"],
)
def test_what_cannot_be_drawn_is_refused_or_drawn_small(raw: bytes) -> None:
    try:
        size = len(paint(raw, 1).image.data)
    except SourceError:
        return
    assert size < 6_000_000


def test_a_page_that_takes_too_long_is_given_up() -> None:
    shapes = "".join(f"{n % 600} {n % 700} 300 300 re B " for n in range(400_000))
    with pytest.raises(SourceError, match=r"takes more than|crashed"):
        paint(page_of(shapes), 1, limit_s=0.5)


def test_a_page_that_takes_too_much_memory_is_given_up() -> None:
    with pytest.raises(SourceError, match="cannot be drawn"):
        paint(typeset("one"), 1, memory_bytes=60_000_000)


def test_scripts_and_forms_of_a_page_are_not_run() -> None:
    more = "/AA << /O << /S /JavaScript /JS (app.alert(1)) >> >>"
    assert paint(page_of("0 0 50 50 re f", more=more), 1).image.media_type == "image/png"
