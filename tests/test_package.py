"""The package as its users meet it: quiet and quick at import, whole when it is built."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import pincite

ROOT = Path(__file__).parent.parent
HEAVY = ("numpy", "onnxruntime", "qdrant_edge", "tokenizers", "tree_sitter", "httpx", "click")


def modules_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_import_is_silent_and_brings_in_nothing_heavy() -> None:
    assert modules_after("import pincite").isdisjoint(HEAVY)


def test_the_command_line_starts_without_the_engine() -> None:
    loaded = modules_after("import pincite.surfaces.cli.app")
    assert loaded.isdisjoint(set(HEAVY) - {"click"})


@pytest.mark.parametrize("arguments", [("--version",), ("search", "--help"), ("no-such-command",)])
def test_the_module_is_the_command(arguments: tuple[str, ...]) -> None:
    """`python -m pincite` prints and exits as the console script does."""
    both = [
        subprocess.run([*program, *arguments], capture_output=True, text=True, check=False)
        for program in (
            [sys.executable, "-m", "pincite"],
            [sys.executable, "-c", "from pincite.surfaces.cli.app import main; main()"],
        )
    ]
    module, script = both
    assert (module.returncode, module.stdout) == (script.returncode, script.stdout)
    assert module.stderr == script.stderr
    assert f"{module.stdout}{module.stderr}".strip() != ""


def test_every_public_name_can_be_imported() -> None:
    for name in pincite.__all__:
        assert getattr(pincite, name) is not None
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = pincite.nothing_like_this  # type: ignore[attr-defined]


def test_a_wheel_has_everything_in_it(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", str(tmp_path), "."],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    sources = {
        str(p.relative_to(ROOT / "src"))
        for p in (ROOT / "src/pincite").rglob("*")
        if p.is_file() and "__pycache__" not in p.parts
    }
    assert sources <= names
    assert "pincite/py.typed" in names


def test_no_file_is_longer_than_one_can_live_in() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for folder in ("src", "tests", "bench")
        for path in (ROOT / folder).rglob("*.py")
        if (count := path.read_text(encoding="utf-8").count("\n")) > 500
    }
    assert long == {}


#: A module of tests that is imported, or run by its name.
_TEST_MODULE = re.compile(
    r"\btests(?:\.\w+)*\.test_\w+|\bfrom tests(?:\.\w+)* import (?:\([^)]*|.*)\btest_\w+"
)


def test_no_module_imports_from_a_test_module() -> None:
    """What several test files share is in a module beside them, whose name has no `test_`."""
    room = "tests.room"
    for text in (f"from {room}.test_a import b", f"from {room} import (\n    a,\n    test_b,\n)"):
        assert _TEST_MODULE.search(text), text
    assert not _TEST_MODULE.search(f"from {room}.desk import PAGE\nfrom {room} import desk")
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for folder in ("src", "tests", "bench", "release", "examples")
        for path in (ROOT / folder).rglob("*.py")
        for match in _TEST_MODULE.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_top_level_tells_the_story() -> None:
    """Every helper lives in a room. Which room may import which is in `pyproject.toml`."""
    top = {path.stem for path in (ROOT / "src/pincite").glob("*.py")} - {"__init__", "__main__"}
    assert top <= {
        *("engine", "sync", "search", "ingest", "answer", "deps", "trace", "profile", "presets"),
        *("errors", "version"),
    }
