"""Find the definitions in a syntax tree, and the definition that contains each line."""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pincite.chunkers.code.allowance import Allowance
from pincite.chunkers.code.exports import Exports
from pincite.chunkers.code.grammars import load, unnamed_regions
from pincite.chunkers.code.patterns import names_in, unquoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

    from pincite.chunkers.code.grammars import Grammar
    from pincite.chunkers.pieces import Path

DEEPEST = 8  #: symbol paths are cut below; real code stays above
_NAME_CHARS = 80
_PATH = re.compile(r"\w+(?:(?:\.|::)\w+)*(?=\s?<|\Z)")
_WORD = re.compile(r"\w")
_RUBBLE = 5000  # children of one error node; broken real files stay below a few hundred
_SIGNED = ("simple_symbol", "variable")
_PROBES = 15  # children of a wide node
_ACCESSORS = ("get", "set")
_DECLARATORS = 16  # around a name; real code has up to 6
#: Types of the language, which no typedef names: an unknown macro stands before them.
_NO_NAMES = frozenset(("void", "int", "char", "short", "long", "float", "double", "auto"))


class Definition(msgspec.Struct, frozen=True):
    """A definition. Rows are 0-based and inclusive. `path` ends with the name. `symbol` is "" for a
    construct that has members but defines nothing."""

    first: int
    last: int
    start_byte: int
    end_byte: int
    path: Path
    symbol: str
    name_row: int


class Definitions:
    """All definitions of a file in order of their start, outer before inner. Those found `by_line`
    have a name, but no end and no members, and so have `values`: constants and fields."""

    def __init__(
        self,
        found: list[Definition],
        rows: int,
        by_line: Iterable[tuple[int, str]] = (),
        values: Iterable[tuple[int, str]] = (),
    ) -> None:
        self.all = found
        self._starts = [each.first for each in found]
        self._start_bytes = [each.start_byte for each in found]
        named = sorted([*((each.name_row, each.symbol) for each in found), *by_line])
        self._named = [(row, name) for row, symbol in named for name in names_of(symbol)]
        self.values = sorted(values, key=_row)
        self._lasts: dict[int, int] = {}  # rows with names, and the last row of what begins there
        for each in found:
            self._lasts[each.name_row] = max(each.last, self._lasts.get(each.name_row, -1))
        self._enclosing = _sweep(found, rows)

    def path_at(self, row: int) -> Path:
        """Return the symbol path of the innermost definition around this row."""
        return self._enclosing[row]

    def outermost_within(self, first: int, last: int) -> list[Definition]:
        """Return at most two definitions that lie wholly in rows first..last and in no other
        there."""
        found: list[Definition] = []
        index = bisect_left(self._starts, first)
        while index < len(self.all) and len(found) < 2:
            each = self.all[index]
            if each.first > last:
                break
            if each.last <= last:
                found.append(each)
                index = bisect_left(self._start_bytes, each.end_byte, index + 1)
            else:
                index += 1
        return found

    def begins_in(self, first: int, last: int) -> bool:
        """Return whether a definition has its name in rows first..last and its end below. Each row
        is visited."""
        return any(self._lasts.get(row, -1) > last for row in range(first, last + 1))

    def symbols_in(self, first: int, last: int) -> Iterator[str]:
        """Yield the names of the definitions in rows first..last, in order."""
        return _between(self._named, first, last)

    def values_in(self, first: int, last: int) -> Iterator[str]:
        """Yield the names of the values in these rows, in order."""
        return _between(self.values, first, last)


def _between(named: list[tuple[int, str]], first: int, last: int) -> Iterator[str]:
    low = bisect_left(named, first, key=_row)
    high = bisect_left(named, last + 1, low, key=_row)
    return (name for _, name in named[low:high])


def _row(named: tuple[int, str]) -> int:
    return named[0]


def names_of(symbol: str) -> tuple[str, ...]:
    """Return the names to search a definition by: its name, the name without template arguments,
    and the last part of a path (`Conn` of `Plug.Conn`)."""
    if not symbol:
        return ()
    path = _PATH.match(symbol)
    ends = symbol.endswith(">") or len(symbol) == _NAME_CHARS  # its arguments may be cut off
    if path is None or (path.end() != len(symbol) and not ends):
        return (symbol,)
    bare = path[0]
    return tuple(dict.fromkeys((symbol, bare, re.split(r"\.|::", bare)[-1])))


class _Captured(NamedTuple):
    """A match of a query: a definition, or with `rest` the start of one."""

    node: Node
    name: Node
    owner: str
    defines: bool
    rest: bool


class _Value(NamedTuple):
    """A match of a query for values. `of` identifies the type that it belongs to, if the query
    tells; `assigned` fields are set in a constructor."""

    row: int
    name: str
    of: int
    assigned: bool


def find_definitions(
    root: Node, grammar: Grammar, lines: list[str], allowance: Allowance | None = None
) -> Definitions:
    """Run the grammar's query, and its patterns where the tree has no names: everywhere, if the
    query would take longer than is left."""
    allowance = allowance or Allowance(root.end_byte)
    if _is_rubble(root) or _walk_s(root) > allowance.left_s():
        return Definitions([], len(lines), _by_line(grammar, range(len(lines)), lines))
    found, further, values = _by_query(root, grammar)
    named = {each.name_row for each in found}
    rows = _unnamed(root, grammar) - named if grammar.patterns else set()
    return Definitions(found, len(lines), [*further, *_by_line(grammar, rows, lines)], values)


def _by_line(grammar: Grammar, rows: Iterable[int], lines: list[str]) -> list[tuple[int, str]]:
    if grammar.patterns is None:
        return []
    found = names_in(grammar.patterns, (row for row in rows if row < len(lines)), lines)
    return [(row, unquoted(name)) for row, name in found] if grammar.quoted else found


def _unnamed(root: Node, grammar: Grammar) -> set[int]:
    """Return the rows that the parser could not understand, and those for the patterns."""
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


def _name_of(node: Node) -> Node | None:
    """Return the field `name`, for patterns that capture no name. In Swift, the field is also that
    of a return type, and the name of an operator has no node type of its own."""
    name = node.child_by_field_name("name")
    if name is not None and name.type == "prefix_id":  # an operator in parentheses, of Haskell
        return name.named_child(0)
    if name is None or name.is_named or not _WORD.search(_text(name)):
        return name
    return next((each for each in node.children_by_field_name("name") if each.is_named), None)


def _typedef_names(node: Node) -> list[Node]:
    """Return the names that a typedef of C defines: `f` and `g` of `typedef int (*f)(int), *g;`.
    No names if the parser took a macro for the type, as in `typedef BOOL (WINAPI *f)(int)`."""
    kind = node.child_by_field_name("type")
    if kind is None:
        return []
    if kind.type == "macro_type_specifier" and kind.has_error and "_Atomic(" not in _text(node):
        return []
    declarators = node.children_by_field_name("declarator")
    if node.has_error and declarators and _text(declarators[0]) == "bool":
        return []  # `typedef MACRO bool name;`
    for child in node.children:
        if child.is_error:
            return []
        if child in declarators[:1]:
            break
    return [name for each in declarators if (name := _declared(each)) is not None]


def _declared(declarator: Node) -> Node | None:
    for _ in range(_DECLARATORS):
        if declarator.type == "type_identifier":
            return declarator
        if declarator.type == "primitive_type":  # `size_t` and the like, of C's own headers
            return None if _text(declarator) in _NO_NAMES else declarator
        inner = declarator.child_by_field_name("declarator")
        if declarator.type == "reference_declarator":
            inner = declarator.named_children[-1] if declarator.named_children else None
        if declarator.type == "parenthesized_declarator":
            inner = declarator.named_children[-1]
        elif any(child.is_error for child in declarator.children):
            return None  # `*Name MACRO`
        if declarator.type == "function_declarator" and _is_macro_call(declarator):
            return None
        if inner is None:
            return None
        declarator = inner
    return None


def _is_macro_call(function: Node) -> bool:
    """Return whether this is the macro of `typedef void EXPORT (*name)(int)`. The parser takes it
    for a function that returns a function, or that has no valid parameters."""
    inner = function.child_by_field_name("declarator")
    given = function.child_by_field_name("parameters")
    wrong = given is not None and any(child.is_error for child in given.children)
    return wrong or (inner is not None and inner.type == "function_declarator")


def _by_query(
    root: Node, grammar: Grammar
) -> tuple[list[Definition], list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the definitions, further names of the same definitions with their rows, and the names
    of values."""
    from tree_sitter import QueryCursor

    query = load(grammar)[1]
    spans: dict[tuple[int, int], _Captured] = {}
    rests: dict[int, list[Node]] = {}
    values: list[_Value] = []
    further: list[tuple[int, str]] = []
    exports = Exports(root)
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
        name = captures["name"][-1] if "name" in captures else _name_of(node)
        if name is None and node.type == "type_definition":
            names = _typedef_names(node)
            name = names[0] if names else None
            further += [(each.start_point.row, _text(each)) for each in names[1:]]
        if name is None:
            continue
        owner = _text(captures["owner"][-1]) if "owner" in captures else ""
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
        text = _text(one.name)
        if grammar.quoted:
            text = unquoted(text)
        elif text[:1] == "`" == text[-1:]:  # a name that is no word
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
    """Return the name of a value, without quotes and the sign of a symbol or variable."""
    text = _text(node)
    if grammar.quoted:
        return unquoted(text)
    if node.type in _SIGNED and text[:1] in ":$":
        return text[1:]
    return text.strip("`") or text


def _extent(captured: _Captured, rests: dict[int, list[Node]]) -> tuple[int, int, int, _Captured]:
    """Return first byte, last byte (exclusive) and last row of a definition."""
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


def _is_rubble(root: Node) -> bool:
    """Return whether the text is so unlike its language that the parser only listed its tokens. A
    query takes quadratic time there: 16 s for 100,000 brackets."""
    if not root.has_error:
        return False
    return any(
        node.type == "ERROR" and node.child_count > _RUBBLE for node in (root, *root.children)
    )


def _walk_s(root: Node) -> float:
    """Return how many seconds a query may need for the children of very wide nodes. Some parsers
    nest them in as many hidden nodes, each of which is visited again for each child: 40 kB of `a,`
    as OCaml took 6 s. The time to reach a child tells. (No query can be stopped: the progress
    callback of tree-sitter 0.26 for queries reads freed memory.)"""
    expected_s = 0.0
    stack = [root] if root.descendant_count > _RUBBLE else []
    while stack:
        node = stack.pop()
        if node.child_count > _RUBBLE:
            expected_s += node.child_count * _reach_s(node)
        stack += [each for each in node.children if each.descendant_count > _RUBBLE]
    return expected_s


def _reach_s(node: Node) -> float:
    """Return the median time to reach a child: something else may happen during one."""
    taken_s: list[float] = []
    for number in range(_PROBES):
        begun_s = time.thread_time()
        node.child(node.child_count * number // _PROBES)
        taken_s.append(time.thread_time() - begun_s)
    return sorted(taken_s)[_PROBES // 2]


def _text(node: Node) -> str:
    raw = node.text or b""
    return " ".join(raw.decode("utf-8", "replace").split())[:_NAME_CHARS]


def _sweep(found: list[Definition], rows: int) -> list[Path]:
    """Return the path of each row. Rows before, between and behind definitions have none."""
    row = min(found[0].first, rows) if found else rows
    paths: list[Path] = [()] * row
    stack: list[Definition] = []
    upcoming = 0
    while row < rows and (stack or upcoming < len(found)):
        while upcoming < len(found) and found[upcoming].first <= row:
            each = found[upcoming]
            upcoming += 1
            while stack and stack[-1].end_byte <= each.start_byte:
                stack.pop()
            stack.append(each)
        while stack and stack[-1].last < row:
            stack.pop()
        paths.append(stack[-1].path if stack else ())
        row += 1
    return [*paths, *[()] * (rows - row)]
