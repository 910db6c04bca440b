"""Estimate the time of a query over a syntax tree, because queries cannot be stopped."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_RUBBLE = 5000  # children of one error node; broken real files stay below a few hundred
_PROBES = 15  # children of a wide node


def is_rubble(root: Node) -> bool:
    """Return whether the text is so different from its language that the parser has only listed its
    tokens. A query then takes quadratic time: 16 s for 100,000 brackets."""
    if not root.has_error:
        return False
    return any(
        node.type == "ERROR" and node.child_count > _RUBBLE for node in (root, *root.children)
    )


def walk_s(root: Node) -> float:
    """Return an estimate of the seconds that a query needs for nodes with very many children. Some
    parsers nest the children in as many hidden nodes, which are visited again for each child: 40 kB
    of `a,` as OCaml took 6 s. The estimate is the time to reach a child, times the number of
    children. (Queries cannot be stopped: their progress callback in tree-sitter 0.26 reads freed
    memory.)"""
    expected_s = 0.0
    stack = [root] if root.descendant_count > _RUBBLE else []
    while stack:
        node = stack.pop()
        if node.child_count > _RUBBLE:
            expected_s += node.child_count * _reach_s(node)
        stack += [each for each in node.children if each.descendant_count > _RUBBLE]
    return expected_s


def _reach_s(node: Node) -> float:
    """Return the time to reach a child, as the median of several, in seconds."""
    taken_s: list[float] = []
    for number in range(_PROBES):
        begun_s = time.thread_time()
        node.child(node.child_count * number // _PROBES)
        taken_s.append(time.thread_time() - begun_s)
    return sorted(taken_s)[_PROBES // 2]
