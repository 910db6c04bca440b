"""Names of definitions, as people copy them, in Python packages that are installed here.

Of each package, 150 classes, functions and methods are drawn. Each is asked for in three forms: the
name with its path (`Route.matches`), its declaration (`def matches`), and a question ("where is
Route.matches defined?"). As many names of values are drawn, variables of modules and fields of
classes. They are asked for alone (`max_age`), with their path, and in a question ("where is max_age
defined?"). The packages are indexed by words, one index for each.

- first: the share of the names whose first result contains the line of the definition. In the form
  of a declaration, any definition of this name in the package counts, and so for values without
  their path.

One more package is indexed together with its documentation, if that is in `--data`: pages mention
the names more often than the code defines them.

No other program is needed. Versions of the packages are those that the tests install.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from zipfile import ZipFile

from bench.adk import find_wheel, require_docs
from bench.frame import Options, SkippedError
from bench.product import open_product, temporary_folder
from pincite.engine import AsyncPincite
from pincite.ingestion.options import IndexOptions

PACKAGES: Final = (
    *("starlette", "click", "httpx", "anyio"),
    *("langchain_core", "litestar", "pydantic_ai", "sqlalchemy"),
)
DOCS: Final = "adk-docs"
BESIDE: Final = "google-adk and its pages"
_NAMES: Final = 150
_SEED: Final = 7
_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Place:
    """A definition: its file, and the line of `def` or `class`."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class SymbolFigures:
    """Shares of the names of each package, by the form that they are asked in."""

    names: int
    first: dict[str, dict[str, float]]


async def run(options: Options) -> SymbolFigures:
    """Measure all packages. Raises SkippedError if none is installed."""
    found = {name: root for name in PACKAGES if (root := folder_of(name)) is not None}
    if not found:
        raise SkippedError(f"none of these packages is installed: {', '.join(PACKAGES)}")
    if options.quick:
        found = dict(list(found.items())[:1])
    first: dict[str, dict[str, float]] = {}
    asked = 0
    with temporary_folder() as work:
        for name, root in found.items():
            async with open_product(work / name, options) as engine:
                await engine.index([root], options=IndexOptions(lexical=True, name=name))
                names = drawn(root, 10 if options.quick else _NAMES)
                asked += len(names)
                first[name] = await _shares(engine, names)
            print(f"  {name}: {first[name]}", flush=True)
        if not options.quick and (options.data / DOCS).is_dir():
            code = work / "wheel"
            with ZipFile(find_wheel(options, work)) as wheel:
                wheel.extractall(code)
            async with open_product(work / "beside", options) as engine:
                for root in (code, require_docs(options)):
                    await engine.index([root], options=IndexOptions(lexical=True))
                names = drawn(code, _NAMES)
                asked += len(names)
                first[BESIDE] = await _shares(engine, names)
    return SymbolFigures(asked, first)


def folder_of(package: str) -> Path | None:
    """The folder of an installed package, None if it is not installed."""
    spec = find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def drawn(root: Path, most: int) -> list[Asked]:
    """Up to `most` definitions and as many values of a package, the same ones each time."""
    defined = definitions(root)
    return [*draw(defined, most), *draw_values(values(root), defined, most)]


def definitions(root: Path) -> Mapping[str, Sequence[Place]]:
    """All definitions of a package by their names with paths, such as `Route.matches`."""
    return _places(root, _defined)


def values(root: Path) -> Mapping[str, Sequence[Place]]:
    """All values of a package by their names with paths, such as `Route.name`."""
    return _places(root, _values)


def _places(
    root: Path, names: Callable[[ast.AST, tuple[str, ...]], Iterator[tuple[str, int]]]
) -> Mapping[str, Sequence[Place]]:
    places: dict[str, list[Place]] = {}
    for file in sorted(root.rglob("*.py")):
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        for name, line in names(tree, ()):
            places.setdefault(name, []).append(Place(file.relative_to(root).as_posix(), line))
    return places


def _defined(node: ast.AST, within: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """The definitions of a module or class; those inside of functions are left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            path = (*within, child.name)
            yield ".".join(path), child.lineno
            if isinstance(child, ast.ClassDef):
                yield from _defined(child, path)
        elif isinstance(child, ast.If | ast.Try):
            yield from _defined(child, within)


def _values(node: ast.AST, within: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """The variables of a module and the fields of its classes, also those that `__init__` sets."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _values(child, (*within, child.name))
        elif isinstance(child, ast.FunctionDef):
            if child.name == "__init__" and within:
                yield from ((".".join((*within, name)), line) for name, line in _set_in(child))
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield ".".join((*within, target.id)), target.lineno


def _set_in(constructor: ast.FunctionDef) -> Iterator[tuple[str, int]]:
    for statement in constructor.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            match statement.targets[0] if isinstance(statement, ast.Assign) else statement.target:
                case ast.Attribute(value=ast.Name(id="self"), attr=name, lineno=line):
                    yield name, line


@dataclass(frozen=True, slots=True)
class Asked:
    """A name with the text to search for in each form, and the places that count as found."""

    forms: Mapping[str, tuple[str, Sequence[Place]]]


def draw(places: Mapping[str, Sequence[Place]], most: int) -> list[Asked]:
    """Draw names of definitions, the same ones each time."""
    ends = _by_end(places)
    return [
        Asked(
            {
                "Class.name": (name, places[name]),
                "def name": (f"{_keyword(_end(name))} {_end(name)}", ends[_end(name)]),
                "where is Class.name defined?": (f"where is {name} defined?", places[name]),
            }
        )
        for name in _sample(places, most)
    ]


def draw_values(
    places: Mapping[str, Sequence[Place]], defined: Mapping[str, Sequence[Place]], most: int
) -> list[Asked]:
    """Draw names of values, the same ones each time. A definition of the same name counts."""
    ends = _by_end(places, defined)
    return [
        Asked(
            {
                "value": (_end(name), ends[_end(name)]),
                "where is value defined?": (f"where is {_end(name)} defined?", ends[_end(name)]),
            }
            | ({"Class.value": (name, places[name])} if "." in name else {})
        )
        for name in _sample(places, most)
    ]


def _sample(places: Mapping[str, Sequence[Place]], most: int) -> list[str]:
    names = sorted(places)
    return random.Random(_SEED).sample(names, min(most, len(names)))


def _by_end(*known: Mapping[str, Sequence[Place]]) -> Mapping[str, Sequence[Place]]:
    """All places by the last parts of their names."""
    ends: dict[str, list[Place]] = {}
    for places in known:
        for name, found in places.items():
            ends.setdefault(_end(name), []).extend(found)
    return ends


def _end(name: str) -> str:
    return name.rpartition(".")[2]


def _keyword(name: str) -> str:
    return "class" if name[0].isupper() else "def"


async def _shares(engine: AsyncPincite, names: Sequence[Asked]) -> dict[str, float]:
    found: dict[str, list[bool]] = {}
    for one in names:
        for form, (text, places) in one.forms.items():
            pack = await engine.search(text, limit=_SHOWN)
            first = pack.evidence[0] if pack.evidence else None
            hit = first is not None and any(
                first.path.endswith(place.path) and place.line in first.lines for place in places
            )
            found.setdefault(form, []).append(hit)
    return {form: sum(hits) / len(hits) for form, hits in found.items()}
