"""Word files: paragraphs, headings, lists, tables, footnotes and pictures in the order of the body.

If Word saved its page breaks, pages are those of its last layout. Otherwise the file has no page
numbers and is divided into chapters, each beginning with a heading of level 1. Text deleted under
tracked changes, hidden text, comments, and running headers and footers are not read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any, Final

import docx
from docx.document import Document
from docx.oxml.ns import qn

from pincite.readers.extraction.result import Extraction, refused
from pincite.readers.office.building import Builder
from pincite.readers.office.dead_links import without_dead_links
from pincite.readers.office.package import open_package
from pincite.readers.office.word_styles import heading_levels, level_of, number_of

_P, _TBL, _TC, _TR, _R = (qn(f"w:{name}") for name in ("p", "tbl", "tc", "tr", "r"))
_ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_DRAWING, _PICT, _BOX = qn("w:drawing"), qn("w:pict"), qn("w:txbxContent")
_BLIP, _EMBED = qn("a:blip"), qn("r:embed")
_DOC_PR = qn("wp:docPr")
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_TEXTS: Final = {qn("w:tab"): "\t", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_SKIPPED: Final = frozenset(
    qn(f"w:{name}") for name in ("del", "moveFrom", "instrText", "delText", "rPr", "pPr", "sdtPr")
)
_MOST_DEPTH = 200  # of elements within each other
_MOST_SPAN = 100  # columns that one cell spans


def extract_docx(raw: bytes) -> Extraction:
    """Return the text of a Word file. Raises SourceError."""
    living = without_dead_links(raw, open_package(raw))
    try:
        document = docx.Document(io.BytesIO(living))
    except (KeyError, ValueError) as error:
        raise refused("failed", f"it is not a Word file: {error}") from error
    return _Reading(document).read()


class _Reading:
    """The state while one file is read."""

    def __init__(self, document: Document) -> None:
        self._document = document
        body = document.element.body
        self._paged = next(body.iter(qn("w:lastRenderedPageBreak")), None) is not None
        self._builder = Builder("page" if self._paged else "chapter", "docx")
        self._levels = heading_levels(document)
        self._notes = {kind: _notes_of(document, kind) for kind in ("footnote", "endnote")}
        self._pending: list[str] = []  # notes of the paragraph or table that is being read
        self._pictures: list[tuple[bytes, str, str]] = []
        self._title = ""
        self._in_list = False
        self._text_on_page = False

    def read(self) -> Extraction:
        for block in self._blocks(self._document.element.body, 0):
            if block.tag == _P:
                self._paragraph(block)
            else:
                self._table(block)
        title = self._document.core_properties.title or self._title
        return self._builder.done(title)

    def _blocks(self, parent: Any, depth: int) -> Iterator[Any]:
        """Yield paragraphs and tables, also those in content controls and insertions."""
        if depth > _MOST_DEPTH:
            raise refused("failed", "it is nested too deeply")
        for child in parent:
            if child.tag in (_P, _TBL):
                yield child
            elif isinstance(child.tag, str) and child.tag not in _SKIPPED:
                yield from self._blocks(child, depth + 1)

    def _paragraph(self, paragraph: Any) -> None:
        level, in_list = self._style(paragraph)
        if level == 1 and not self._paged and self._text_on_page:
            self._builder.next_page()
            self._text_on_page = False
        text = ""
        for part in self._runs(paragraph, 0):
            if part is not None:
                text += part
                continue
            if self._paged:
                self._add(text, level, close=in_list)
                text = ""
                self._builder.next_page()
        self._add(text, level, close=in_list)
        self._in_list = in_list
        self._add_notes_and_pictures()

    def _add(self, text: str, level: int, *, close: bool) -> None:
        if not text.strip():
            return
        kind = "heading" if level else "paragraph"
        self._builder.add(
            "heading" if kind == "heading" else "paragraph",
            text,
            level=level,
            close=close and self._in_list,
        )
        self._in_list = close
        self._text_on_page = True
        if level == 1:
            self._title = self._title or text

    def _add_notes_and_pictures(self) -> None:
        for note in self._pending:
            self._builder.add("paragraph", note)
        self._pending.clear()
        for picture in self._pictures:
            self._builder.picture(*picture)
        self._pictures.clear()

    def _runs(self, parent: Any, depth: int) -> Iterator[str | None]:
        """Yield the texts of a paragraph, and None at each page break."""
        if depth > _MOST_DEPTH:
            raise refused("failed", "it is nested too deeply")
        for child in parent:
            tag = child.tag
            if tag == qn("w:t") or tag == _MATH_TEXT:
                yield child.text or ""
            elif tag in _TEXTS:
                yield _TEXTS[tag]
            elif tag == qn("w:lastRenderedPageBreak"):
                yield None
            elif tag == qn("w:br"):
                if child.get(qn("w:type")) not in ("page", "column"):
                    yield "\n"
            elif tag in (qn("w:footnoteReference"), qn("w:endnoteReference")):
                kind = "footnote" if tag == qn("w:footnoteReference") else "endnote"
                note = self._notes[kind].get(child.get(qn("w:id")), "")
                self._pending += [note] if note else []
            elif tag in (_DRAWING, _PICT):
                self._picture(child)
                yield from self._boxes(child, depth + 1)
            elif tag == _ALTERNATE:
                if len(child):  # the first is for current programs, the others have the same text
                    yield from self._runs(child[0], depth + 1)
            elif tag == _R and _is_hidden(child):
                continue
            elif isinstance(tag, str) and tag not in _SKIPPED:
                yield from self._runs(child, depth + 1)

    def _boxes(self, drawing: Any, depth: int) -> Iterator[str | None]:
        """Yield the texts of text boxes in the paragraph that they are anchored in."""
        for content in _outermost(drawing, _BOX):  # the paragraphs of a box have those within it
            for paragraph in _outermost(content, _P):
                inner = [part for part in self._runs(paragraph, depth + 1) if part]
                if inner:
                    yield "\n"
                    yield from inner
            yield "\n"

    def _picture(self, drawing: Any) -> None:
        said = next(_outermost(drawing, _DOC_PR, _BOX), None)
        text = (said.get("descr") or "") if said is not None else ""
        for blip in _outermost(drawing, _BLIP, _BOX):
            part = self._document.part.related_parts.get(blip.get(_EMBED))
            if part is None:  # it is linked, which is not fetched, or missing
                self._pictures.append((b"", "", text))
            else:
                self._pictures.append((part.blob, part.content_type, text))

    def _style(self, paragraph: Any) -> tuple[int, bool]:
        """Return the heading level (0 for other paragraphs), and whether it is a list item."""
        properties = paragraph.pPr
        if properties is None:
            return 0, False
        outline = properties.find(qn("w:outlineLvl"))
        style = properties.style
        level = self._levels.get(style, 0) if style else 0
        if outline is not None:
            level = level_of(outline.get(qn("w:val")))
        is_item = properties.find(qn("w:numPr")) is not None
        return level, (is_item or bool(style and style.startswith("List"))) and not level

    def _table(self, table: Any) -> None:
        rows: list[list[str]] = []
        for row in _outermost(table, _TR):  # a cell has the text of the tables in it
            if self._paged and rows and _begins_page(row):
                self._builder.table(rows)
                self._add_notes_and_pictures()
                self._builder.next_page()
                rows = []
            rows.append(self._row(row))
        if len(rows) == 1 and len(rows[0]) == 1:  # a frame around paragraphs
            self._builder.add("paragraph", rows[0][0])
        else:
            self._builder.table(rows)
        self._text_on_page = self._text_on_page or bool(rows)
        self._in_list = False
        self._add_notes_and_pictures()

    def _row(self, row: Any) -> list[str]:
        cells: list[str] = []
        for cell in _outermost(row, _TC):
            properties = cell.tcPr
            span = properties.find(qn("w:gridSpan")) if properties is not None else None
            merged = properties.find(qn("w:vMerge")) if properties is not None else None
            goes_on = merged is not None and merged.get(qn("w:val")) != "restart"
            cells.append("" if goes_on else self._cell(cell))
            if span is not None:
                width = min(number_of(span.get(qn("w:val"))), _MOST_SPAN)
                cells += [""] * (width - 1)
        return cells

    def _cell(self, cell: Any) -> str:
        own = _outermost(cell, _P, _BOX)
        paragraphs = ("".join(p or "" for p in self._runs(one, 0)) for one in own)
        return "\n".join(text for text in paragraphs if text.strip())


def _outermost(parent: Any, tag: str, closed: str = "") -> Iterator[Any]:
    """Yield the elements of a tag below a parent, in their order, without those within another one
    of the same tag or of the tag `closed`. Each element is visited once, however deeply such
    elements are nested."""
    left = list(reversed(parent))
    while left:
        one = left.pop()
        if one.tag == tag:
            yield one
        elif one.tag != closed:
            left.extend(reversed(one))


def _begins_page(row: Any) -> bool:
    """Return whether a page begins at the start of this row."""
    for one in row.iter(qn("w:lastRenderedPageBreak"), qn("w:t")):
        return bool(one.tag == qn("w:lastRenderedPageBreak"))
    return False


def _is_hidden(run: Any) -> bool:
    properties = run.find(qn("w:rPr"))
    hidden = properties.find(qn("w:vanish")) if properties is not None else None
    return hidden is not None and hidden.get(qn("w:val")) not in ("0", "false", "off")


def _notes_of(document: Document, kind: str) -> dict[str, str]:
    """Return the texts of footnotes or endnotes by id."""
    from docx.oxml.parser import parse_xml

    found: dict[str, str] = {}
    wanted = (
        relation.target_part
        for relation in document.part.rels.values()
        if not relation.is_external and relation.reltype.endswith(f"/{kind}s")
    )
    for part in dict.fromkeys(wanted):  # each once, however often the file refers to it
        for note in parse_xml(part.blob).iterchildren(qn(f"w:{kind}")):
            paragraphs = _outermost(note, _P)
            texts = ("".join(t.text or "" for t in p.iter(qn("w:t"))) for p in paragraphs)
            found[note.get(qn("w:id"))] = "\n".join(filter(str.strip, texts)).strip()
    return found
