"""Office files, books and notebooks as programs write them."""

from __future__ import annotations

import datetime as dt
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
)


def _png() -> bytes:
    """A picture of one red dot."""

    def part(kind: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", body) + part(b"IEND", b"")


PNG = _png()


def docx(*blocks: object, title: str = "") -> bytes:
    """A Word file: `(level, text)` is a heading, a list of lists a table, a text a paragraph."""
    from docx import Document

    made = Document()
    made.core_properties.title = title
    for block in blocks:
        if isinstance(block, tuple):
            made.add_heading(block[1], block[0])
        elif isinstance(block, list):
            table = made.add_table(len(block), max(map(len, block)))
            for row, cells in zip(table.rows, block, strict=True):
                for cell, text in zip(row.cells, cells, strict=False):
                    cell.text = text
        else:
            made.add_paragraph(str(block))
    return saved(made)


def pptx(*slides: tuple[str, str]) -> bytes:
    """Slides of a title and a text."""
    from pptx import Presentation

    made = Presentation()
    for title, text in slides:
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    return saved(made)


def xlsx(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """A workbook of rows by the names of sheets."""
    from openpyxl import Workbook

    made = Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return saved(made)


def saved(made: Any) -> bytes:
    """The bytes that a library writes."""
    kept = io.BytesIO()
    made.save(kept)
    return kept.getvalue()


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """A zip file."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return kept.getvalue()


def rezipped(raw: bytes, changes: Mapping[str, str | bytes | None]) -> bytes:
    """The same zip file with other members, None for none."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members: dict[str, str | bytes | None] = {
            name: archive.read(name) for name in archive.namelist()
        }
    members |= changes
    return zipped({name: content for name, content in members.items() if content is not None})


def epub(*chapters: str, title: str = "A book", more: Mapping[str, str | bytes] = {}) -> bytes:
    """A book whose manifest has its chapters backwards, so that only the spine has their order."""
    names = [f"c{number}.xhtml" for number in range(len(chapters))]
    items = "".join(
        f'<item id="{name}" href="text/{name}" media-type="application/xhtml+xml"/>'
        for name in reversed(names)
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title>'
        f"</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    texts = {f"OPS/text/{name}": text for name, text in zip(names, chapters, strict=True)}
    head = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER}
    return zipped({**head, "OPS/book.opf": package, **texts, **more})


def notebook(*cells: Mapping[str, Any], **metadata: object) -> bytes:
    """A notebook of nbformat 4."""
    found = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}
    return json.dumps(found).encode()


def markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source.splitlines(keepends=True)}


def code(source: str, *outputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": list(outputs)}


def a_day() -> dt.date:
    return dt.date(2024, 2, 29)
