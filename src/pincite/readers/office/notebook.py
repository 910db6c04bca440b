"""Notebooks (`.ipynb`) by cell: sources unchanged, outputs as text and images.

The format is JSON (nbformat 3 and 4), and none of its code runs. Cells count from 1 in file order,
including empty ones.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pincite.readers.extraction.result import Extraction, refused
from pincite.readers.office.building import Builder
from pincite.readers.office.html_output import text_of_html

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_MOST_OUTPUT = 10_000  # characters of one output: logs and dumps are longer
_MOST_HTML = 2_000_000  # characters of one; plots bring megabytes of scripts
#: Python's description of an object that has an HTML form: `<IPython.core.display.HTML object>`.
_OBJECT = re.compile(r"<[\w.]{1,200} (?:object|at 0x)[^<>\n]{0,100}>")
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def extract_notebook(raw: bytes) -> Extraction:
    """Return the cells of a notebook. Raises SourceError if the file is not one."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise refused("failed", f"it is not a notebook: {error}") from error
    cells = _cells(found)
    if cells is None:
        raise refused("failed", "it is not a notebook: it has no cells")
    builder = Builder("cell", "ipynb")
    title = ""
    for number, cell in enumerate(cells):
        if number:
            builder.next_page()
        if isinstance(cell, dict):
            heading = _add(builder, cell)
            title = title or heading
    metadata = found.get("metadata")
    named = metadata.get("title") if isinstance(metadata, dict) else None
    return builder.done(named if isinstance(named, str) and named.strip() else title)


def _cells(found: Any) -> list[Any] | None:
    """Return the cells of nbformat 4, or those of the worksheets of nbformat 3; None without any
    list of them."""
    if not isinstance(found, dict):
        return None
    if isinstance(found.get("cells"), list):
        cells: list[Any] = found["cells"]
        return cells
    sheets = found.get("worksheets")
    if not isinstance(sheets, list):
        return None
    inner = [one.get("cells") for one in sheets if isinstance(one, dict)]
    return [cell for cells in inner if isinstance(cells, list) for cell in cells]


def _add(builder: Builder, cell: Mapping[str, Any]) -> str:
    """Write a cell. Return its first heading, "" without one."""
    kind = cell.get("cell_type")
    source = _text(cell.get("source", cell.get("input", "")))
    if kind == "heading":  # of nbformat 3
        level = cell.get("level")
        builder.add("heading", source, level=level if isinstance(level, int) else 1)
        return source
    if kind == "markdown":
        title = ""
        for level, text in _blocks(source):
            builder.add("heading" if level else "paragraph", text, level=level)
            title = title or (text.lstrip("# ") if level else "")
        return title
    builder.add("paragraph", source)
    outputs = cell.get("outputs")
    for one in outputs if isinstance(outputs, list) else ():
        if isinstance(one, dict):
            _add_output(builder, one)
    return ""


def _blocks(source: str) -> Iterator[tuple[int, str]]:
    """Yield (level, text) of Markdown headings, and of the text between them with level 0."""
    fence, lines = "", list[str]()
    for line in source.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""
        heading = None if fence else _HEADING.match(line)
        if heading:
            yield 0, "\n".join(lines)
            lines = []
            yield len(heading[1]), line
        elif not fence and not line.strip():
            yield 0, "\n".join(lines)
            lines = []
        else:
            lines.append(line)
    yield 0, "\n".join(lines)


def _add_output(builder: Builder, output: Mapping[str, Any]) -> None:
    kind = output.get("output_type")
    if kind == "stream":
        _add_text(builder, _text(output.get("text", "")))
        return
    if kind in ("error", "pyerr"):
        _add_text(builder, f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}")
        return
    data = output.get("data")
    if not isinstance(data, dict):  # nbformat 3 has them beside the type
        short = {
            "png": "image/png",
            "jpeg": "image/jpeg",
            "text": "text/plain",
            "html": "text/html",
        }
        data = {short.get(name, name): value for name, value in output.items()}
    said = _said(data)
    for media_type in _IMAGES:
        if media_type in data and (picture := _decoded(_text(data[media_type]))):
            builder.picture(picture, media_type, said)
            return
    _add_text(builder, said)


def _said(data: Mapping[str, Any]) -> str:
    """Return the preferred text form of an output; HTML is used if there is no other."""
    for media_type in ("text/plain", "text/markdown"):
        if (text := _text(data.get(media_type))).strip() and not _OBJECT.fullmatch(text.strip()):
            return text
    shown = text_of_html(_text(data.get("text/html"))[:_MOST_HTML])
    return shown or _text(data.get("text/plain")) or _text(data.get("text/latex"))


def _add_text(builder: Builder, text: str) -> None:
    text = _ANSI.sub("", text)
    if len(text) > _MOST_OUTPUT:
        builder.note(f"output_cut: cell {builder.page}, at {_MOST_OUTPUT:,} characters")
        text = text[:_MOST_OUTPUT]
    builder.add("paragraph", text)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return b""


def _text(value: object) -> str:
    """Return a text. The format stores it as a string or as a list of lines."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "".join(one for one in value if isinstance(one, str))
    return ""
