"""Cut source code at the divisions of its syntax tree, from the outside in.

Only rows of the tree are used, never byte columns: pieces are whole lines, and row numbers do not
depend on the encoding.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from pincite.chunkers.code.allowance import Allowance
from pincite.chunkers.code.definitions import Definitions
from pincite.chunkers.code.find_definitions import find_definitions
from pincite.chunkers.code.grammars import LEADING
from pincite.chunkers.code.parsing import parse_repaired
from pincite.chunkers.pieces import Piece
from pincite.chunkers.text import paragraphs
from pincite.model import Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

    from pincite.chunkers.code.grammars import Grammar
    from pincite.chunkers.lines import Lines
    from pincite.chunkers.packing import Packer

_CLOSES = re.compile(
    r"[\s)\]}>;,]*(?:end|fi|done|esac|endif|#endif|\"\"\"|'''|\*/)?[\s)\]}>;,.]*(?:(?://|#|--).*)?"
)
_OPENS = ("{", "(", "[", ":", "=", "=>", "->", "\\", " do", " then", "then", "begin")
_LONGEST_CLOSE = 60  # characters of a line that only closes a block
_HEAD_ROWS = 3  # maximal rows of a piece that is only the beginning of a definition
_WORD = re.compile(r"\w+")
#: The limit on the characters of all names that a section defines: 1,000, and 3 times the length of
#: its text. Whole lines contain each of their names, in up to 3 forms (`names_of`), and the last
#: name may end below. Real sections had at most 14 names.
_NAME_FORMS = 3
_NAMED_CHARS = 1_000


_Spanned = tuple[int, int, "Node"]  # a node with its first and last row, which are slow to read
_Group = tuple[int, int, list[_Spanned]]  # lines first to last (exclusive), the nodes on them


def chunk_code(lines: Lines, packer: Packer, grammar: Grammar) -> tuple[Section, ...]:
    """Return sections with symbol paths as headings and the names that each span defines."""
    return chunk_parts(lines, packer, [(0, len(lines), grammar)])


def chunk_parts(
    lines: Lines, packer: Packer, parts: Iterable[tuple[int, int, Grammar | None]]
) -> tuple[Section, ...]:
    """Return sections of a file in several languages. `parts` are the lines first to last
    (exclusive) of each part and its grammar, in order. Parts without a grammar are cut at blank
    lines, and so are parts that cannot be parsed in the remaining time of the file."""
    allowance = Allowance(len(lines.text))
    pieces: list[Iterable[Piece]] = []
    known: list[Definitions] = []
    for first, last, grammar in parts:
        found = _parsed(lines, first, last, grammar, allowance) if grammar else None
        if grammar is None or found is None:
            pieces.append(paragraphs(lines, first, last, ()))
            continue
        root, definitions = found
        known.append(definitions)
        start = (first, last, [_spanned(root)])
        pieces.append(_pieces(lines, start, definitions, packer, grammar.leading, allowance))
    return tuple(with_symbols(lines, packer.pack(chain.from_iterable(pieces)), known))


def _parsed(
    lines: Lines, first: int, last: int, grammar: Grammar, allowance: Allowance
) -> tuple[Node, Definitions] | None:
    """Return the syntax tree of these lines, with rows of the whole file, and its definitions; None
    if it would take too long."""
    if allowance.spent():
        return None
    text = lines.text if last - first == len(lines) else "\n" * first + _between(lines, first, last)
    parsed = parse_repaired(grammar, text.encode("utf-8", "replace"), allowance)
    if parsed is None:
        return None
    return parsed.tree.root_node, find_definitions(parsed, grammar, lines.lines, allowance)


def _between(lines: Lines, first: int, last: int) -> str:
    return lines.text[lines.starts[first] : lines.starts[last]]


def with_symbols(
    lines: Lines, sections: Iterable[Section], known: list[Definitions]
) -> Iterator[Section]:
    """Yield the sections with the names that each defines. The sections of one long line have the
    names of the whole line. If these are longer than the limit, a section has only those that are
    words of its text."""
    before, symbols, values, size = (-1, -1), dict[str, None](), dict[str, None](), 0
    for one in sections:
        rows = lines.line_at(one.start), lines.line_at(one.end - 1)
        if rows != before:
            before = rows
            symbols = dict.fromkeys(chain.from_iterable([each.symbols_in(*rows) for each in known]))
            values = dict.fromkeys(chain.from_iterable([each.values_in(*rows) for each in known]))
            values = {name: None for name in values if name not in symbols}
            size = sum(map(len, chain(symbols, values)))
        defined, valued = tuple(symbols), tuple(values)
        if size > _NAMED_CHARS + _NAME_FORMS * (one.end - one.start):
            words = dict.fromkeys(_WORD.findall(lines.text, one.start, one.end))
            defined = tuple(word for word in words if word in symbols)
            valued = tuple(word for word in words if word in values)
        names = (*defined, *valued)
        yield Section(one.start, one.end, one.headings, names, named_values=len(valued))


def _pieces(
    lines: Lines,
    start: _Group,
    definitions: Definitions,
    packer: Packer,
    leading: frozenset[str],
    allowance: Allowance,
) -> Iterator[Piece]:
    """Yield constructs that fit, in order. One that does not fit is replaced by its parts."""
    stack: list[_Group | Piece] = [start]
    while stack:
        item = stack.pop()
        if isinstance(item, Piece):
            yield item
            continue
        first, last, nodes = item
        groups = [item] if allowance.spent() else _divide(first, last, nodes)
        if len(groups) == 1:  # a long string or comment: only lines divide it
            yield _piece(lines, item, None, definitions, leading)
            continue
        found: list[_Group | Piece] = []
        for number, group in enumerate(groups):
            following = groups[number + 1] if number + 1 < len(groups) else None
            piece = _piece(lines, group, following, definitions, leading)
            # a construct that only wraps several definitions need not be kept whole
            limit = packer.target if piece.wraps else packer.room
            fits = lines.cost(piece.first, piece.last) <= limit(piece.path)
            whole = fits or all(low == top for top, low, _ in group[2])
            found.append(piece if whole else group)
        stack.extend(reversed(found))


def _divide(first: int, last: int, nodes: list[_Spanned]) -> list[_Group]:
    """Return the groups of these nodes' parts, as few levels down as needed to divide them."""
    groups = _partition(first, last, nodes)
    before: list[_Spanned] = []  # nodes at the beginning that have no parts
    behind: list[_Spanned] = []  # such nodes at the end, in reverse
    inner = nodes
    while len(groups) == 1:
        inner, deeper = _parts(inner, before[-1][1] if before else -1)
        if not deeper:
            break
        divided = _partition(first, last, [*before[-1:], *inner, *behind[-1:]])
        if len(divided) > 1:
            if len(before) < 2 and len(behind) < 2:
                return divided  # it has all nodes
            return _partition(first, last, [*before, *inner, *reversed(behind)])
        ends = [number for number, each in enumerate(inner) if not _is_long_leaf(each)] or [0]
        before += inner[: ends[0]]
        behind += reversed(inner[ends[-1] + 1 :])
        inner = inner[ends[0] : ends[-1] + 1]
    return groups


def _parts(nodes: list[_Spanned], row: int) -> tuple[list[_Spanned], bool]:
    """Return the parts of nodes that end after this row, one level down, and whether there are any.
    A node without parts, or on one row, is kept."""
    parts: list[_Spanned] = []
    deeper = False
    for spanned in nodes:
        top, low, node = spanned
        found = [_spanned(part) for part in node.children] if low > top else []
        deeper |= bool(found)
        for part in found or [spanned]:
            # of several nodes on one row, only the first is needed
            if part[1] > row:
                parts.append(part)
                row = part[1]
    return parts, deeper


def _is_long_leaf(spanned: _Spanned) -> bool:
    """Return whether a node has several rows and no parts."""
    return spanned[1] > spanned[0] and not spanned[2].child_count


def _partition(first: int, last: int, nodes: list[_Spanned]) -> list[_Group]:
    """Group nodes that share rows; a group ends where the next one begins."""
    starts: list[int] = []
    members: list[list[_Spanned]] = []
    end, furthest = -1, last - 1
    for spanned in nodes:  # comparisons, because `min` and `max` take longer
        row, low, _ = spanned
        if row > furthest:
            row = furthest  # an empty node may lie behind the last newline
        if row > end or not members:
            starts.append(row)
            members.append([spanned])
        else:
            members[-1].append(spanned)
        if low > end:
            end = low
    if not members:
        return [(first, last, nodes)]
    starts[0] = first
    return list(zip(starts, [*starts[1:], last], members, strict=True))


def _spanned(node: Node) -> _Spanned:
    """Return a node with its first and last row. The end of some nodes is after their newline, in
    column 0 of the next row."""
    top = node.start_point.row
    low, column = node.end_point
    return top, max(top, low - 1) if column == 0 else low, node


def _piece(
    lines: Lines,
    group: _Group,
    following: _Group | None,
    definitions: Definitions,
    leading: frozenset[str],
) -> Piece:
    first, last, nodes = group
    furthest = len(lines) - 1
    low = nodes[0][1] if len(nodes) == 1 else max([low for _, low, _ in nodes])
    top, bottom = min(nodes[0][0], furthest), min(low, furthest)
    within = definitions.outermost_within(top, bottom)
    path = within[0].path if len(within) == 1 else definitions.path_at(top)
    forward = following is not None and (
        lines.lines[bottom].rstrip().endswith(_OPENS)
        or lines.lines[following[0]].lstrip().startswith("{")  # a brace on the next line
        or (bottom - top < _HEAD_ROWS and definitions.begins_in(top, bottom))
        or (
            following[2][0][0] <= bottom + 1
            and all(_is_leading(node, leading) for _, _, node in nodes)
        )
    )
    closes = top == bottom and _closes(lines.lines[top])
    return Piece(
        first,
        last,
        path,
        forward=forward,
        backward=closes or (_is_docstring(nodes) and not lines.blank[top - 1]),
        definition=len(within) == 1,
        wraps=len(within) > 1,
    )


def _closes(line: str) -> bool:
    if len(line) > _LONGEST_CLOSE:
        return False
    text = line.lstrip()
    return text[:1] not in "/#-" and _CLOSES.fullmatch(text) is not None


def _is_leading(node: Node, leading: frozenset[str]) -> bool:
    kind = node.type
    return kind.endswith("comment") or kind in LEADING or kind in leading


def _is_docstring(nodes: list[_Spanned]) -> bool:
    """Return whether this is a string on its own, which documents the attribute above it."""
    top, _, node = nodes[0]
    if len(nodes) != 1 or top == 0 or node.type != "expression_statement":
        return False
    return node.named_child_count == 1 and node.named_children[0].type == "string"
