"""Compile a text to a filter, by De Morgan's laws. Texts that a filter cannot express are
refused."""

from __future__ import annotations

from functools import lru_cache

from pincite.ports import EVERYTHING, AnyOf, Condition, Filter
from pincite.scope.where.reading import Schema
from pincite.scope.where.tokens import wrong
from pincite.scope.where.tree import Any, Every, Leaf, Not, Tree, parse_tree


@lru_cache(maxsize=256)
def parse_where(
    text: str, attributes: Schema = (), beside: Filter = EVERYTHING, *, ours: bool = False
) -> Filter:
    """Return the filter that the text describes; an empty text matches everything. `attributes` has
    the names and types of the searched attributes. With None, any other name than that of a field
    may be an attribute, and the filter is only good for its conditions on fields and the names of
    its attributes. `beside` is a filter that must hold as well. `ours`: no collection of another
    program is searched, so that an unknown language is an error.

    Raises UsageError with the fault, its character and what is expected there, or with the part
    that a filter cannot express: `and` or `not` inside of `or`, or more than one `or` of different
    fields.
    """
    tree = parse_tree(text, attributes, ours=ours)
    if tree is None:
        return beside
    must, must_not, should = [*beside.must], [*beside.must_not], beside.should
    for item, negated in _conjuncts(tree, negated=False):
        if isinstance(item, Leaf):
            (must_not if negated else must).append(item.condition)
            continue
        choice = _merged(_alternatives(item, text, negated=negated))
        if len(choice) == 1:
            must += choice
        elif should:
            raise wrong(
                text,
                item.at,
                "the search is bound to an `or` already, and can have only one"
                if should is beside.should
                else "a filter can have only one `or`",
                hint="use two searches, or lists: language = (python, go)",
            )
        else:
            should = choice
    return Filter(must=tuple(must), must_not=tuple(must_not), should=should)


def _conjuncts(tree: Tree, *, negated: bool) -> list[tuple[Tree, bool]]:
    """Return the parts that must all hold, each with its negation: leaves and choices."""
    match tree:
        case Not():
            return _conjuncts(tree.of, negated=not negated)
        case Every() if not negated:
            return [one for part in tree.of for one in _conjuncts(part, negated=False)]
        case Any() if negated:
            return [one for part in tree.of for one in _conjuncts(part, negated=True)]
    return [(tree, negated)]


def _alternatives(tree: Tree, text: str, *, negated: bool) -> list[Condition]:
    """Return the conditions of a choice. Raises UsageError if a part is more than one condition."""
    match tree:
        case Not():
            return _alternatives(tree.of, text, negated=not negated)
        case Every() if negated:
            return [one for part in tree.of for one in _alternatives(part, text, negated=True)]
        case Any() if not negated:
            return [one for part in tree.of for one in _alternatives(part, text, negated=False)]
        case Leaf() if not negated:
            return [tree.condition]
    inside = "`not`" if isinstance(tree, Leaf) else "`and`"
    raise wrong(
        text,
        tree.at,
        f"a filter cannot have {inside} inside of `or`",
        hint="use (a or b) and c, or two searches",
    )


def _merged(choice: list[Condition]) -> tuple[Condition, ...]:
    """Merge alternative values of one field to one condition with a list of values."""
    fields = {one.field if isinstance(one, AnyOf) else None for one in choice}
    if len(fields) > 1 or None in fields:
        return tuple(choice)
    values = [value for one in choice if isinstance(one, AnyOf) for value in one.values]
    return (AnyOf(fields.pop() or "", tuple(dict.fromkeys(values))),)
