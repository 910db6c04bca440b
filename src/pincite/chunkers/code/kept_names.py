"""Find names that a repair has blanked by mistake. A macro and a name in capitals look alike; the
tree of the source tells them apart where it has no error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING, Final

from pincite.chunkers.code.branches import COMMENT
from pincite.chunkers.code.grammars import load
from pincite.chunkers.code.node_names import name_of, typedef_names
from pincite.support.late_patterns import late_pattern

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from pincite.chunkers.code.grammars import Grammar

_CAPITALS: Final = rb"\b(?P<word>[A-Z][A-Z0-9_]{2,63})\b"
_WORDS: Final = late_pattern(_CAPITALS)
#: Words that may be names of types on their line: in front of them is no other name, and behind
#: them is neither a name nor a parenthesis.
_TYPES: Final = late_pattern(
    rb"(?:\b(?:class|struct|union|enum)|[)\]}])[ \t]{1,99}"
    + _CAPITALS
    + rb"(?=[ \t\r]{0,99}(?:[;:{=\[]|final\b|\Z))"
)
_TYPE_LINE: Final = late_pattern(rb"\b(?:class|struct|union|enum|typedef)\b|^[ \t]*\}")
#: A call at the beginning of a line may be a constructor of such a class.
_CALLS: Final = late_pattern(rb"^[ \t]*" + _CAPITALS + rb"[ \t]*\(")
_CLASSES: Final = late_pattern(
    rb"\b(?:class|struct|union)[ \t]{1,99}" + _CAPITALS + rb"(?=(?:[ \t]{1,99}final)?\s{0,99}[:{])"
)


def possible_types(source: bytes, text: bytes) -> set[bytes]:
    """Return the words in capitals that may be names of types, and that the repaired text does not
    have."""
    return {old[start:end] for _, old, start, end in _blanked(_TYPES, source, text, _TYPE_LINE)}


def types_in(grammar: Grammar, tree: Tree) -> set[bytes]:
    """Return the names of the types that a tree has without errors around their names."""
    from tree_sitter import QueryCursor

    found: set[bytes] = set()
    for _, captures in QueryCursor(load(grammar)[1]).matches(tree.root_node):
        node = captures["def"][0] if "def" in captures else None
        if node is not None and not (node.has_error and any(one.is_error for one in node.children)):
            found.update(name.text or b"" for name in _type_names(node))
    return found


def _type_names(node: Node) -> list[Node]:
    if node.type == "type_definition":
        return typedef_names(node)
    name = name_of(node) if node.type.endswith("_specifier") else None
    return [] if name is None else [name]


def constructors(source: bytes, text: bytes) -> set[bytes]:
    """Return the names of classes in the repaired text that it does not have at the beginning of
    another line, in front of a parenthesis."""
    called = {old[start:end] for _, old, start, end in _blanked(_CALLS, source, text)}
    return called.intersection(_CLASSES.findall(text)) if called else called


def restored(source: bytes, text: bytes, names: Set[bytes]) -> bytes:
    """Return the repaired text with the lines of the source that have these names, which it does
    not have there. Of a call with several rows, which is blank, no row returns alone."""
    rows = text.split(b"\n")
    decided = -1
    for row, old, start, end in _blanked(_WORDS, source, text):
        if row == decided or old[start:end] not in names:
            continue
        decided = row
        if _opens(old) == _opens(rows[row]):
            rows[row] = old
    return b"\n".join(rows)


def _opens(row: bytes) -> int:
    return row.count(b"(") - row.count(b")")


def _blanked(
    words: re.Pattern[bytes],
    source: bytes,
    text: bytes,
    lines: re.Pattern[bytes] | None = None,
) -> Iterator[tuple[int, bytes, int, int]]:
    """Yield the row and the line of each such word of the source that is blank in the text, with
    its first and last byte (exclusive) in the line. Lines that do not match `lines`, and branches
    that are left out, have no such words."""
    both = zip(source.split(b"\n"), text.split(b"\n"), strict=True)
    for row, (old, new) in enumerate(both):
        if old != new and not new.startswith(COMMENT) and (lines is None or lines.search(old)):
            for found in words.finditer(old):
                start, end = found.span("word")
                if new[start:end].isspace():
                    yield row, old, start, end
