"""Modules that import each other in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

_SOURCE: Final = Path(__file__).parents[1] / "src"
#: `EvidencePack.to_prompt` is a public method, and a prompt is written from a pack.
_ALLOWED: Final = ("pincite.model.pack", "pincite.model.prompt")


def test_no_modules_import_each_other_not_even_late() -> None:
    """Imports within functions and for types count, which import-linter cannot check in a room."""
    imports = _imports()
    importer, imported = _ALLOWED
    imports[importer].remove(imported)
    assert list(circles(imports)) == []


def test_circles_are_found() -> None:
    imports = {"a": ["b", "d"], "b": ["c"], "c": ["b"], "d": ["e"], "e": ["a"], "f": ["a"]}
    assert sorted(map(sorted, circles(imports))) == [["a", "d", "e"], ["b", "c"]]
    assert list(circles({"a": ["b", "c"], "b": ["c"], "c": []})) == []


def circles(imports: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Yield the strongly connected components of several modules (Tarjan 1972)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    unfinished: list[str] = []

    def visit(one: str) -> Iterator[list[str]]:
        order[one] = lowest[one] = len(order)
        unfinished.append(one)
        for other in imports[one]:
            if other not in order:
                yield from visit(other)
                lowest[one] = min(lowest[one], lowest[other])
            elif other in unfinished:
                lowest[one] = min(lowest[one], order[other])
        if lowest[one] == order[one]:
            at = unfinished.index(one)
            found = unfinished[at:]
            del unfinished[at:]
            if len(found) > 1:
                yield found

    for one in imports:
        if one not in order:
            yield from visit(one)


def _imports() -> dict[str, list[str]]:
    """What each module imports, by name. A package is the module of its `__init__`."""
    trees = {}
    for path in sorted((_SOURCE / "pincite").rglob("*.py")):
        parts = path.relative_to(_SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        trees[name] = ast.parse(path.read_bytes())
    return {name: _imported(tree, trees) for name, tree in trees.items()}


def _imported(tree: ast.Module, modules: Mapping[str, ast.Module]) -> list[str]:
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= dict.fromkeys(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                found[inner if inner in modules else str(node.module)] = None
    return [name for name in found if name in modules]
