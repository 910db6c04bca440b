"""The elements of an HTML page: the text that a browser shows without scripts and styles."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from lxml import etree, html

from pincite.model import ElementKind
from pincite.readers.office.building import Builder

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_HIDDEN: Final = frozenset(
    "script style head template noscript iframe object svg annotation annotation-xml".split()
)  # the annotations of a formula say it again in another language
_BLOCKS: Final = frozenset(
    """address article aside blockquote body caption center dd details dialog div dl dt fieldset
    figcaption figure footer form header hr html li main nav ol p pre section summary table tbody
    td tfoot th thead tr ul""".split()
)
_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
#: The XML declaration and the document type, which are not content. An HTML parser shows the end of
#: a type that declares entities.
_DECLARED = re.compile(
    r"^\s*(?:<\?xml[^>]{0,500}\?>)?\s*(?:<!DOCTYPE[^>\[]{0,500}\[[^\]]{0,20000}\]\s*>)?", re.I
)
_SPACES = re.compile(r"[ \t\r\n\f]+")
_SIGNATURES: Final = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
)
_COUNT: Final = re.compile(r"[0-9]{1,5}")
_SPACES_IN_LINE: Final = re.compile(r"[ \t]{2,}")
_MOST_DEPTH = 250
_MOST_COLUMNS = 100  # of a table in which the width and the height of cells are counted

#: Returns the bytes of a link of the page, b"" if there are none.
Fetch = Callable[[str], bytes]


def add_page(builder: Builder, raw: bytes, picture: Fetch) -> None:
    """Write a page. Pictures come from `picture`; nothing is fetched."""
    text = _DECLARED.sub("", _decoded(raw)).replace("\0", "")
    if not text.strip():
        return
    # as bytes: in a text, lxml looks for a declaration with a pattern of cubic time
    parser = html.HTMLParser(
        no_network=True, huge_tree=False, remove_comments=True, encoding="utf-8"
    )
    root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    if root is not None:
        _Writing(builder, picture).block(root, 0)


def _decoded(raw: bytes) -> str:
    declared = _ENCODING.match(raw)
    for encoding in ("utf-8-sig", declared[1].decode("ascii") if declared else "utf-16"):
        try:
            if encoding != "utf-16" or raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
                return raw.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return raw.decode("cp1252", "replace")


class _Writing:
    """The state while one page is written: text is collected until a block begins or ends."""

    def __init__(self, builder: Builder, picture: Fetch) -> None:
        self._builder = builder
        self._picture = picture
        self._text: list[str] = []
        self._in_line = False  # in a cell or a heading, where blocks begin and end with a space
        self._shown: list[Any] = []  # the pictures of the cell, the heading or the table

    def block(self, node: Any, depth: int) -> None:
        """Write a block and its content."""
        tag = _name(node)
        if depth > _MOST_DEPTH or not tag or tag in _HIDDEN:
            return
        if tag == "br":
            self._text.append("\n")
        elif tag == "img" and self._in_line:
            self._take(node.get("alt"))
            self._shown.append(node)
        elif tag == "img":
            self._flush()
            self._add_picture(node, node.get("alt") or "")
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._flush()
            if self._in_line or not self._written(node, tag, depth):
                self._content(node, depth)
                self._flush(close=tag == "li")
        else:
            self._content(node, depth)

    def _written(self, node: Any, tag: str, depth: int) -> bool:
        """Write a heading, preformatted text or a table; return whether the block is one of
        these."""
        if tag in _HEADINGS:
            self._builder.add("heading", self._said(node, depth), level=_HEADINGS[tag])
        elif tag == "pre":
            self._builder.add("paragraph", "".join(node.itertext()))
        elif tag == "table" and next(node.iterdescendants("table"), None) is None:
            for caption in node.iterchildren("caption"):
                self._builder.add("paragraph", self._said(caption, depth + 1))
            self._builder.table(self._rows(node, depth))
        else:
            return False
        for picture in self._shown:
            self._add_picture(picture, "")
        self._shown.clear()
        return True

    def _rows(self, table: Any, depth: int) -> list[list[str]]:
        """Return the cells of a table in their columns. Places that a wide or high cell also covers
        are empty, and empty cells at the end of a row are left out. Only the first `_MOST_COLUMNS`
        columns are counted, so a row costs its own cells and at most that number."""
        ends = [0] * _MOST_COLUMNS  # the row before which the cell above ends
        rows: list[list[str]] = []
        for number, row in enumerate(table.iter("tr")):
            cells: list[str] = []
            for cell in row.iterchildren("td", "th"):
                while len(cells) < _MOST_COLUMNS and ends[len(cells)] > number:
                    cells.append("")
                end = min(len(cells) + _span(cell, "colspan"), _MOST_COLUMNS)
                below = number + _span(cell, "rowspan")
                for column in range(len(cells), end):
                    ends[column] = below
                cells.append(self._said(cell, depth + 1))
                cells += [""] * (end - len(cells))
            while cells and not cells[-1]:
                cells.pop()
            rows.append(cells)
        return rows

    def _said(self, node: Any, depth: int) -> str:
        """Return the text of a cell, a caption or a heading in one line."""
        self._in_line = True
        self._content(node, depth)
        self._in_line = False
        said = " ".join("".join(self._text).split())
        self._text.clear()
        return said

    def _content(self, node: Any, depth: int) -> None:
        self._take(node.text)
        for child in node:
            self.block(child, depth + 1)
            self._take(child.tail)

    def _add_picture(self, node: Any, text: str) -> None:
        data = self._picture(node.get("src") or "")
        kind = next((kind for mark, kind in _SIGNATURES if data.startswith(mark)), "")
        self._builder.picture(data, kind, text)

    def _take(self, text: str | None) -> None:
        if text:
            self._text.append(_SPACES.sub(" ", text))

    def _flush(self, *, close: bool = False) -> None:
        if self._in_line:
            self._text.append("\n")
            return
        lines = "".join(self._text).split("\n")
        self._text.clear()
        kind: ElementKind = "paragraph"
        said = "\n".join(line.strip() for line in lines)
        self._builder.add(kind, _SPACES_IN_LINE.sub(" ", said), close=close)


def _name(node: Any) -> str:
    """Return the name of an element without the prefix of its namespace; "" for other nodes."""
    return node.tag.rpartition(":")[2] if isinstance(node.tag, str) else ""


def _span(cell: Any, way: str) -> int:
    """Return how many columns or rows a cell covers, at least 1."""
    given = (cell.get(way) or "").strip()
    return max(1, int(given)) if _COUNT.fullmatch(given) else 1
