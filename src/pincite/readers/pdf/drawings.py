"""The graphics of a page: rules, shapes and pictures."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pincite.readers.pdf.characters import View
from pincite.readers.pdf.layout import Placed

MOST_OBJECTS: Final = 20_000  #: of one page; maps have more, but no tables
_MOST_SEGMENTS: Final = 400  # of one path; longer ones are curves
_MOST_STROKES: Final = 40_000  # of one page
_DEPTH: Final = 4  # of forms in forms
_THIN: Final = 2.5  # points: a thinner shape is a rule
_SHORTEST: Final = 4.0  # points: a shorter shape is not a rule
Matrix = tuple[float, float, float, float, float, float]
_SAME: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Drawings:
    """Horizontal (`level`) and vertical (`upright`) rules, and the places of pictures and of other
    shapes. `cut` means that the page has more objects than are read."""

    level: tuple[Placed, ...]
    upright: tuple[Placed, ...]
    pictures: tuple[Placed, ...]
    shapes: tuple[Placed, ...]
    cut: bool


def read_drawings(page: pdfium.PdfPage, view: View) -> Drawings:
    """Return the graphics of the page, in the coordinates of `view`."""
    level: list[Placed] = []
    upright: list[Placed] = []
    pictures: list[Placed] = []
    shapes: list[Placed] = []
    count = strokes = 0
    for kind, item, matrix in _objects(page):
        count += 1
        if count > MOST_OBJECTS or strokes > _MOST_STROKES:
            count = MOST_OBJECTS + 1
            break
        if kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            found = _bounds(item, matrix, view)
            if found is not None:
                pictures.append(found)
            continue
        for one, filled in _strokes(item, matrix, view):
            strokes += 1
            wide, high = one.right - one.left, one.bottom - one.top
            if high <= _THIN and wide >= _SHORTEST:
                level.append(one)
            elif wide <= _THIN and high >= _SHORTEST:
                upright.append(one)
            elif filled or wide > _THIN or high > _THIN:
                shapes.append(one)
    return Drawings(
        tuple(level), tuple(upright), tuple(pictures), tuple(shapes), count > MOST_OBJECTS
    )


def _objects(page: pdfium.PdfPage) -> Iterator[tuple[int, Any, Matrix]]:
    """Yield (kind, object, matrix) of paths and pictures, also within forms. The matrix maps the
    object's parent to the page."""
    waiting: list[tuple[Any, Matrix, int]] = [(None, _SAME, 0)]
    seen = 0
    while waiting:
        form, matrix, depth = waiting.pop()
        if form is None:
            count, get, owner = (
                pdfium_c.FPDFPage_CountObjects,
                pdfium_c.FPDFPage_GetObject,
                page.raw,
            )
        else:
            count, get, owner = (
                pdfium_c.FPDFFormObj_CountObjects, pdfium_c.FPDFFormObj_GetObject, form,
            )  # fmt: skip
        for index in range(min(max(0, count(owner)), 5 * MOST_OBJECTS)):
            seen += 1
            if seen > 5 * MOST_OBJECTS:
                return
            item = get(owner, index)
            kind = pdfium_c.FPDFPageObj_GetType(item) if item else 0
            if kind in {pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_IMAGE}:
                yield kind, item, matrix
            elif kind == pdfium_c.FPDF_PAGEOBJ_FORM and depth < _DEPTH:
                waiting.append((item, _times(_matrix_of(item), matrix), depth + 1))


def _matrix_of(item: Any) -> Matrix:
    found = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFPageObj_GetMatrix(item, ctypes.byref(found)):
        return _SAME
    return found.a, found.b, found.c, found.d, found.e, found.f


def _times(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (
        a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s,
        e * p + f * r + t, e * q + f * s + u,
    )  # fmt: skip


def _point(x: float, y: float, matrix: Matrix) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _bounds(item: Any, matrix: Matrix, view: View) -> Placed | None:
    sides = [ctypes.c_float() for _ in range(4)]
    if not pdfium_c.FPDFPageObj_GetBounds(item, *map(ctypes.byref, sides)):
        return None
    left, bottom, right, top = (side.value for side in sides)
    corners = [_point(x, y, matrix) for x in (left, right) for y in (bottom, top)]
    return _placed(corners, view)


def _placed(points: list[tuple[float, float]], view: View) -> Placed | None:
    """Return the bounding box of the points, clipped to the visible page; None if it is outside of
    it."""
    if not all(math.isfinite(value) for point in points for value in point):
        return None
    across, down = [x for x, _ in points], [y for _, y in points]
    left, top, right, bottom = view.box(min(across), min(down), max(across), max(down))
    if not view.shows(left, top, right, bottom):
        return None
    return Placed(max(0.0, left), max(0.0, top), min(view.width, right), min(view.height, bottom))


def _strokes(item: Any, outer: Matrix, view: View) -> Iterator[tuple[Placed, bool]]:
    """Yield the straight strokes of a path as (place, False). A path that is only filled, or has
    too many segments, is one place; the second value says whether it is filled."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium_c.FPDFPath_GetDrawMode(item, ctypes.byref(fill), ctypes.byref(stroke)):
        return
    if not fill.value and not stroke.value:
        return
    count = pdfium_c.FPDFPath_CountSegments(item)
    if (fill.value and not stroke.value) or not 0 < count <= _MOST_SEGMENTS:
        whole = _bounds(item, outer, view)
        if whole is not None:
            yield whole, bool(fill.value)
        return
    matrix = _times(_matrix_of(item), outer)
    start = before = (0.0, 0.0)
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = pdfium_c.FPDFPath_GetPathSegment(item, index)
        pdfium_c.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        here = _point(x.value, y.value, matrix)
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            start = here
        else:
            found = _placed([before, here], view)
            if found is not None:
                yield found, False
        before = here
        if pdfium_c.FPDFPathSegment_GetClose(segment):
            closing = _placed([here, start], view)
            if closing is not None:
                yield closing, False
            before = start
