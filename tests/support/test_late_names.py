"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src"
#: All packages whose names are imported when they are first used.
PACKAGES = tuple(
    ".".join(path.parent.relative_to(SOURCES).parts)
    for path in sorted(SOURCES.rglob("__init__.py"))
    if "late_names(" in path.read_text(encoding="utf-8")
)


def imported_for_types(package: str) -> dict[str, str]:
    """The names that type checkers see, by name, with the module of each."""
    tree = ast.parse(Path(str(import_module(package).__file__)).read_text(encoding="utf-8"))
    return {
        name.name: str(node.module)
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_found_where_type_checkers_find_it(package: str) -> None:
    module, seen = import_module(package), imported_for_types(package)
    assert {"pincite", "pincite.model", "pincite.ports"} <= set(PACKAGES)
    assert sorted(seen) == sorted(set(module.__all__) - {"__version__"})
    assert dir(module) == sorted(module.__all__)
    for name, home in seen.items():
        assert getattr(module, name) is getattr(import_module(home), name)


@pytest.mark.parametrize("package", PACKAGES)
def test_another_name_is_an_error(package: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'Lantern'"):
        getattr(import_module(package), "Lantern")  # noqa: B009 - mypy would complain


def test_type_checkers_know_names_that_are_not_there(tmp_path: Path) -> None:
    program = tmp_path / "lamps.py"
    program.write_text(
        "from pincite import Lantern\n"
        "from pincite.model import Wick\n"
        "from pincite.ports import Oil\n"
    )
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            str(program),
        ],  # with what `make check` has left in its cache
        capture_output=True,
        text=True,
        check=False,
    )
    unknown = {"pincite": "Lantern", "pincite.model": "Wick", "pincite.ports": "Oil"}
    for package, name in unknown.items():
        assert f'Module "{package}" has no attribute "{name}"' in run.stdout, run.stdout


def test_a_daemon_starts_without_the_classes_of_answers() -> None:
    program = """
import sys
import pincite.daemon.server.listener, pincite.index.store_of_folder
import pincite.stores.qdrant_edge.store
print("\\n".join(sys.modules))
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(run.stdout.split())
    assert "pincite.model.documents" in loaded
    unneeded = {"answers", "evidence", "pack", "records"}
    assert not {f"pincite.model.{name}" for name in unneeded} & loaded
    assert "pincite.ports.conversations" not in loaded
