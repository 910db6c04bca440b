"""Parse a filter's text to a tree: `or` binds least, then `and`, then `not`."""

from __future__ import annotations

import msgspec

from pincite.ports import Condition
from pincite.scope.where.conditions import condition
from pincite.scope.where.reading import Reading, Schema

_DEEPEST = 50
_NEXT = "and, or, or the end"


class Leaf(msgspec.Struct, frozen=True):
    """One condition. `at` is the position of its first character."""

    condition: Condition
    at: int


class Not(msgspec.Struct, frozen=True):
    """The negation of a tree."""

    of: Tree
    at: int


class Every(msgspec.Struct, frozen=True):
    """A conjunction: all of its parts hold."""

    of: tuple[Tree, ...]
    at: int


class Any(msgspec.Struct, frozen=True):
    """A disjunction: at least one of its parts holds."""

    of: tuple[Tree, ...]
    at: int


Tree = Leaf | Not | Every | Any


def parse_tree(text: str, schema: Schema = (), *, ours: bool = False) -> Tree | None:
    """Return the tree of a text, None if it has no condition. The arguments are those of `Reading`.
    Raises UsageError."""
    reading = Reading(text, schema, ours=ours)
    if reading.peek().kind == "end":
        return None
    tree = _any(reading, 0)
    if reading.peek().kind != "end":
        raise reading.wrong("the filter continues after its end", _NEXT)
    return tree


def _any(reading: Reading, depth: int) -> Tree:
    at = reading.peek().at
    found = [_every(reading, depth)]
    while reading.peek().keyword == "or":
        reading.take()
        found.append(_every(reading, depth))
    return found[0] if len(found) == 1 else Any(tuple(found), at)


def _every(reading: Reading, depth: int) -> Tree:
    at = reading.peek().at
    found = [_one(reading, depth)]
    while reading.peek().keyword == "and":
        reading.take()
        found.append(_one(reading, depth))
    return found[0] if len(found) == 1 else Every(tuple(found), at)


def _one(reading: Reading, depth: int) -> Tree:
    at = reading.peek().at
    if depth > _DEEPEST:
        raise reading.wrong(f"more than {_DEEPEST} nested `not` and parentheses")
    if reading.peek().keyword == "not":
        reading.take()
        return Not(_one(reading, depth + 1), at)
    if reading.peek().is_sign("("):
        reading.take()
        inner = _any(reading, depth + 1)
        if not reading.peek().is_sign(")"):
            raise reading.wrong("a parenthesis is not closed", "and, or, )")
        reading.take()
        return inner
    found, negated = condition(reading)
    leaf = Leaf(found, at)
    return Not(leaf, at) if negated else leaf
