"""Estimate whether a query of a syntax tree would take too long: no query can be stopped."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_RUBBLE = 5000  # children of one error node; broken real files stay below a few hundred
_PROBES = 15  # children of a wide node


def is_rubble(root: Node) -> bool:
    """Return whether the text is so unlike its language that the parser only listed its tokens. A
    query takes quadratic time there: 16 s for 100,000 brackets."""
    if not root.has_error:
        return False
    return any(
        node.type == "ERROR" and node.child_count > _RUBBLE for node in (root, *root.children)
    )


def walk_s(root: Node) -> float:
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
