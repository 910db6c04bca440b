"""Slides: title, then shapes in the reading order of screen readers, then notes.

Hidden slides are counted but not read. Footers, dates and slide numbers are marked as marginal.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PackageNotFoundError, PythonPptxError
from pptx.oxml.ns import qn
from pptx.shapes.shapetree import SlideShapeFactory

from pincite.readers.extraction.result import MOST_CHARS, Extraction, refused
from pincite.readers.office.building import CELL, Builder
from pincite.readers.office.package import open_package

_MARGINAL = (PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.SLIDE_NUMBER)
_MOST_DEPTH = 50  # of groups and alternatives within each other
_MOST_CELLS = MOST_CHARS // len(CELL)  # of a chart: more are more text than a file may have
_SHAPE, _GROUP, _FRAME = qn("p:sp"), qn("p:grpSp"), qn("p:graphicFrame")
_SHAPES: Final = frozenset({_SHAPE, _FRAME, qn("p:pic")})
_ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_FORMULA = "{http://schemas.microsoft.com/office/drawing/2010/main}m"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_TEXT, _PARAGRAPH, _BREAK = qn("a:t"), qn("a:p"), qn("a:br")
_DIAGRAM = "/diagramData"
_INDEX = re.compile(r"[0-9]{1,9}")
_BROKEN = (
    *(ValueError, TypeError, LookupError, AttributeError, NotImplementedError, OverflowError),
    *(PythonPptxError, etree.LxmlError),
)  # errors of the libraries for a shape


def extract_pptx(raw: bytes) -> Extraction:
    """Return the text of a presentation. Raises SourceError."""
    open_package(raw)
    try:
        presentation = Presentation(io.BytesIO(raw))
    except (KeyError, ValueError, PackageNotFoundError) as error:
        raise refused("failed", f"it is not a slide file: {error}") from error
    builder = Builder("slide", "pptx")
    title = presentation.core_properties.title or ""
    diagrams: set[str] = set()
    for number, slide in enumerate(presentation.slides, start=1):
        if number > 1:
            builder.next_page()
        if builder.repeats(slide.part.partname):
            continue
        if slide.element.get("show") in ("0", "false"):
            builder.note(f"hidden: slide {number}")
            continue
        elements = list(_elements(slide.shapes.element, 0))
        heading = next(filter(_is_title, elements), None)
        if heading is not None:
            said = _text_of(heading.find(qn("p:txBody")))
            builder.add("heading", said, level=1)
            title = title or said
        for element in elements:
            if element is not heading:
                try:
                    _add(builder, SlideShapeFactory(element, slide.shapes))
                except _BROKEN as error:
                    builder.note(_unread(number, error))
        for relation in slide.part.rels.values():
            try:
                builder.add("paragraph", _diagram(relation, diagrams))
            except _BROKEN as error:
                builder.note(_unread(number, error))
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            builder.add("paragraph", slide.notes_slide.notes_text_frame.text)
    return builder.done(title)


def _unread(slide: int, error: Exception) -> str:
    return f"unread: slide {slide}, a shape: {type(error).__name__}: {error}"[:200]


def _elements(tree: Any, depth: int) -> Iterator[Any]:
    """Yield the elements of shapes, including those in groups. Of alternatives of the same shape,
    for programs of different years, the first with a shape that can be read is taken."""
    if depth > _MOST_DEPTH:
        raise refused("failed", "it is nested too deeply")
    for child in tree:
        if child.tag in _SHAPES:
            yield child
        elif child.tag == _GROUP:
            yield from _elements(child, depth + 1)
        elif child.tag == _ALTERNATE:
            for branch in child:
                found = list(_elements(branch, depth + 1))
                if any(map(_is_known, found)):
                    yield from found
                    break


def _is_known(element: Any) -> bool:
    """Return whether this is a text, a picture, a table or a chart of a known kind."""
    data = next(element.iter(qn("a:graphicData")), None) if element.tag == _FRAME else None
    kind = data.get("uri", "") if data is not None else ""
    return element.tag != _FRAME or kind.endswith(("drawingml/2006/chart", "drawingml/2006/table"))


def _is_title(element: Any) -> bool:
    place = element.find(f"{qn('p:nvSpPr')}/{qn('p:nvPr')}/{qn('p:ph')}")
    return place is not None and place.get("idx", "0") == "0"


def _text_of(body: Any) -> str:
    """Return the lines of a text with its formulas, "" for None."""
    paragraphs = body.iterchildren(_PARAGRAPH) if body is not None else ()
    return "\n".join("".join(_runs(one)) for one in paragraphs)


def _runs(paragraph: Any) -> Iterator[str]:
    for child in paragraph:
        if child.tag == _BREAK:
            yield "\n"
        elif child.tag in (qn("a:r"), qn("a:fld")):
            yield from (one.text or "" for one in child.iterchildren(_TEXT))
        elif child.tag == _FORMULA:
            yield from (one.text or "" for one in child.iter(_MATH_TEXT))


def _add(builder: Builder, shape: Any) -> None:
    if getattr(shape, "has_table", False) and shape.has_table:
        rows = shape.table._tbl.tr_lst  # `rows` makes this list for each row
        builder.table(
            [["" if one.is_spanned else _text_of(one.txBody) for one in row.tc_lst] for row in rows]
        )
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        if not builder.repeats(shape.chart_part.partname, "a chart"):
            _add_chart(builder, shape.chart)
    elif shape.element.tag == _SHAPE:
        is_margin = shape.is_placeholder and shape.placeholder_format.type in _MARGINAL
        said = _text_of(shape.element.find(qn("p:txBody")))
        builder.add("paragraph", said, marginal=is_margin)
    elif shape.element.tag == qn("p:pic"):
        said = next(iter(shape.element.xpath(".//p:cNvPr/@descr")), "")
        try:
            image = shape.image
        except (ValueError, KeyError, AttributeError):  # linked, or of a kind it does not know
            builder.picture(b"", "", said)
            return
        builder.picture(image.blob, image.content_type, said)


def _add_chart(builder: Builder, chart: Any) -> None:
    """Add a chart of any type: its title, and its data as a table with a row for each category."""
    if chart.has_title and chart.chart_title.has_text_frame:
        builder.add("paragraph", chart.chart_title.text_frame.text)
    for area in chart.element.iter(qn("c:plotArea")):
        for plot in area:
            series = sorted(plot.iterchildren(qn("c:ser")), key=_order)
            if series:
                builder.table(_table_of(series))


def _order(series: Any) -> int:
    order = series.find(qn("c:order"))
    number = order.get("val") or "" if order is not None else ""
    return int(number) if _INDEX.fullmatch(number) else 0


def _table_of(series: list[Any]) -> list[list[str]]:
    """Return a header row, and a row for each category up to its last value: a file may have very
    many series, and very many categories in one of them."""
    names = (next(one.iterfind(f"{qn('c:tx')}//{qn('c:v')}"), None) for one in series)
    header = ["", *((name.text or "").strip() if name is not None else "" for name in names)]
    labels = _points(series[0], "c:cat", "c:xVal")
    rows = {number: [label] for number, label in labels.items()}
    size = 0
    for column, one in enumerate(series, start=1):
        for number, value in _points(one, "c:val", "c:yVal").items():
            row = rows.setdefault(number, [""])
            gap = column - len(row)
            size += gap + 1
            if size > _MOST_CELLS:
                raise refused("too_large", f"more than {MOST_CHARS:,} characters of text")
            row += [*[""] * gap, _number(value)]
    return [header, *(rows[number] for number in sorted(rows))]


def _points(series: Any, *places: str) -> dict[int, str]:
    """Return the saved values of a series by their number, of the innermost level of categories.

    The library searches all points for each number, up to the count that the file gives, which
    takes quadratic time.
    """
    found: dict[int, str] = {}
    for place in places:
        for part in series.iterchildren(qn(place)):
            level = next(part.iter(qn("c:lvl")), part)
            for point in level.iter(qn("c:pt")):
                number = point.get("idx") or ""
                value = point.find(qn("c:v"))
                if value is not None and _INDEX.fullmatch(number):
                    found.setdefault(int(number), (value.text or "").strip())
    return found


def _number(text: str) -> str:
    """Return a saved number without binary rounding noise."""
    try:
        return f"{float(text):.15g}"
    except ValueError:
        return text


def _diagram(relation: Any, seen: set[str]) -> str:
    """Return the text of a SmartArt diagram that is not yet `seen`, one line per item."""
    if relation.is_external or not relation.reltype.endswith(_DIAGRAM):
        return ""
    if relation.target_part.partname in seen:
        return ""
    seen.add(relation.target_part.partname)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    root = etree.fromstring(relation.target_part.blob, parser)
    lines = ("".join(t.text or "" for t in p.iter(_TEXT)) for p in root.iter(_PARAGRAPH))
    return "\n".join(line for line in lines if line.strip())
