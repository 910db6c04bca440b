"""Markdown as a tree of elements that a page draws: never HTML, and nothing that loads or runs.

A node is a text, or a name, attributes and children. The names are those of `NAMES` and no others.
HTML in the text stays text, pictures are shown as their alternative text, and only links to http
and https have an address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pincite.readers.front_matter_end import end_of_front_matter

#: All names of nodes. `line` is a line of code, `coloured` a piece of it, `picture` the alternative
#: text of a picture, `cited` a cited line within a paragraph.
NAMES: Final = frozenset(
    """p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code hr table thead tbody tr th td em strong s a
    br line coloured picture cited""".split()
)
#: Deeper lists and quotes are left out, as the library does to stay within the stack.
_NESTING: Final = 20
MOST_NODES: Final = 20_000  # guess, unmeasured: 1,000 lines of prose have some 3,000

MOST_PIECES: Final = 20_000  # of coloured code; guess, unmeasured
_LANGUAGE: Final = re.compile(r"[{.\s]*([\w+#-]{1,40})")  # of "python", "rust,ignore", "{.sh x=1}"

#: Returns the lines of a code block as (class, piece), from its language and its text. The class is
#: empty for most pieces.
Colouring = Callable[[str, str], Sequence[Sequence[tuple[str, str]]]]
Node = str | tuple[str, dict[str, Any], list[Any]]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines from `first` to `end` (exclusive), counted from 0."""

    first: int
    end: int

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.first <= line < self.end

    def meets(self, first: int, end: int) -> bool:
        """Return whether any line from `first` to `end` (exclusive) is among them."""
        return max(first, self.first) < min(end, self.end)

    def holds(self, first: int, end: int) -> bool:
        """Return whether all of those lines are among them."""
        return self.first <= first and end <= self.end


@dataclass(frozen=True, slots=True)
class Tree:
    """Blocks of a document. `marked` says whether cited lines are marked in them, `cut` whether
    there are more blocks than can be drawn."""

    nodes: list[Node]
    marked: bool
    cut: bool


@dataclass(slots=True)
class _Drawing:
    cited: Lines
    colouring: Colouring | None = None
    left: int = MOST_NODES
    pieces: int = MOST_PIECES
    marked: bool = False
    stack: list[list[Node]] = field(default_factory=lambda: [[]])


def markdown_tree(
    text: str, window: Lines, cited: Lines, colouring: Colouring | None = None
) -> Tree:
    """Return the blocks of the text that overlap the window, with the cited lines marked. The whole
    text is parsed, so that a fence that opens before the window is recognised. `colouring` colours
    code."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", " ")
    front, body = _front_matter(text)
    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": _NESTING})
    reader.enable(["table", "strikethrough"])
    drawing = _Drawing(cited, colouring)
    if front and window.meets(0, len(front)):
        language = "yaml" if front[0].startswith("-") else "toml"
        _put(drawing, "pre", {}, _code(drawing, front, 0, language))
    for block in _top_blocks(reader.parse(body)):
        first, end = block[0].map or (0, 0)
        if window.meets(first, end):
            for token in block:
                _draw(drawing, token)
            if drawing.left <= 0:
                break
    return Tree(drawing.stack[0], drawing.marked, drawing.left <= 0)


def _front_matter(text: str) -> tuple[list[str], str]:
    """Return the lines of the front matter, and the text with empty lines in their place."""
    end = end_of_front_matter(text)
    lines = text[:end].removesuffix("\n").split("\n") if end else []
    return lines, "\n" * text.count("\n", 0, end) + text[end:]


def _top_blocks(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    block: list[Token] = []
    depth = 0
    for token in tokens:
        block.append(token)
        depth += token.nesting
        if depth == 0:
            yield block
            block = []


def _put(drawing: _Drawing, name: str, attributes: dict[str, Any], children: list[Any]) -> None:
    drawing.left -= 1
    drawing.stack[-1].append((name, attributes, children))


def _draw(drawing: _Drawing, token: Token) -> None:
    """Draw a block token, which opens a block, closes one, or stands alone."""
    if token.nesting == 1:
        drawing.stack.append([])
    elif token.nesting == -1:
        children = drawing.stack.pop()
        if token.hidden or token.tag not in NAMES:  # a paragraph of a tight list
            drawing.stack[-1].extend(children)
        elif children or drawing.left > 0:
            _put(drawing, token.tag, dict(_attributes(token)), children)
    elif drawing.left <= 0:
        return
    elif token.type == "inline":
        _draw_inline(drawing, token)
    elif token.type in ("fence", "code_block"):
        first = token.map[0] if token.map else 0
        lines = token.content.removesuffix("\n").split("\n")
        named = _LANGUAGE.match(token.info)
        language = named[1].lower() if named else ""
        code = _code(drawing, lines, first + (token.type == "fence"), language)
        _put(drawing, "pre", {}, code)
    elif token.type == "hr":
        at = token.map[0] if token.map else -1
        drawing.marked = drawing.marked or at in drawing.cited
        _put(drawing, "hr", {"cited": True} if at in drawing.cited else {}, [])


def _attributes(token: Token) -> Iterator[tuple[str, Any]]:
    start = token.attrGet("start")
    if token.tag == "ol" and isinstance(start, int) and 0 <= start <= 10**9:
        yield "start", start


def _code(drawing: _Drawing, lines: Sequence[str], first: int, language: str) -> list[Any]:
    found: list[Any] = []
    for at, pieces in enumerate(_coloured(drawing, lines, language), first):
        drawing.left -= 1
        if drawing.left <= 0:
            break
        drawing.marked = drawing.marked or at in drawing.cited
        found.append(("line", {"cited": True} if at in drawing.cited else {}, pieces))
    return found


def _coloured(drawing: _Drawing, lines: Sequence[str], language: str) -> list[list[Node]]:
    """Return the nodes of each line; a single text without a known language, above the limit, and
    if the colours would change the text."""
    plain: list[list[Node]] = [[line] for line in lines]
    if drawing.colouring is None or not language or drawing.left <= 0:
        return plain
    found = drawing.colouring(language, "\n".join(lines))
    count = sum(map(len, found))
    if count > drawing.pieces or ["".join(text for _, text in line) for line in found] != [*lines]:
        return plain
    drawing.pieces -= count
    return [
        [("coloured", {"kind": kind}, [text]) if kind else text for kind, text in line]
        for line in found
    ]


def _draw_inline(drawing: _Drawing, token: Token) -> None:
    """Draw the text of a block. If each line of the file ends with a break, single lines are
    marked, otherwise (a line break within code) the whole text."""
    children = token.children or []
    first, end = token.map or (0, 0)
    breaks = sum(child.type in ("softbreak", "hardbreak") for child in children)
    exact = breaks == end - first - 1
    whole = drawing.cited.meets(first, end) and (not exact or drawing.cited.holds(first, end))
    line, stack = first, list[list[Any]]([[]])
    open_links: list[str] = []
    for child in children:
        drawing.left -= 1
        if drawing.left <= 0:
            break
        marked = whole or (exact and line in drawing.cited)
        drawing.marked = drawing.marked or marked
        if child.nesting == 1:
            stack.append([])
            open_links += [str(child.attrGet("href") or "")] if child.tag == "a" else []
        elif child.nesting == -1:
            inner = stack.pop()
            if child.tag == "a":
                stack[-1].append(_link(open_links.pop(), inner))
            elif child.tag in NAMES:
                stack[-1].append((child.tag, {}, inner))
            else:
                stack[-1].extend(inner)
        elif child.type in ("softbreak", "hardbreak"):
            stack[-1].append(" " if child.type == "softbreak" else ("br", {}, []))
            line += 1
        else:
            node = _leaf(child)
            stack[-1].append(("cited", {}, [node]) if marked else node)
    while len(stack) > 1:  # still open at the limit of nodes
        stack[-2].extend(stack.pop())
    drawing.stack[-1].extend(stack[0])


def _leaf(token: Token) -> Node:
    if token.type == "code_inline":
        return ("code", {}, [token.content])
    if token.type == "image":
        return ("picture", {}, [token.content])
    return token.content


def _link(href: str, children: list[Any]) -> Node:
    """Return a link. It has an address only if that leads to http or https."""
    try:
        leads = urlsplit(href).scheme in ("http", "https") and bool(urlsplit(href).hostname)
    except ValueError:
        leads = False
    return ("a", {"href": href} if leads and len(href) <= 2_000 else {}, children)
