"""Source code: cut where its syntax tree divides it, from the outside in.

Only rows of the tree are used, never byte columns: pieces are whole lines, and rows are the same in
any encoding.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from pincite.chunkers.definitions import Definitions, find_definitions
from pincite.chunkers.grammars import LEADING, load, parse
from pincite.chunkers.pieces import Piece
from pincite.chunkers.text import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

    from pincite.chunkers.grammars import Grammar
    from pincite.chunkers.lines import Lines
    from pincite.chunkers.packing import Packer
    from pincite.model import Section

_CLOSES = re.compile(
    r"[\s)\]}>;,]*(?:end|fi|done|esac|endif|#endif|\"\"\"|'''|\*/)?[\s)\]}>;,.]*(?:(?://|#|--).*)?"
)
_OPENS = ("{", "(", "[", ":", "=", "=>", "->", "\\", " do", " then", "then", "begin")
_LONGEST_CLOSE = 60  # characters of a line that only closes


_Group = tuple[int, int, list["Node"]]  # lines first to last (exclusive), the nodes on them


def chunk_code(lines: Lines, packer: Packer, grammar: Grammar) -> tuple[Section, ...]:
    """Sections with symbol paths as headings and the names that each span defines."""
    return chunk_parts(lines, packer, [(0, len(lines), grammar)])


def chunk_parts(
    lines: Lines, packer: Packer, parts: Iterable[tuple[int, int, Grammar | None]]
) -> tuple[Section, ...]:
    """The same for a file in several languages: lines first to last (exclusive) of each part and
    its grammar, in order. What has none is cut where blank lines divide it."""
    pieces: list[Iterable[Piece]] = []
    known: list[Definitions] = []
    for first, last, grammar in parts:
        found = _parsed(lines, first, last, grammar) if grammar else None
        if grammar is None or found is None:
            pieces.append(paragraphs(lines, first, last, ()))
            continue
        root, definitions = found
        known.append(definitions)
        start = (first, last, [root])
        pieces.append(_pieces(lines, start, definitions, packer, grammar.leading))
    return tuple(_with_symbols(lines, packer.pack(chain.from_iterable(pieces)), known))


def _parsed(
    lines: Lines, first: int, last: int, grammar: Grammar
) -> tuple[Node, Definitions] | None:
    """The tree of these lines, with rows of the whole file, and what it defines."""
    language, _ = load(grammar)
    text = lines.text if last - first == len(lines) else "\n" * first + _between(lines, first, last)
    tree = parse(language, text.encode("utf-8", "replace"))
    if tree is None:
        return None
    return tree.root_node, find_definitions(tree.root_node, grammar, lines.lines)


def _between(lines: Lines, first: int, last: int) -> str:
    return lines.text[lines.starts[first] : lines.starts[last]]


def _with_symbols(
    lines: Lines, sections: Iterable[Section], known: list[Definitions]
) -> Iterator[Section]:
    for section in sections:
        rows = lines.line_at(section.start), lines.line_at(section.end - 1)
        names = chain.from_iterable(each.symbols_in(*rows) for each in known)
        yield replace(section, symbols=tuple(dict.fromkeys(names)))


def _pieces(
    lines: Lines, start: _Group, definitions: Definitions, packer: Packer, leading: frozenset[str]
) -> Iterator[Piece]:
    """Constructs that fit, in order; a construct that does not is replaced by its parts."""
    stack: list[_Group | Piece] = [start]
    while stack:
        item = stack.pop()
        if isinstance(item, Piece):
            yield item
            continue
        first, last, nodes = item
        groups = _divide(first, last, nodes)
        if len(groups) == 1:  # a long string, a comment: only lines divide it
            yield _piece(lines, item, None, definitions, leading)
            continue
        found: list[_Group | Piece] = []
        for number, group in enumerate(groups):
            following = groups[number + 1] if number + 1 < len(groups) else None
            piece = _piece(lines, group, following, definitions, leading)
            # what only wraps several definitions is no unit that must be kept whole
            limit = packer.target if piece.wraps else packer.room
            fits = lines.cost(piece.first, piece.last) <= limit(piece.path)
            whole = fits or all(_last_row(node) == node.start_point.row for node in group[2])
            found.append(piece if whole else group)
        stack.extend(reversed(found))


def _divide(first: int, last: int, nodes: list[Node]) -> list[_Group]:
    """The groups that the parts of these nodes make: as few levels down as divides them."""
    groups = _partition(first, last, nodes)
    while len(groups) == 1:
        inner: list[Node] = []
        deeper = False
        row = -1
        for node in groups[0][2]:
            multiline = _last_row(node) > node.start_point.row
            parts = node.children if multiline else [node]
            deeper |= multiline and bool(parts)
            for part in parts or [node]:
                # of what lies on one row, the first node marks it well enough
                if part.start_point.row > row or _last_row(part) > row:
                    inner.append(part)
                    row = max(row, _last_row(part))
        if not deeper:
            break
        groups = _partition(first, last, inner)
    return groups


def _partition(first: int, last: int, nodes: list[Node]) -> list[_Group]:
    """Nodes that share rows are one group; a group reaches to the begin of the next."""
    starts: list[int] = []
    members: list[list[Node]] = []
    end = -1
    for node in nodes:
        row = min(node.start_point.row, last - 1)  # an empty node may lie behind the last newline
        if row > end or not members:
            starts.append(row)
            members.append([])
        members[-1].append(node)
        end = max(end, _last_row(node))
    if not members:
        return [(first, last, nodes)]
    starts[0] = first
    return list(zip(starts, [*starts[1:], last], members, strict=True))


def _last_row(node: Node) -> int:
    """Some nodes end with their newline, on the next row's column 0."""
    end = node.end_point
    return max(node.start_point.row, end.row - 1) if end.column == 0 else end.row


def _piece(
    lines: Lines,
    group: _Group,
    following: _Group | None,
    definitions: Definitions,
    leading: frozenset[str],
) -> Piece:
    first, last, nodes = group
    top, bottom = nodes[0].start_point.row, max(_last_row(node) for node in nodes)
    top, bottom = min(top, len(lines) - 1), min(bottom, len(lines) - 1)
    within = definitions.outermost_within(top, bottom)
    path = within[0].path if len(within) == 1 else definitions.path_at(top)
    adjacent = following is not None and following[2][0].start_point.row <= bottom + 1
    leads = all(_is_leading(node, leading) for node in nodes)
    opens = lines.lines[bottom].rstrip().endswith(_OPENS)
    if following is not None and lines.lines[following[0]].lstrip().startswith("{"):
        opens = True  # a brace on the next line
    return Piece(
        first,
        last,
        path,
        forward=following is not None and ((leads and adjacent) or opens),
        backward=_closes(lines, top, bottom) or (_is_docstring(nodes) and not lines.blank[top - 1]),
        definition=len(within) == 1,
        wraps=len(within) > 1,
    )


def _closes(lines: Lines, top: int, bottom: int) -> bool:
    if top != bottom or len(lines.lines[top]) > _LONGEST_CLOSE:
        return False
    text = lines.lines[top].lstrip()
    return text[:1] not in "/#-" and _CLOSES.fullmatch(text) is not None


def _is_leading(node: Node, leading: frozenset[str]) -> bool:
    kind = node.type
    return kind.endswith("comment") or kind in LEADING or kind in leading


def _is_docstring(nodes: list[Node]) -> bool:
    """A string on its own documents the attribute above it."""
    node = nodes[0]
    if len(nodes) != 1 or node.type != "expression_statement" or node.start_point.row == 0:
        return False
    return node.named_child_count == 1 and node.named_children[0].type == "string"
