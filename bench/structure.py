"""How the package is laid out, and what a question and a run of indexing pass through.

    python -m bench.structure [--source CHECKOUT] [--models FOLDER] [--json]

It measures any checkout, so that figures from before and after a change come from one program:

- *top level*: modules and packages directly in `src/pincite`, without `__init__.py`.
- *rooms*: all of those. *Arrows*: pairs of rooms of which one imports the other, anywhere in it,
  for type checkers and within functions, too. The same between files.
- *upward*: arrows that the contract of layers in `pyproject.toml` forbids (it may leave some out),
  and rooms that have no layer.
- *path of `pincite search`, of `pincite index`*: the functions of Pincite that the command and the
  index's own process enter, from their start to their end, and the files and rooms that these are
  in. Both processes are real: `structure_trace.py` notes it in each. The index is new, of two small
  documents, and by word alone; with `--models` the bundled model takes part.
- *climbs*: pairs of functions of which one calls the other (directly, or through code that is not
  ours) though its room is in a higher layer: callbacks, mostly. *Against imports*: pairs where the
  called function's file imports the caller's and not the other way round, whatever the layers.
- *widest*: files that call functions of many others: who knows the order of steps.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import structure_trace
from pincite.support.capabilities import is_alive

_WIDEST = 5  # files that are named
_LIMIT_S = 600.0  # of a command: guards against hanging, for tracing makes it many times slower
GUIDE = "# Guide\n\n## Rotating keys\n\nTo rotate a key, call `rotate_key` with the new secret.\n"
CODE = 'def rotate_key(secret: str) -> None:\n    """Replace the key by a new secret."""\n'


@dataclass(frozen=True, slots=True)
class Layout:
    """Counts of rooms, files and the imports between them. `upward` are arrows against the layers,
    `unlayered` the rooms that stand in no layer."""

    modules: tuple[str, ...]
    packages: tuple[str, ...]
    files: int
    room_arrows: int
    file_arrows: int
    upward: tuple[str, ...]
    unlayered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """What a command passes through, in all of its processes."""

    command: str
    processes: int
    functions: int
    files: int
    rooms: int
    climbs: tuple[str, ...]
    against_imports: int
    widest: tuple[tuple[str, int], ...]


def imports_of(source: Path) -> dict[str, set[str]]:
    """By file (relative to the package): the files of the package that it imports."""
    files = {name: path for path, name in _files(source)}
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        found[name] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for module in _imported(node):
                given = _file_of(module, files)
                if given is not None and given != name:
                    found[name].add(given)
    return found


def _files(source: Path) -> Iterator[tuple[Path, str]]:
    package = source / "src" / "pincite"
    for path in sorted(package.rglob("*.py")):
        yield path, path.relative_to(package).as_posix()


def _imported(node: ast.AST) -> Iterator[str]:
    """Dotted names below `pincite`; a name that is imported from a package may be a module."""
    if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        top, _, rest = node.module.partition(".")
        if top == "pincite":
            for alias in node.names:
                yield f"{rest}.{alias.name}".strip(".")
    elif isinstance(node, ast.Import):
        for alias in node.names:
            top, _, rest = alias.name.partition(".")
            if top == "pincite" and rest:
                yield rest


def _file_of(module: str, files: Mapping[str, Path]) -> str | None:
    """The file of a module, or of the module that a name is in."""
    parts = module.split(".")
    for end in (len(parts), len(parts) - 1):
        stem = "/".join(parts[:end])
        for name in (f"{stem}.py", f"{stem}/__init__.py"):
            if stem and name in files:
                return name
    return None


def room_of(file: str) -> str:
    """The module or package on the top level that a file is, or is in."""
    return file.partition("/")[0].removesuffix(".py")


def layers_of(source: Path) -> dict[str, int]:
    """The layer of each room, 0 being the highest. Empty without a contract of layers."""
    table = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in table.get("tool", {}).get("importlinter", {}).get("contracts", ()):
        if contract["type"] == "layers":
            return {
                name.strip().strip("()").removeprefix("pincite."): number
                for number, layer in enumerate(contract["layers"])
                for name in re.split(r"[|:]", layer)
            }
    return {}


def measure_layout(source: Path) -> Layout:
    """Raises OSError and SyntaxError for what is no checkout."""
    package = source / "src" / "pincite"
    imports, layers = imports_of(source), layers_of(source)
    modules = sorted(p.stem for p in package.glob("*.py") if p.stem != "__init__")
    packages = sorted(p.parent.name for p in package.glob("*/__init__.py"))
    pairs = {
        (room_of(one), room_of(other))
        for one, others in imports.items()
        for other in others
        if room_of(one) != room_of(other) and "__init__" not in (room_of(one), room_of(other))
    }
    upward = sorted(
        f"{one} -> {other}"
        for one, other in pairs
        if one in layers and other in layers and layers[other] < layers[one]
    )
    return Layout(
        modules=tuple(modules),
        packages=tuple(packages),
        files=len(imports),
        room_arrows=len(pairs),
        file_arrows=sum(map(len, imports.values())),
        upward=tuple(upward),
        unlayered=tuple(sorted({*modules, *packages} - layers.keys())) if layers else (),
    )


def measure_paths(source: Path, models: Path | None) -> tuple[Passage, Passage]:
    """What `pincite index` and then `pincite search` pass through, each with a process of the
    index that is started for it. Raises RuntimeError if one of them fails."""
    with tempfile.TemporaryDirectory(prefix="structure-") as name:
        work = Path(name)
        (work / "hook").mkdir()
        shutil.copy(structure_trace.__file__, work / "hook" / "sitecustomize.py")
        documents = work / "documents"
        documents.mkdir()
        (documents / "guide.md").write_text(GUIDE, encoding="utf-8")
        (documents / "keys.py").write_text(CODE, encoding="utf-8")
        lexical = () if models else ("--lexical",)
        indexed = _trace(source, work, models, ("index", str(documents), *lexical))
        return indexed, _trace(source, work, models, ("search", "rotate the key"))


def _trace(source: Path, work: Path, models: Path | None, command: Sequence[str]) -> Passage:
    traces = work / f"trace-{command[0]}"
    traces.mkdir()
    index = str(work / "index")
    _run(source, work, models, (*command, "--index", index), traces)
    _run(source, work, models, ("stop", "--index", index), None)
    _wait_for_all(traces)
    entered: set[str] = set()
    calls: set[tuple[str, str]] = set()
    written = sorted(traces.glob("*.json"))
    for file in written:
        noted = json.loads(file.read_text(encoding="utf-8"))
        entered.update(noted["entered"])
        calls.update((caller, called) for caller, called, _ in noted["calls"])
    return _summed(source, command[0], len(written), entered, calls)


def _wait_for_all(traces: Path) -> None:
    """Return when all processes have written: the daemon does after it has released the index.
    Raises RuntimeError if one does not."""
    end_s = time.monotonic() + _LIMIT_S
    marks = f"*{structure_trace.RUNNING}"
    while running := [one.stem for one in traces.glob(marks) if is_alive(int(one.stem))]:
        if time.monotonic() > end_s:
            raise RuntimeError(f"these processes do not end: {', '.join(running)}")
        time.sleep(0.02)


def _summed(
    source: Path, command: str, processes: int, entered: set[str], calls: set[tuple[str, str]]
) -> Passage:
    layers, imports = layers_of(source), imports_of(source)
    climbs, against, wide = [], 0, dict[str, set[str]]()
    for caller, called in sorted(calls):
        one, other = caller.partition(":")[0], called.partition(":")[0]
        if one == other:
            continue
        wide.setdefault(one, set()).add(other)
        above, below = layers.get(room_of(other)), layers.get(room_of(one))
        if above is not None and below is not None and above < below:
            climbs.append(f"{caller} -> {called}")
        if one in imports.get(other, ()) and other not in imports.get(one, ()):
            against += 1
    files = {name.partition(":")[0] for name in entered}
    widest = sorted(((file, len(others)) for file, others in wide.items()), key=_by_count)
    return Passage(
        command=f"pincite {command}",
        processes=processes,
        functions=len(entered),
        files=len(files),
        rooms=len({room_of(file) for file in files}),
        climbs=tuple(climbs),
        against_imports=against,
        widest=tuple(widest[:_WIDEST]),
    )


def _by_count(counted: tuple[str, int]) -> tuple[int, str]:
    return (-counted[1], counted[0])


def _run(
    source: Path, work: Path, models: Path | None, arguments: Sequence[str], traces: Path | None
) -> None:
    """One command of the checkout's own, with all processes that it starts traced."""
    table = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))
    module, _, function = table["project"]["scripts"]["pincite"].partition(":")
    program = f"import sys; from {module} import {function} as main; sys.exit(main())"
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PINCITE_")}
    environ = kept | {
        "PYTHONPATH": os.pathsep.join((str(work / "hook"), str(source / "src"))),
        "XDG_RUNTIME_DIR": str(work),
        "XDG_CACHE_HOME": str(work / "cache"),
        "PINCITE_OFFLINE": "1",
        "PINCITE_MODELS": str(models or work / "models"),
    }
    if traces is not None:
        environ[structure_trace.FOLDER] = str(traces)
        environ[structure_trace.SOURCE] = f"{source / 'src' / 'pincite'}{os.sep}"
    done = subprocess.run(
        (sys.executable, "-c", program, *arguments),
        env=environ,
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
        timeout=_LIMIT_S,
    )
    if done.returncode != 0:
        raise RuntimeError(f"pincite {' '.join(arguments)}: {done.returncode}\n{done.stderr}")


def table_of(layout: Layout, paths: Sequence[Passage]) -> str:
    """The figures as Markdown."""
    lines = [
        "| layout | |",
        "|---|--:|",
        f"| modules on the top level | {len(layout.modules)} |",
        f"| packages on the top level | {len(layout.packages)} |",
        f"| files | {layout.files} |",
        f"| import arrows between rooms | {layout.room_arrows} |",
        f"| import arrows between files | {layout.file_arrows} |",
        f"| arrows against the layers | {len(layout.upward)} |",
        f"| rooms without a layer | {len(layout.unlayered)} |",
        "",
        "| path | processes | functions | files | rooms | climbs | against imports |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one in paths:
        counts = (one.processes, one.functions, one.files, one.rooms, len(one.climbs))
        lines.append(
            f"| `{one.command}` | {' | '.join(map(str, (*counts, one.against_imports)))} |"
        )
    for one in paths:
        wide = ", ".join(f"`{file}` {count}" for file, count in one.widest)
        lines += ["", f"Widest in `{one.command}`: {wide}."]
        lines += [f"- climbs: `{climb}`" for climb in one.climbs]
    if layout.unlayered:
        lines += ["", f"Without a layer: {', '.join(layout.unlayered)}."]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of a checkout."""
    parser = argparse.ArgumentParser(prog="python -m bench.structure", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    here = Path(__file__).resolve().parent.parent
    parser.add_argument("--source", type=Path, default=here, help="the checkout; default: this")
    parser.add_argument("--models", type=Path, help="a folder with the bundled model")
    parser.add_argument("--json", action="store_true", help="all figures and names")
    given = parser.parse_args(arguments)
    source = given.source.resolve()
    if not (source / "src" / "pincite").is_dir():
        parser.error(f"{source} is no checkout of Pincite: it has no src/pincite")
    models = given.models.resolve() if given.models else None
    layout = measure_layout(source)
    paths = measure_paths(source, models)
    if given.json:
        print(json.dumps({"layout": asdict(layout), "paths": [asdict(one) for one in paths]}))
    else:
        print(table_of(layout, paths))


if __name__ == "__main__":
    main()
