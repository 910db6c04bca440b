"""Letters of right-to-left scripts that a program paints in several parts, and spaces between them.

Browsers paint a letter with its marks, or a ligature, as parts with one text (`ActualText`). The
library gives that text the place of the first part, often a mark, so that gaps appear within words.
It leaves out spaces that are painted separately.
"""

from __future__ import annotations

import ctypes
import re
from codecs import BOM_UTF16_BE
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import dist, isfinite
from typing import Any, Final

import pypdfium2.raw as pdfium_c

from pincite.readers.pdf.layout import Glyph
from pincite.readers.pdf.letters import letters_of

FROM_RIGHT = re.compile(r"[\u0590-\u08ff]")
_MOST_BYTES: Final = 80  # of one text; longer ones are lines, and stay as the library sees them
_MOST_OBJECTS: Final = 200_000  # of one page
_BEARING: Final = (
    0.6  # of a size: the most that a shape is narrower than its letter; half of Mono's
)
_LEAST_WIDTH: Final = 0.1  # points; characters that keep letters from joining have no width
_MOST_MARKS: Final = 8  # around one object
Placing = tuple[float, float, float, float]
Box = Callable[[float, float, float, float], Placing]


@dataclass(slots=True)
class _Part:
    """A text object: its place, the beginning of its first character, the characters that the
    library found in it, and the text that it is a part of, with the address of that text."""

    place: Placing
    begin: Placing
    glyphs: list[int]
    text: str
    cluster: int


def with_clusters(
    page: Any, box: Box, glyphs: Sequence[Glyph], owners: Sequence[int], known: Collection[int]
) -> list[Glyph]:
    """Return the glyphs of a page with the parts of one text as one glyph. Right-to-left letters,
    and signs, are `spaced` if a space is painted to their left. `owners` has the address of the
    object of each glyph, `known` the addresses of all objects with characters. `box` converts
    places of the page to those of a viewer."""
    owned: defaultdict[int, list[int]] = defaultdict(list)
    for position, owner in enumerate(owners):
        owned[owner].append(position)
    parts = list(_parts(page, box, owned, known))
    places: defaultdict[int, list[Placing]] = defaultdict(list)
    for part in parts:
        if part.cluster:
            places[part.cluster].append(part.place)
    for part, after in pairwise(parts):
        if part.glyphs and len(places[part.cluster]) == 1:  # a letter without marks, by its width
            left, top, right, bottom = part.place
            size = glyphs[part.glyphs[0]].style.size
            if 0 <= after.begin[0] - right < _BEARING * size:
                right = after.begin[0]
            places[part.cluster] = [(min(left, part.begin[0]), top, right, bottom)]
    found: list[Glyph | None] = list(glyphs)
    firsts: dict[int, int] = {}  # of each text the position of its glyph
    for part in parts:
        for position in part.glyphs:
            glyph = glyphs[position]
            if part.cluster in firsts:
                found[position] = None
            elif part.cluster:
                firsts[part.cluster] = position
                found[position] = Glyph(part.text, *_around(places[part.cluster]), glyph.style)
            elif FROM_RIGHT.match(glyph.text) or not glyph.text.isalnum():
                found[position] = glyph._replace(spaced=False)
    for after in _after_spaces(parts, glyphs):
        position = firsts.get(after.cluster, -1)
        if after.glyphs and not after.cluster:
            position = min(after.glyphs, key=lambda one: glyphs[one].left)
        spaced = found[position] if position >= 0 else None
        if spaced is not None:
            found[position] = spaced._replace(spaced=True)
    order = _as_painted(parts, glyphs) if firsts else range(len(found))
    return [glyph for glyph in map(found.__getitem__, order) if glyph is not None]


def _as_painted(parts: Sequence[_Part], glyphs: Sequence[Glyph]) -> list[int]:
    """Return the positions of the glyphs in the order in which they are painted, so that neighbours
    on a line follow each other. The library reverses words."""
    ranks: dict[int, tuple[int, float]] = {}
    for number, part in enumerate(parts):
        for position in part.glyphs:
            ranks[position] = number, glyphs[position].left
    before = (-1, 0.0)
    for position in range(len(glyphs)):
        before = ranks.setdefault(position, before)
    return sorted(ranks, key=lambda one: (ranks[one], one))


def _parts(
    page: Any, box: Box, owned: Mapping[int, list[int]], known: Collection[int]
) -> Iterator[_Part]:
    """Yield the text objects of a page in its order. Those without characters are parts of a text,
    or spaces."""
    sides = [ctypes.c_float() for _ in range(4)]
    addresses = [ctypes.byref(side) for side in sides]
    matrix = pdfium_c.FS_MATRIX()
    for index in range(min(pdfium_c.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        part = pdfium_c.FPDFPage_GetObject(page, index)
        if not part or pdfium_c.FPDFPageObj_GetType(part) != pdfium_c.FPDF_PAGEOBJ_TEXT:
            continue
        owner = ctypes.addressof(part.contents)
        glyphs = owned.get(owner, [])
        if owner in known and not glyphs:  # invisible, or without a Unicode character
            continue
        if not pdfium_c.FPDFPageObj_GetBounds(part, *addresses):
            continue
        place = box(*(side.value for side in sides))
        pdfium_c.FPDFPageObj_GetMatrix(part, ctypes.byref(matrix))
        begin = box(matrix.e, matrix.f, matrix.e, matrix.f)
        if all(map(isfinite, (*place, *begin))):
            yield _Part(place, begin, glyphs, *_text_of(part))


def _text_of(part: Any) -> tuple[str, int]:
    """Return the text that an object is a part of, and its address; "" and 0 if it has none of its
    own, or one without letters from right to left."""
    size, raw = ctypes.c_ulong(), (ctypes.c_ubyte * _MOST_BYTES)()
    for index in range(min(pdfium_c.FPDFPageObj_CountMarks(part), _MOST_MARKS)):
        mark = pdfium_c.FPDFPageObj_GetMark(part, index)
        if not pdfium_c.FPDFPageObjMark_GetParamBlobValue(
            mark, b"ActualText", raw, _MOST_BYTES, ctypes.byref(size)
        ):
            continue
        written = bytes(raw[: min(size.value, _MOST_BYTES)])
        if written.startswith(BOM_UTF16_BE) and size.value <= _MOST_BYTES:
            text = letters_of(written.decode("utf-16", "ignore"))
            if FROM_RIGHT.search(text) and " " not in text:
                return text, ctypes.addressof(mark.contents)
    return "", 0


def _after_spaces(parts: Sequence[_Part], glyphs: Sequence[Glyph]) -> Iterator[_Part]:
    """Yield the parts with a space to their left, also if the library left it out. Browsers paint
    lines from left to right."""
    for part, after in pairwise(parts):
        left, top, right, bottom = part.place
        if part.glyphs:
            is_space = glyphs[max(part.glyphs, key=lambda one: glyphs[one].right)].text == " "
        else:
            is_blank = right <= left and bottom <= top and not part.cluster
            is_space = is_blank and dist(part.begin[:2], after.begin[:2]) > _LEAST_WIDTH
        if is_space:
            yield after


def _around(places: Sequence[Placing]) -> Placing:
    lefts, tops, rights, bottoms = zip(*places, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
