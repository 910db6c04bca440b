"""A command that was forked is as one that was started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.environment import clean_environment
from tests.forked import run

PROGRAM = [sys.executable, "-m", "pincite.surfaces.cli.app"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "code"),
    [
        (["--version"], b"", 0),
        (["schema", "answer"], b"", 0),
        (["config", "show"], b"", 0),
        (["verify", "-"], b"no pack", 2),
        (["search"], b"", 2),
        (["search", "\udcff\u00fc"], b"", 1),
    ],
)
def test_it_prints_the_same_and_ends_with_the_same_code(
    tmp_path: Path, arguments: list[str], stdin: bytes, code: int
) -> None:
    (tmp_path / "pincite.toml").write_text('preset = "chat"\n')
    given = clean_environment() | {"CHAT_MODE": "open", "PINCITE_OFFLINE": "1"}
    forked = run(arguments, tmp_path, given, stdin)
    started = subprocess.run(
        [*PROGRAM, *arguments], cwd=tmp_path, env=given, input=stdin, capture_output=True
    )
    assert forked.returncode == started.returncode == code
    assert (forked.stdout, forked.stderr) == (started.stdout, started.stderr)


@pytest.mark.parametrize("everywhere", [False, True])
def test_what_python_reads_at_its_start_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, everywhere: bool
) -> None:
    """Also where a test gives this process the same variable."""
    (tmp_path / "sitecustomize.py").write_text("print('begun')\n")
    if everywhere:
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    given = clean_environment() | {"PYTHONPATH": str(tmp_path)}
    source = Path(__file__).parents[1] / "src"
    given["PYTHONPATH"] += f":{source}"
    assert run(["--version"], tmp_path, given).stdout.startswith(b"begun\npincite ")
