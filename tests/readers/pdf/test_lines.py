"""Large and small type beside each other, and the spaces of letterspaced lines."""

from __future__ import annotations

import pytest
from reportlab.pdfgen.canvas import Canvas

from pincite.readers.pdf.extract import extract_pdf
from tests.readers.pdf.files import drawn, texts

SENTENCE = "Captain Ahlers keeps the tide tables in the red drawer, and nobody may take them away"


def written(canvas: Canvas, size: float, *lines: tuple[float, float, str]) -> None:
    """Write lines, each given as (left, height above the bottom, text)."""
    canvas.setFont("Helvetica", size)
    for left, height, text in lines:
        canvas.drawString(left, height, text)


@pytest.mark.parametrize("size", [18, 24, 36, 60])
def test_a_large_number_stands_before_the_small_lines_beside_it(size: int) -> None:
    def draw(canvas: Canvas) -> None:
        written(canvas, size, (72, 703 - size / 3, "42%"))
        lines = [(240, 704, "of our customers renew"), (240, 690, "their contract in March")]
        written(canvas, 12, *lines)

    said = " ".join(texts(extract_pdf(drawn(draw))))
    assert said == "42% of our customers renew their contract in March"


def test_a_large_number_stands_behind_the_small_lines_to_its_left() -> None:
    def draw(canvas: Canvas) -> None:
        written(canvas, 12, (72, 704, "Customers who renew"), (72, 690, "their contract in March"))
        written(canvas, 36, (230, 690, "42%"))

    said = " ".join(texts(extract_pdf(drawn(draw))))
    assert said == "Customers who renew their contract in March 42%"


@pytest.mark.parametrize(("size", "beside"), [(34, 2), (50, 3), (64, 4)])
def test_an_initial_begins_the_first_line_beside_it(size: int, beside: int) -> None:
    rest = SENTENCE[1:].split()
    lines = [" ".join(rest[start : start + 4]) for start in range(0, len(rest), 4)]

    def draw(canvas: Canvas) -> None:
        written(canvas, size, (72, 700 - 14 * (beside - 1), SENTENCE[0]))
        indent = canvas.stringWidth(SENTENCE[0], "Helvetica", size) + 3
        for row, line in enumerate(lines):
            written(canvas, 12, (72 + indent * (row < beside), 700 - 14 * row, line))

    assert texts(extract_pdf(drawn(draw))) == [SENTENCE]


def test_footnote_marks_stay_on_the_line_of_larger_type() -> None:
    """Also marks of half the size, and of several letters."""

    def draw(canvas: Canvas) -> None:
        written(canvas, 12, (72, 700, "The harbour"), (156, 700, "has a lamp of 400 W/m"))
        written(canvas, 12, (281, 700, "of light and a bell"))
        written(canvas, 12, (72, 686, "and the pilots have a boat of their own"))
        written(canvas, 6, (135.5, 705, "12,14"), (274.7, 705, "2"))

    said = " ".join(texts(extract_pdf(drawn(draw))))
    assert said.startswith("The harbour12,14 has a lamp of 400 W/m2 of light and a bell and the")


@pytest.mark.parametrize("apart", [0.5, 1, 1.5, 2])
def test_a_letterspaced_line_keeps_its_last_letter(apart: float) -> None:
    def draw(canvas: Canvas) -> None:
        for height, line in ((700, "ANNUAL REPORT 2024"), (650, "of the harbour")):
            text = canvas.beginText(72, height)
            text.setFont("Helvetica", 14)
            text.setCharSpace(apart)
            text.textLine(line)
            canvas.drawText(text)

    assert texts(extract_pdf(drawn(draw))) == ["ANNUAL REPORT 2024", "of the harbour"]
