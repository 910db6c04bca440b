"""Find the definitions in a syntax tree, with the query of its grammar."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from pincite.chunkers.code.allowance import Allowance
from pincite.chunkers.code.definitions import DEEPEST, Definition, Definitions
from pincite.chunkers.code.exports import Exports
from pincite.chunkers.code.grammars import load, unnamed_regions
from pincite.chunkers.code.node_names import (
    conversion_name,
    function_name,
    name_of,
    text_of,
    typedef_names,
)
from pincite.chunkers.code.patterns import names_in, unquoted
from pincite.chunkers.code.query_time import is_rubble, walk_s

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from pincite.chunkers.code.grammars import Grammar
    from pincite.chunkers.code.parsing import Parsed

_SIGNED = ("simple_symbol", "variable")
_ACCESSORS = ("get", "set")


class _Captured(NamedTuple):
    """A match of a query: a definition, or, with `rest`, only its beginning."""

    node: Node
    name: Node
    owner: str
    defines: bool
    rest: bool


class _Value(NamedTuple):
    """A match of a query for values. `of` identifies the type that it belongs to, 0 if the query
    does not capture it. `assigned`: the field is set in a constructor."""

    row: int
    name: str
    of: int
    assigned: bool


def find_definitions(
    parsed: Parsed, grammar: Grammar, lines: list[str], allowance: Allowance | None = None
) -> Definitions:
    """Return the definitions of a file. They are found by the query of the grammar, and by its
    patterns in rows that the tree does not cover. In rows that a repair has hidden, names of the
    tree before it count, too. If the query would take longer than the remaining time, only
    patterns are used, in all rows."""
    root = parsed.tree.root_node
    allowance = allowance or Allowance(root.end_byte)
    if _is_slow(root, allowance):
        return Definitions([], len(lines), _by_line(grammar, range(len(lines)), lines))
    found, further, values = _by_query(root, grammar)
    named = {each.name_row for each in found}
    rows = _unnamed(root, grammar) - named if grammar.patterns else set()
    hidden = parsed.hidden
    if hidden and parsed.before and not _is_slow(parsed.before.root_node, allowance):
        there, others, further_values = _by_query(parsed.before.root_node, grammar)
        others += [(each.name_row, each.symbol) for each in there]
        further += [(row, name) for row, name in others if row in hidden]
        values += [(row, name) for row, name in further_values if row in hidden]
    by_line = _by_line(grammar, rows | hidden, lines)
    return Definitions(found, len(lines), [*further, *by_line], values)


def _is_slow(root: Node, allowance: Allowance) -> bool:
    """Return whether a query of this tree would take more than the remaining time."""
    return is_rubble(root) or walk_s(root) > allowance.left_s()


def _by_line(grammar: Grammar, rows: Iterable[int], lines: list[str]) -> list[tuple[int, str]]:
    if grammar.patterns is None:
        return []
    found = names_in(grammar.patterns, (row for row in rows if row < len(lines)), lines)
    return [(row, unquoted(name)) for row, name in found] if grammar.quoted else found


def _unnamed(root: Node, grammar: Grammar) -> set[int]:
    """Return the rows with syntax errors, and those of regions that only patterns cover."""
    from tree_sitter import QueryCursor

    assert grammar.patterns is not None
    if not root.has_error and not grammar.patterns.regions:
        return set()
    rows: set[int] = set()
    reached = 0
    for _, captures in QueryCursor(unnamed_regions(grammar)).matches(root):
        for node in captures["region"]:  # nested regions are not visited again
            first = max(reached, node.start_point.row)
            reached = max(reached, node.end_point.row + 1)
            rows.update(range(first, reached), (node.start_point.row,))
    return rows


def _by_query(
    root: Node, grammar: Grammar
) -> tuple[list[Definition], list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the definitions, then further names of definitions, and names of values, each with its
    row."""
    from tree_sitter import QueryCursor

    query = load(grammar)[1]
    spans: dict[tuple[int, int], _Captured] = {}
    rests: dict[int, list[Node]] = {}
    values: list[_Value] = []
    further: list[tuple[int, str]] = []
    exports = Exports(root)
    keywords = grammar.patterns.keywords if grammar.patterns else frozenset()
    for _, captures in QueryCursor(query).matches(root):
        if named := captures.get("value") or captures.get("assigned"):
            of = captures["type"][0].id if "type" in captures else 0
            row, text = named[0].start_point.row, _value(named[0], grammar)
            if "exported" in captures and exports.only_passes_on(captures["exported"][0], text):
                continue
            if (
                text in _ACCESSORS
                and "object" in captures
                and exports.describes(captures["object"][0])
            ):
                continue
            if text:  # `unsigned : 4` of C has no name
                values.append(_Value(row, text, of, "assigned" in captures))
            continue
        nodes = captures.get("def") or captures.get("scope")
        if not nodes:
            continue
        node = nodes[0]
        name = captures["name"][-1] if "name" in captures else name_of(node)
        if name is None and node.type == "type_definition":
            names = typedef_names(node)
            name = names[0] if names else None
            further += [(each.start_point.row, text_of(each)) for each in names[1:]]
        if name is None:
            continue
        if name.type == "identifier" and node.has_error:
            name = function_name(name)
        if keywords and text_of(name) in keywords:
            continue
        owner = text_of(captures["owner"][-1]) if "owner" in captures else ""
        each = _Captured(node, name, owner, "def" in captures, "rest" in captures)
        if each.rest and node.parent is not None:
            rests.setdefault(node.parent.id, []).append(node)
        spans.setdefault((node.start_byte, -node.end_byte), each)
    found: list[Definition] = []
    stack: list[Definition] = []
    for start, end, last_row, one in sorted(
        (_extent(each, rests) for each in spans.values()), key=lambda item: (item[0], -item[1])
    ):
        while stack and stack[-1].end_byte <= start:
            stack.pop()
        outer = stack[-1].path if stack else ()
        text = text_of(one.name)
        if one.name.type == "operator_cast":
            text = conversion_name(one.name)
        elif grammar.quoted:
            text = unquoted(text)
        elif text[:1] == "`" == text[-1:]:  # a quoted name
            text = text.strip("`") or text
        own = (one.owner, text) if one.owner and outer[-1:] != (one.owner,) else (text,)
        definition = Definition(
            one.node.start_point.row,
            max(one.node.start_point.row, last_row),
            start,
            end,
            (*outer, *own)[:DEEPEST],
            text if one.defines else "",
            one.name.start_point.row,
        )
        found.append(definition)
        stack.append(definition)
    declared = {(each.of, each.name) for each in values if not each.assigned}
    return (
        found,
        further,
        [
            (each.row, each.name)
            for each in values
            if not each.assigned or (each.of, each.name) not in declared
        ],
    )


def _value(node: Node, grammar: Grammar) -> str:
    """Return the name of a value without quotes, and without the `:` or `$` of a symbol or
    variable."""
    text = text_of(node)
    if grammar.quoted:
        return unquoted(text)
    if node.type in _SIGNED and text[:1] in ":$":
        return text[1:]
    return text.strip("`") or text


def _extent(captured: _Captured, rests: dict[int, list[Node]]) -> tuple[int, int, int, _Captured]:
    """Return the first byte, the last byte (exclusive) and the last row of a definition, with the
    match itself."""
    node = captured.node
    parent = node.parent if captured.rest else None  # it is searched from the root
    if parent is not None:
        beside = rests[parent.id]
        index = bisect_right(beside, node.start_byte, key=lambda each: each.start_byte)
        if index < len(beside):
            following = beside[index]
            return node.start_byte, following.start_byte, following.start_point.row - 1, captured
    last = node if parent is None else parent
    last_row = last.end_point.row - (last.end_point.column == 0)
    return node.start_byte, last.end_byte, last_row, captured
