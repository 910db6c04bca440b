"""The characters of a page with their positions, and runs of adjacent characters."""

from __future__ import annotations

import ctypes
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from pincite.readers.pdf.clusters import FROM_RIGHT, with_clusters
from pincite.readers.pdf.layout import Glyph, Placed, Run, Style, is_large, level_with
from pincite.readers.pdf.letters import letter_of

MOST_GLYPHS: Final = 200_000  #: of one page; what comes after them is left out, and noted
#: Times the size of the type: a gap that may part two columns. Justified lines have gaps of 0.7.
GUTTER: Final = 0.9
_MADE_UP = 0.01  # points: spaces that the library adds are narrower
_TALLEST: Final = 1.55  # sizes; brackets over several lines would tie these together
Placing = tuple[float, float, float, float]
_OVERHANG = 0.1  # of a size: the most that a letter overlaps the next
_ANGLE_SLACK = 3.0  # degrees
_FIXED_PITCH, _FORCE_BOLD = 1, 1 << 18  # flags of a font (ISO 32000-1, table 123)
_BOLD_NAMES = ("bold", "black", "heavy", "cmbx", "sfbx", "demi")
_MONO_NAMES = ("mono", "courier", "consol", "typewriter", "sftt", "menlo", "lmtt")
_MONO_TEX = re.compile(r"(?:^|\+)(?:cm|ec|sf)[a-z]{0,2}tt")


@dataclass(frozen=True, slots=True)
class PageText:
    """The glyphs of a page. `slanted` has the texts at an angle that is not a multiple of 90
    degrees. `unmapped` counts glyphs without a Unicode character. `cut` means that the page has
    more than MOST_GLYPHS."""

    glyphs: tuple[Glyph, ...]
    slanted: tuple[Run, ...] = ()
    unmapped: int = 0
    cut: bool = False


class View:
    """Converts PDF coordinates of a page to those of a viewer: points from the upper left corner of
    the visible area, with the page's rotation applied."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        box = pdfium_c.FS_RECTF()  # the library also finds one if the boxes of the file are invalid
        pdfium_c.FPDF_GetPageBoundingBox(page.raw, ctypes.byref(box))
        left, right = sorted((box.left, box.right))
        bottom, top = sorted((box.bottom, box.top))
        self._left, self._bottom, self._right, self._top = left, bottom, right, top
        self.turn = page.get_rotation() % 360
        across, down = abs(right - left), abs(top - bottom)
        self.width, self.height = (down, across) if self.turn in {90, 270} else (across, down)

    def box(
        self, left: float, bottom: float, right: float, top: float
    ) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom in points, as displayed."""
        if self.turn == 90:
            return bottom - self._bottom, left - self._left, top - self._bottom, right - self._left
        if self.turn == 180:
            return (
                self._right - right,
                bottom - self._bottom,
                self._right - left,
                top - self._bottom,
            )
        if self.turn == 270:
            return self._top - top, self._right - right, self._top - bottom, self._right - left
        return left - self._left, self._top - top, right - self._left, self._top - bottom

    def shows(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Return whether any part of the rectangle is on the visible page."""
        return right >= 0 and bottom >= 0 and left <= self.width and top <= self.height


def read_glyphs(page: pdfium.PdfPage, view: View) -> PageText:
    """Return all characters of the page in file order, visible or not, up to MOST_GLYPHS."""
    text_page = page.get_textpage()
    try:
        return _read(page.raw, text_page.raw, text_page.count_chars(), view)
    finally:
        text_page.close()


def _read(page: Any, text_page: Any, count: int, view: View) -> PageText:
    code_of, object_of = pdfium_c.FPDFText_GetUnicode, pdfium_c.FPDFText_GetTextObject
    box_of, rectangle = pdfium_c.FPDFText_GetLooseCharBox, pdfium_c.FS_RECTF()
    address, broken = ctypes.byref(rectangle), pdfium_c.FPDFText_HasUnicodeMapError
    styles: dict[int, Style] = {}
    glyphs: list[Glyph] = []
    owners: list[int] = []
    from_right = False
    slanted: list[Run] = []
    unmapped, last, high, gap = 0, 0, "", False
    for index in range(min(count, MOST_GLYPHS)):
        owner = object_of(text_page, index)
        if not owner:  # a space or line end that the library made up
            last, gap = 0, True
            continue
        key = ctypes.addressof(owner.contents)
        style = styles.get(key)
        if style is None:
            style = styles[key] = _style_of(text_page, index, owner, view.turn)
        code = code_of(text_page, index)
        if 0xD800 <= code < 0xDC00:
            high = chr(code)
            continue
        if high and 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((ord(high) - 0xD800) << 10) + (code - 0xDC00)
        high = ""
        letter = letter_of(code)
        if not letter or (broken(text_page, index) == 1 and not letter.isspace()):
            unmapped += 1
            if not letter:
                continue
        if not box_of(text_page, index, address):
            continue
        place = view.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top)
        if not all(map(math.isfinite, place)) or not view.shows(*place):
            continue
        if style.turn in {0, 180} and place[3] - place[1] > _TALLEST * style.size:
            place = _lower(text_page, index, view, place, style.size)
        glyph = Glyph(letter, *place, style)
        if style.turn is not None:
            if letter == " " and place[2] - place[0] < _MADE_UP > place[3] - place[1]:
                gap = True
                continue
            glyphs.append(glyph)
            owners.append(key)
            from_right = from_right or FROM_RIGHT.match(letter) is not None
            if gap and len(glyphs) > 1:
                _space_between(glyphs)
            gap = False
        elif last == key and slanted:
            slanted[-1] = _grown(slanted[-1], glyph)
        elif not letter.isspace():
            slanted.append(Run(*place, [glyph]))
        last = key
    if from_right:
        glyphs = with_clusters(page, view.box, glyphs, owners, styles.keys())
    return PageText(tuple(glyphs), tuple(slanted), unmapped, count > MOST_GLYPHS)


def _lower(text_page: Any, index: int, view: View, place: Placing, size: float) -> Placing:
    """Return a place with the height of the type, centred on the printed shape. For characters
    whose font box is taller than a line, and for characters that span several lines."""
    sides = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = map(ctypes.byref, sides)
    if pdfium_c.FPDFText_GetCharBox(text_page, index, left, right, bottom, top):
        x, far, low, high = (side.value for side in sides)
        _, seen_top, _, seen_bottom = view.box(x, low, far, high)
        middle = (seen_top + seen_bottom) / 2
    else:
        middle = (place[1] + place[3]) / 2
    return place[0], middle - 0.6 * size, place[2], middle + 0.6 * size


def _space_between(glyphs: list[Glyph]) -> None:
    """Mark the right one of the last two glyphs as preceded by a space, if they are on one line."""
    before, after = glyphs[-2:]
    if not level_with(before, after):  # the end of a line
        return
    if before.right <= after.left + _OVERHANG * after.style.size:
        glyphs[-1] = after._replace(spaced=True)
    elif after.right <= before.left + _OVERHANG * after.style.size:
        glyphs[-2] = before._replace(spaced=True)


def _style_of(text_page: Any, index: int, owner: Any, page_turn: int) -> Style:
    matrix = pdfium_c.FS_MATRIX()
    pdfium_c.FPDFText_GetMatrix(text_page, index, ctypes.byref(matrix))
    size = pdfium_c.FPDFText_GetFontSize(text_page, index) * math.hypot(matrix.c, matrix.d)
    angle = math.degrees(math.atan2(-matrix.b, matrix.a)) + page_turn if matrix.a or matrix.b else 0
    quarter = round(angle / 90) * 90
    turn = quarter % 360 if abs(angle - quarter) <= _ANGLE_SLACK else None
    font = pdfium_c.FPDFTextObj_GetFont(owner)
    name, flags = _font_name(font), max(0, pdfium_c.FPDFFont_GetFlags(font))
    bold = bool(flags & _FORCE_BOLD) or any(part in name for part in _BOLD_NAMES)
    mono = bool(flags & _FIXED_PITCH) or any(part in name for part in _MONO_NAMES)
    mono = mono or _MONO_TEX.search(name) is not None
    return Style(round(size, 1) if math.isfinite(size) and size > 0.1 else 10.0, bold, mono, turn)


def _font_name(font: Any) -> str:
    name = ctypes.create_string_buffer(256)
    length = pdfium_c.FPDFFont_GetBaseFontName(font, name, 256)
    return name.raw[: max(0, min(length, 256) - 1)].decode("utf-8", "replace").lower()


def by_turn(glyphs: Sequence[Glyph]) -> Iterator[tuple[int, list[Glyph]]]:
    """Yield (direction of writing in degrees, its glyphs), the direction with the most glyphs
    first."""
    found: defaultdict[int, list[Glyph]] = defaultdict(list)
    for glyph in glyphs:
        found[glyph.style.turn or 0].append(glyph)
    yield from sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))


def upright(glyph: Glyph, turn: int, width: float, height: float) -> Glyph:
    """Return the glyph with the page rotated so that text of this direction is upright. `width` and
    `height` are those of the page before that, in points."""
    place = _turn(glyph.left, glyph.top, glyph.right, glyph.bottom, -turn % 360, width, height)
    return Glyph(glyph.text, *place, glyph.style, glyph.spaced and turn != 180)


def turned_back(
    one: Placed, turn: int, width: float, height: float
) -> tuple[float, float, float, float]:
    """Return the place on the original page of something on a rotated one (see `upright`). `width`
    and `height` are those of the rotated page, in points."""
    return _turn(one.left, one.top, one.right, one.bottom, turn, width, height)


def _turn(
    left: float, top: float, right: float, bottom: float, turn: int, width: float, height: float
) -> tuple[float, float, float, float]:
    """Return a rectangle after its page, of this width and height, was rotated clockwise by `turn`
    degrees (90, 180 or 270)."""
    if turn == 90:
        return height - bottom, left, height - top, right
    if turn == 180:
        return width - right, height - bottom, width - left, height - top
    return top, width - right, bottom, width - left


def runs_of(glyphs: Sequence[Glyph]) -> list[Run]:
    """Return runs of adjacent glyphs in file order. Glyphs that are neighbours on the page mostly
    are neighbours in the file; `lines_of` joins runs where they are not. Large type and small type
    are in different runs, because two small lines may be beside one large letter."""
    runs: list[Run] = []
    held: list[Glyph] = []
    left = top = right = bottom = size = 0.0
    for glyph in glyphs:
        text, g_left, g_top, g_right, g_bottom, style, _ = glyph
        if held:
            shared = (g_bottom if g_bottom < bottom else bottom) - (g_top if g_top > top else top)
            low = min(bottom - top, g_bottom - g_top)
            larger, smaller = (size, style.size) if size > style.size else (style.size, size)
            reach = GUTTER * larger
            near = shared >= 0.5 * low and g_left - right <= reach and left - g_right <= reach
            if near and (text == " " or not is_large(larger, smaller)):
                held.append(glyph)
                if text != " ":
                    left, right = min(left, g_left), max(right, g_right)
                    top, bottom = min(top, g_top), max(bottom, g_bottom)
                    size = style.size
                continue
        if text == " ":
            continue
        if held:
            runs.append(_run(left, top, right, bottom, held))
        held, size = [glyph], style.size
        left, top, right, bottom = g_left, g_top, g_right, g_bottom
    if held:
        runs.append(_run(left, top, right, bottom, held))
    return runs


def _run(left: float, top: float, right: float, bottom: float, glyphs: list[Glyph]) -> Run:
    while glyphs[-1].text == " ":
        glyphs.pop()
    return Run(left, top, right, bottom, glyphs)


def _grow(run: Run, glyph: Glyph) -> None:
    run.glyphs.append(glyph)
    if glyph.text != " ":
        run.left, run.right = min(run.left, glyph.left), max(run.right, glyph.right)
        run.top, run.bottom = min(run.top, glyph.top), max(run.bottom, glyph.bottom)


def _grown(run: Run, glyph: Glyph) -> Run:
    _grow(run, glyph)
    return run
