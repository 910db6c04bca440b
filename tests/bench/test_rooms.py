"""The rooms of `bench/`: where a subject is, and what may import what."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

pytest.importorskip("ir_measures", reason="pip install ir-measures")

from bench.__main__ import LONG, SUBJECTS, program_of
from bench.frame import ROOT
from bench.report import MARKERS
from bench.tables import TABLES

BENCH = ROOT / "bench"
ROOMS = {path.parent.name for path in BENCH.glob("*/__init__.py")}
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in BENCH.rglob("*.py")
    if path.stem not in {"__init__", "__main__"}
)
#: They lead to all subjects.
ENTRANCES = {"__main__", "report", "tables"}


@pytest.mark.parametrize("name", [*SUBJECTS, *LONG])
def test_every_subject_is_a_module_of_its_name_in_its_room(name: str) -> None:
    program = program_of(name)
    assert program.__name__ == "run"
    assert program.__module__.rpartition(".")[2] == name


def test_every_subject_has_a_table_and_a_place_for_it() -> None:
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    for name in (*SUBJECTS, *LONG):
        assert name in TABLES
        for marker in MARKERS:
            assert marker.format(name) in page


def test_tables_are_beside_their_figures() -> None:
    """`X_table.py` makes tables of what `X.py` measures."""
    tables = sorted(BENCH.rglob("*_table.py"))
    assert len(tables) > 20
    for path in tables:
        beside = path.with_name(path.name.replace("_table.py", ".py"))
        assert beside.exists(), path


def test_a_name_of_a_module_occurs_once() -> None:
    """So `quality.py` in a docstring says which one."""
    names = [name.rpartition(".")[2] for name in MODULES]
    assert sorted(set(names)) == sorted(names)


def test_what_rooms_share_imports_none_of_them() -> None:
    wrong = []
    for path in BENCH.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bench."):
                room = str(node.module).split(".")[1]
                if room in ROOMS and path.stem not in ENTRANCES:
                    wrong.append(f"{path.name}: {node.module}")
    assert wrong == []


def test_programs_that_a_bench_starts_are_there() -> None:
    """`python -m bench.speed.daemon` and scripts beside the one that starts them."""
    started: list[Path] = []
    for path in BENCH.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            words = node.value.split(".")
            if words[0] == "bench" and len(words) == 3 and " " not in node.value:
                started.append(BENCH / words[1] / f"{words[2]}.py")
            elif node.value.endswith("_worker.py") and " " not in node.value:
                started.append(path.with_name(node.value))
    assert len(started) == 7
    assert [path for path in started if not path.exists()] == []


@pytest.mark.parametrize("name", MODULES)
def test_every_module_can_be_imported(name: str) -> None:
    """Those that only a process of their own imports, too."""
    importlib.import_module(name)
