"""The elements of an HTML page: the text that a browser shows without scripts and styles."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from lxml import etree, html

from pincite.model import ElementKind
from pincite.readers.office.building import Builder

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_HIDDEN: Final = frozenset("script style head template noscript iframe object svg math".split())
_BLOCKS: Final = frozenset(
    """address article aside blockquote body caption center dd details dialog div dl dt fieldset
    figcaption figure footer form header hr html li main nav ol p pre section summary table tbody
    td tfoot th thead tr ul""".split()
)
_ENCODING = re.compile(rb"^\s*<\?xml[^>]{0,200}encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
#: Both are no content; a parser of HTML shows the end of a type that declares entities.
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
_SPACES_IN_LINE: Final = re.compile(r"[ \t]{2,}")
_MOST_DEPTH = 250

#: The bytes that a link of the page leads to, b"" for none.
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

    def block(self, node: Any, depth: int) -> None:
        """Write a block and its content."""
        if depth > _MOST_DEPTH or not isinstance(node.tag, str) or node.tag in _HIDDEN:
            return
        if node.tag == "table" and next(node.iterdescendants("table"), None) is None:
            self._flush()
            self._builder.table(
                [[" ".join(cell.itertext()) for cell in row if cell.tag in ("td", "th")]
                 for row in node.iter("tr")]
            )  # fmt: skip
            return
        if node.tag == "pre":
            self._flush()
            self._builder.add("paragraph", "".join(node.itertext()))
            return
        if node.tag in _HEADINGS:
            self._flush()
            text = " ".join("".join(node.itertext()).split())
            self._builder.add("heading", text, level=_HEADINGS[node.tag])
            return
        if node.tag == "img":
            self._flush()
            data = self._picture(node.get("src") or "")
            kind = next((kind for mark, kind in _SIGNATURES if data.startswith(mark)), "")
            self._builder.picture(data, kind, node.get("alt") or "")
            return
        if node.tag == "br":
            self._text.append("\n")
            return
        is_block = node.tag in _BLOCKS
        if is_block:
            self._flush()
        self._take(node.text)
        for child in node:
            self.block(child, depth + 1)
            self._take(child.tail)
        if is_block:
            self._flush(close=node.tag == "li")

    def _take(self, text: str | None) -> None:
        if text:
            self._text.append(_SPACES.sub(" ", text))

    def _flush(self, *, close: bool = False) -> None:
        lines = "".join(self._text).split("\n")
        self._text.clear()
        kind: ElementKind = "paragraph"
        said = "\n".join(line.strip() for line in lines)
        self._builder.add(kind, _SPACES_IN_LINE.sub(" ", said), close=close)
