"""The visible text of HTML in a notebook's output, with tables row by row.

Notebooks need no extra package, and `html.parser` takes minutes for 200,000 characters of `<a `.
Tags are therefore found by a pattern that takes linear time. Damaged tags are read as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from pincite.readers.office.building import CELL

_HIDDEN: Final = frozenset("script style head template noscript iframe object svg math".split())
_ENDS: Final = frozenset(
    """address article aside blockquote br caption dd details div dl dt figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tr ul""".split()
)
_CELLS: Final = ("td", "th")
_TAG: Final = re.compile(
    r"<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,20})(?=[\s/>])[^<>]*>|<!--|<[!?][^<>]*>"
)


def text_of_html(text: str) -> str:
    """Return the visible lines; cells of a row have ` | ` between them."""
    lines = [" ".join(line.split()) for line in "".join(_parts(text)).split("\n")]
    return "\n".join(line for line in lines if line.strip(" |"))


def _parts(text: str) -> Iterator[str]:
    at = cells = 0
    while at < len(text):
        tag = _TAG.search(text, at)
        shown = text[at : tag.start() if tag else len(text)]
        yield unescape(" ".join(shown.split("\n")))
        if tag is None:
            return
        at = tag.end()
        if tag[0] == "<!--":
            at = text.find("-->", at)
            if at < 0:
                return
            at += 3
            continue
        name, ends = (tag["name"] or "").lower(), bool(tag["end"])
        if name in _HIDDEN and not ends:
            at = _end_of(text, at, name)
        elif name in _ENDS:
            yield "\n"
            cells = 0
        elif name in _CELLS and not ends:
            yield CELL if cells else ""
            cells += 1


def _end_of(text: str, at: int, name: str) -> int:
    """Return the position after a hidden element, or the end of the text if it is not closed."""
    end = re.compile(rf"</{name}\b[^<>]*>", re.IGNORECASE).search(text, at)
    return end.end() if end else len(text)
