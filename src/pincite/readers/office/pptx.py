"""Slides: title, then shapes in the reading order of screen readers, then notes.

Hidden slides are counted but not read. Footers, dates and slide numbers are marked as marginal.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PackageNotFoundError
from pptx.oxml.ns import qn
from pptx.shapes.group import GroupShape

from pincite.readers.extraction import Extraction, refused
from pincite.readers.office.building import Builder
from pincite.readers.office.package import open_package

_MARGINAL = (PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.SLIDE_NUMBER)
_MOST_DEPTH = 50  # of groups within each other
_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_PARAGRAPH = "{http://schemas.openxmlformats.org/drawingml/2006/main}p"
_DIAGRAM = "/diagramData"
_INDEX = re.compile(r"[0-9]{1,9}")


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
        heading = slide.shapes.title
        if heading is not None and heading.has_text_frame:
            builder.add("heading", heading.text_frame.text, level=1)
            title = title or heading.text_frame.text
        for shape in _shapes(slide.shapes, 0):
            if heading is None or shape.shape_id != heading.shape_id:
                _add(builder, shape)
        for text in _diagrams(slide, diagrams):
            builder.add("paragraph", text)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            builder.add("paragraph", slide.notes_slide.notes_text_frame.text)
    return builder.done(title)


def _shapes(shapes: Any, depth: int) -> Iterator[Any]:
    """Yield shapes, including those in groups."""
    if depth > _MOST_DEPTH:
        raise refused("failed", "it is nested too deeply")
    for shape in shapes:
        if isinstance(shape, GroupShape):
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _add(builder: Builder, shape: Any) -> None:
    if getattr(shape, "has_table", False) and shape.has_table:
        rows = [
            ["" if cell.is_spanned else cell.text_frame.text for cell in row.cells]
            for row in shape.table.rows
        ]
        builder.table(rows)
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        _add_chart(builder, shape.chart)
    elif shape.has_text_frame:
        is_margin = shape.is_placeholder and shape.placeholder_format.type in _MARGINAL
        builder.add("paragraph", shape.text_frame.text, marginal=is_margin)
    elif shape.element.tag.endswith("}pic"):
        said = shape.element.xpath(".//p:cNvPr/@descr")
        text = said[0] if said else ""
        try:
            image = shape.image
        except (ValueError, KeyError, AttributeError):  # linked, or of a kind it does not know
            builder.picture(b"", "", text)
            return
        builder.picture(image.blob, image.content_type, text)


def _add_chart(builder: Builder, chart: Any) -> None:
    """Add a chart: its title, and its data as a table with a row for each category."""
    if chart.has_title and chart.chart_title.has_text_frame:
        builder.add("paragraph", chart.chart_title.text_frame.text)
    for plot in chart.plots:
        series = list(plot.series)
        names = [str(one.name or "") for one in series]
        first = series[0]._element if series else None
        labels = _points(first, "c:cat", "c:xVal")
        columns = [_points(one._element, "c:val", "c:yVal") for one in series]
        rows = [
            [labels.get(n, ""), *(_number(column.get(n, "")) for column in columns)]
            for n in sorted(set(labels).union(*columns))
        ]
        builder.table([["", *names], *rows])


def _points(series: Any, *places: str) -> dict[int, str]:
    """Return the saved values of a series by their number, of the innermost level of categories.

    The library looks for each number among all points, up to the count that the file gives, which
    takes the square of their number.
    """
    found: dict[int, str] = {}
    if series is None:
        return found
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


def _diagrams(slide: Any, seen: set[str]) -> Iterator[str]:
    """Yield the text of each SmartArt diagram that is not yet `seen`, one line per item."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    for relation in slide.part.rels.values():
        if relation.is_external or not relation.reltype.endswith(_DIAGRAM):
            continue
        if relation.target_part.partname in seen:
            continue
        seen.add(relation.target_part.partname)
        root = etree.fromstring(relation.target_part.blob, parser)
        lines = ("".join(t.text or "" for t in p.iter(_TEXT)) for p in root.iter(_PARAGRAPH))
        yield "\n".join(line for line in lines if line.strip())
