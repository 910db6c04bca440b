"""Namespaces and modules, which many files open. A definition in one is at the top level."""

from __future__ import annotations

from collections.abc import Iterable, Set

from pincite.model import Chunk
from pincite.stages.rank_code.paths import place_of

Headings = tuple[str, ...]


def namespaces_of(chunks: Iterable[Chunk]) -> frozenset[Headings]:
    """Return the beginnings of heading paths that several files of code share, without tests and
    examples: `("Shop",)` if `cart.rb` and `order.rb` have classes within `module Shop`. Files with
    one name and several ends, such as a header and its source file, count as one."""
    opened: dict[Headings, str] = {}
    shared: set[Headings] = set()
    for chunk in chunks:
        if chunk.source_type != "code" or place_of(chunk.path) or "tests" in chunk.headings:
            continue  # "mod tests" of Rust is one of tests in each file
        name = chunk.path.rpartition("/")[2].partition(".")[0]
        for depth in range(1, len(chunk.headings)):
            outer = chunk.headings[:depth]
            if opened.setdefault(outer, name) != name:
                shared.add(outer)
    return frozenset(shared)


def without_namespaces(headings: Headings, namespaces: Set[Headings]) -> Headings:
    """Return a heading path from behind the longest of the `namespaces` that it begins with."""
    depths = range(len(headings), 0, -1)
    return headings[next((n for n in depths if headings[:n] in namespaces), 0) :]


def outermost(namespaces: Set[Headings]) -> frozenset[Headings]:
    """Return the namespaces that are in no other one. A class that several files open is a
    namespace, too, but is usually within a module."""
    return frozenset(one for one in namespaces if len(one) == 1)
