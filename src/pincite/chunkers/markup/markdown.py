"""Cut Markdown into sections by headings, and these into blocks. Titles of tabs and admonitions are
added to the heading path."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.chunkers.markup.blocks import (
    LABEL,
    front_matter_end,
    heading_source,
    labelled_end,
    parse_blocks,
)
from pincite.chunkers.markup.raw_html import table_head
from pincite.chunkers.pieces import Path, Piece
from pincite.readers.inline_markup import plain_heading
from pincite.support.fields import replace
from pincite.support.possessive import possessive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from markdown_it.token import Token

    from pincite.chunkers.lines import Lines

_CELL = r"[ \t]*+:?-++:?[ \t]*+"
_CELLS = possessive(rf"{_CELL}\|")
_TABLE_RULE = re.compile(rf"[ \t]*+\|?{_CELL}\|{_CELLS}(?:{_CELL})?\s*+")
_SMALL = 90.0  # word pieces of an HTML block that may be a badge below a heading
_DEEPEST = 6  # nested labelled blocks; deeper ones are cut between lines


@dataclass(frozen=True, slots=True)
class _Block:
    first: int  #: its first line; the first block has the lines before it, too
    last: int
    top: int  #: its own first line
    kind: str
    level: int = 0
    cuts: tuple[int, ...] = ()  #: the first lines of list items


def markdown_pieces(lines: Lines, room: Callable[[Path], float]) -> Iterator[Piece]:
    """Yield each section, without its subsections, as one piece if it fits, else its blocks."""
    front = front_matter_end(lines)
    if front:
        yield Piece(0, front)
    blocks = _blocks(lines, front, len(lines), 0)
    path: Path = ()
    levels: list[int] = []
    section: list[_Block] = []
    for block in blocks:
        if block.kind == "heading":
            yield from _section(lines, section, tuple(filter(None, path)), room)
            section = []
            while levels and levels[-1] >= block.level:
                levels.pop()
            path = (*path[: len(levels)], plain_heading(heading_source(lines, block.top))[:120])
            levels.append(block.level)
        section.append(block)
    yield from _section(lines, section, tuple(filter(None, path)), room)


def _section(
    lines: Lines, section: list[_Block], path: Path, room: Callable[[Path], float]
) -> Iterator[Piece]:
    if not section:
        return
    first, last = section[0].first, section[-1].last
    if lines.cost(first, last) <= room(path):
        heads = section[0].kind == "heading"
        yield Piece(first, last, path, forward=heads and len(section) == 1, heads=heads)
        return
    yield from _block_pieces(lines, section, path, room, 0)


def _block_pieces(
    lines: Lines, blocks: list[_Block], path: Path, room: Callable[[Path], float], depth: int
) -> Iterator[Piece]:
    skip_until = 0
    for number, block in enumerate(blocks):
        if block.first < skip_until:  # within a labelled block, but it may reach beyond
            if block.last > skip_until:
                yield Piece(skip_until, block.last, path)
                skip_until = block.last
            continue
        label = LABEL.fullmatch(lines.lines[block.top]) if block.kind == "paragraph" else None
        if label and depth < _DEEPEST:
            end = labelled_end(lines, block.top, blocks[-1].last)
            if end > block.top + 1:
                skip_until = end
                name = (label["title"] or "").strip()
                inner = (*path, name) if name else path
                if lines.cost(block.first, end) <= room(inner):
                    yield Piece(block.first, end, inner)
                else:
                    yield Piece(block.first, block.top + 1, inner, forward=True)
                    within = _blocks(lines, block.top + 1, end, depth + 1)
                    yield from _block_pieces(lines, within, inner, room, depth + 1)
                if end < block.last:
                    yield Piece(end, block.last, path)
                continue
        first = block.first
        after_heading = number > 0 and blocks[number - 1].kind == "heading"
        badge = (
            after_heading and block.kind == "html_block" and lines.cost(first, block.last) < _SMALL
        )
        if block.kind == "heading" or badge or _introduces(lines, block, blocks, number):
            heads = block.kind == "heading"
            yield Piece(first, block.last, path, forward=True, heads=heads)
        elif lines.cost(first, block.last) <= room(path):
            yield Piece(first, block.last, path)
        elif block.kind in ("paragraph", "html_block"):
            note = ""
            if _is_table(lines, block):
                head = " ".join(lines.lines[block.top].replace("|", " | ").split())
                note = head[:120].strip("| ")
            elif block.kind == "html_block":
                note = table_head("\n".join(lines.lines[block.top : block.last]))
            yield Piece(first, block.last, path, note=note)
        else:
            for cut in (*block.cuts[1:], block.last):
                yield Piece(first, cut, path)
                first = cut


def _is_table(lines: Lines, block: _Block) -> bool:
    """Return whether this paragraph is a table: its second line is the rule below a header."""
    return block.top + 1 < block.last and bool(_TABLE_RULE.fullmatch(lines.lines[block.top + 1]))


def _introduces(lines: Lines, block: _Block, blocks: list[_Block], number: int) -> bool:
    """Return whether this paragraph ends in a colon and another block follows."""
    if block.kind != "paragraph" or number + 1 == len(blocks):
        return False
    _, last = lines.trim(block.first, block.last)
    return last > block.first and lines.lines[last - 1].rstrip(" \t\r*_").endswith(":")


def _blocks(lines: Lines, first: int, last: int, depth: int) -> list[_Block]:
    """Return the blocks of a range of lines whose content is indented by 4 columns per depth. Lines
    between blocks (blank lines, link definitions) belong to the previous block."""
    found: list[_Block] = []
    items: dict[int, list[int]] = {}  # first lines of its items by the number of a list
    for token in parse_blocks(lines, first, last, depth * 4):
        if token.map is None or token.nesting < 0:
            continue
        if token.level == 0:
            found.append(_block_of(token, first))
        elif token.level == 1 and token.type == "list_item_open":
            items.setdefault(len(found) - 1, []).append(first + token.map[0])
    for number, cuts in items.items():
        found[number] = replace(found[number], kind="list", cuts=tuple(cuts))
    if not found:
        return [_Block(first, last, first, "paragraph")] if first < last else []
    starts = [first, *(block.first for block in found[1:]), last]
    return [
        replace(block, first=starts[number], last=starts[number + 1])
        for number, block in enumerate(found)
    ]


def _block_of(token: Token, offset: int) -> _Block:
    kind = token.type.removesuffix("_open")
    level = int(token.tag[1]) if kind == "heading" else 0
    first, last = token.map or (0, 0)
    return _Block(offset + first, offset + last, offset + first, kind, level)
