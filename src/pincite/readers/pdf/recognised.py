"""OCR of pages that are pictures. The weights are part of the library, and no request is sent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import median
from typing import Any, Final

import pypdfium2 as pdfium

from pincite.readers.pdf.characters import View
from pincite.readers.pdf.layout import Glyph, Run, Style
from pincite.readers.pdf.letters import letters_of

#: Pages of one file; the rest stay `scanned`. At 4 s a page they take half an hour.
MOST_RECOGNISED: Final = 500  # guess, unmeasured
#: Dots in a point. On pages of 8 to 11 points 150 and 200 to the inch gave the same words; with 200
#: some spaces were lost that 150 kept (decision 0039), and it takes longer.
_DOTS: Final = 150 / 72
_LONGEST: Final = 2000  # dots of a side; the library takes 1.1 GB for it, and makes more smaller
_LEAST: Final = 30.0  # dots: a smaller picture holds no line
_MOST_LINES: Final = 2_000  # of a page
_MOST_LETTERS: Final = 2_000  # of a line


def recognised_runs(document: pdfium.PdfDocument, index: int) -> list[Run]:
    """Return the lines of text in the picture of a page, with places in points; `index` counts from
    0. All lines get the median type size: OCR does not know it, so headings are not detected."""
    page = document[index]
    try:
        view = View(page)
        scale = min(_DOTS, _LONGEST / max(view.width, view.height, 1.0))
        if min(view.width, view.height) * scale < _LEAST:
            return []
        bitmap = page.render(scale=scale, may_draw_forms=False, draw_annots=False)
        try:
            picture = bitmap.to_pil().convert("RGB")
        finally:
            bitmap.close()
    finally:
        page.close()
    across, down = view.width / picture.width, view.height / picture.height
    found = _reader()(_as_array(picture), use_cls=False)
    if found.boxes is None or found.txts is None:
        return []
    lines = []
    for corners, text in list(zip(found.boxes.tolist(), found.txts, strict=True))[:_MOST_LINES]:
        box = _box_of(corners, across, down)
        letters = letters_of(text[:_MOST_LETTERS]).strip()
        if box is not None and letters:
            lines.append((box, letters))
    if not lines:
        return []
    size = round(median(bottom - top for (_, top, _, bottom), _ in lines), 1) or 1.0
    return [_run(box, letters, Style(size, False, False, 0)) for box, letters in lines]


@cache
def _reader() -> Any:
    """Return the OCR library with one thread, so that the same picture gives the same text."""
    import cv2
    from rapidocr import RapidOCR

    cv2.setNumThreads(1)
    return RapidOCR(
        params={
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            "Global.log_level": "critical",
        }
    )


def _as_array(picture: Any) -> Any:
    """Return the picture as an array of shape (height, width, 3) in the order blue, green, red."""
    import numpy as np

    return np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])


def _box_of(
    corners: Sequence[Sequence[float]], across: float, down: float
) -> tuple[float, float, float, float] | None:
    xs = [float(x) * across for x, _ in corners]
    ys = [float(y) * down for _, y in corners]
    if not all(map(math.isfinite, (*xs, *ys))):
        return None
    return min(xs), min(ys), max(xs), max(ys)


def _run(box: tuple[float, float, float, float], letters: str, style: Style) -> Run:
    """Return a line with letters of equal width, because OCR gives no place for each letter."""
    left, top, right, bottom = box
    width = (right - left) / len(letters)
    glyphs = [
        Glyph(letter, left + width * place, top, left + width * (place + 1), bottom, style)
        for place, letter in enumerate(letters)
    ]
    return Run(left, top, right, bottom, glyphs)
