"""Detect re-exports in JavaScript: properties whose value is defined elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

_EVERY_NAME: Final = "*"
#: Functions that compilers put around `require(...)`: `_interopRequireDefault`, `__toESM`, and `(0,
#: tslib_1.__importStar)`.
_HELPER: Final = re.compile(
    r"(?:(?:_|\$)interop\w*(?:\.default)?|\b__(?:import|toESM|toModule)\w*)\)?\Z"
)
_HELPER_BYTES: Final = 200
#: The text before the third argument of `Object.defineProperty(exports, "name", {`.
_DESCRIBES: Final = re.compile(rb"\bdefineProperty\([^{};,]+,[^{};]+,\s*\Z")
_DESCRIBES_BYTES: Final = 250


class Exports:
    """The assignments `exports.NAME = ...` of one file. The right end of a chain of assignments is
    evaluated once for the whole chain."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._source: bytes | None = None
        self._passed: dict[int, str] = {}

    def only_passes_on(self, assignment: Node, name: str) -> bool:
        """Return whether the assignment defines nothing: its value, at the end of the chain, is the
        same name, an import, or nothing (`void 0`)."""
        return self._passed_on(assignment) in (name, _EVERY_NAME)

    def describes(self, described: Node) -> bool:
        """Return whether this object is a descriptor for `defineProperty`, whose `get` and `set`
        are not names of values."""
        if self._source is None:
            self._source = self._root.text or b""
        end = described.start_byte - self._root.start_byte
        before = self._source[max(0, end - _DESCRIBES_BYTES) : end]
        return _DESCRIBES.search(before) is not None

    def _passed_on(self, assignment: Node) -> str:
        chain: list[int] = []
        node: Node | None = assignment
        while node is not None and node.type == "assignment_expression":
            if node.id in self._passed:
                break
            chain.append(node.id)
            node = node.child_by_field_name("right")
        else:
            found = _end_of(node)
            self._passed.update(dict.fromkeys(chain, found))
            return found
        found = self._passed[node.id]
        self._passed.update(dict.fromkeys(chain, found))
        return found


def _end_of(right: Node | None) -> str:
    """Return the name at this end of a chain of assignments, `_EVERY_NAME` for an import or
    nothing, "" for another value."""
    if right is None or right.type == "undefined" or _is_import(right):
        return _EVERY_NAME
    if right.type == "unary_expression":
        operator = right.child_by_field_name("operator")
        return _EVERY_NAME if operator is not None and operator.type == "void" else ""
    if right.type == "member_expression":
        of, right = right.child_by_field_name("object"), right.child_by_field_name("property")
        if right is not None and _text(right) == "default" and _is_import(of):
            return _EVERY_NAME
    return _text(right) if right is not None and right.type.endswith("identifier") else ""


def _is_import(node: Node | None) -> bool:
    """Return whether this is `require(...)`, or a helper of a compiler around it."""
    for _ in range(2):
        if node is None or node.type != "call_expression":
            return False
        called = node.child_by_field_name("function")
        if called is None or called.end_byte - called.start_byte > _HELPER_BYTES:
            return False
        if _text(called) == "require":
            return True
        given = node.child_by_field_name("arguments")
        if given is None or not given.named_child_count or not _HELPER.search(_text(called)):
            return False
        node = given.named_child(0)
    return False


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
