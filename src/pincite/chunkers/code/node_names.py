"""The names that nodes of a syntax tree define."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pincite.chunkers.code.definitions import NAME_CHARS

if TYPE_CHECKING:
    from tree_sitter import Node

_WORD = re.compile(r"\w")
_DECLARATORS = 16  # around a name; real code has up to 6
#: Types of the language, which a typedef cannot define: there is an unknown macro before them.
_NO_NAMES = frozenset(("void", "int", "char", "short", "long", "float", "double", "auto"))


def text_of(node: Node) -> str:
    """Return the text of a node on one line, of at most `NAME_CHARS` characters."""
    raw = node.text or b""
    return " ".join(raw.decode("utf-8", "replace").split())[:NAME_CHARS]


def name_of(node: Node) -> Node | None:
    """Return the field `name` of a node, for patterns that capture no name. In Swift, return types
    have the same field, and the name of an operator is not a named node."""
    name = node.child_by_field_name("name")
    if name is not None and name.type == "prefix_id":  # an operator in parentheses, in Haskell
        return name.named_child(0)
    if name is None or name.is_named or not _WORD.search(text_of(name)):
        return name
    return next((each for each in node.children_by_field_name("name") if each.is_named), None)


def function_name(name: Node) -> Node:
    """Return the name of a function of C, given the word in front of its parameters or of an error:
    the parser takes `LIB_API` for the type in `LIB_API type name(int)`, and `type` for the name."""
    error = name.next_sibling
    if error is None or not error.is_error or error.named_child_count != 1:
        return name
    behind, other = error.next_sibling, error.named_children[0]
    if behind is None or behind.type != "parameter_list" or other.type != "identifier":
        return name
    text = text_of(other)  # `int run PROTOTYPE((int));`
    return name if text.isupper() or text.startswith("_") else other


def conversion_name(node: Node) -> str:
    """Return `operator bool` of the node `operator bool() const`."""
    inner = node
    for _ in range(_DECLARATORS):
        parts = (each for each in inner.named_children if each.type.startswith("abstract_"))
        inner = next(parts, inner)
    given = inner.child_by_field_name("parameters")
    size = None if given is None else given.start_byte - node.start_byte
    return " ".join((node.text or b"")[:size].decode("utf-8", "replace").split())[:NAME_CHARS]


def typedef_names(node: Node) -> list[Node]:
    """Return the names that a typedef of C defines: `f` and `g` of `typedef int (*f)(int), *g;`.
    Empty if the parser has taken a macro for the type, as in `typedef BOOL (WINAPI *f)(int)`."""
    kind = node.child_by_field_name("type")
    if kind is None:
        return []
    if kind.type == "macro_type_specifier" and kind.has_error and "_Atomic(" not in text_of(node):
        return []
    declarators = node.children_by_field_name("declarator")
    if node.has_error and declarators and text_of(declarators[0]) == "bool":
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
        if declarator.type == "primitive_type":  # such as `size_t`, in headers of C itself
            return None if text_of(declarator) in _NO_NAMES else declarator
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
    """Return whether this is a macro, as in `typedef void EXPORT (*name)(int)`. The parser takes it
    for a function that returns a function, or that has invalid parameters."""
    inner = function.child_by_field_name("declarator")
    given = function.child_by_field_name("parameters")
    wrong = given is not None and any(child.is_error for child in given.children)
    return wrong or (inner is not None and inner.type == "function_declarator")
