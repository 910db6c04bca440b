"""A command or daemon that was forked is as one that was started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.daemon.wire.protocol import LOCK, LOG
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


def _daemon_of(folder: Path, *, forked: bool) -> dict[str, object]:
    """What can be seen of the daemon of a new index in this folder."""
    (folder / "a.md").write_text("# Walrus\n")
    given = clean_environment() | {"PINCITE_LOG_FORMAT": "json"}
    if forked:
        run(["index", "a.md", "--lexical"], folder, given)
    else:
        subprocess.run([*PROGRAM, "index", "a.md", "--lexical"], cwd=folder, env=given, check=True)
    index = folder / ".pincite"
    process = int((index / LOCK).read_text())
    of_system = Path(f"/proc/{process}")

    def place(link: Path) -> str:
        return str(link.readlink()).replace(str(folder), "").partition(":[")[0]

    try:
        return {
            "is forked": b"forked_daemons" in (of_system / "cmdline").read_bytes(),
            "own session": os.getsid(process) == process,
            "own group": os.getpgid(process) == process,
            "folder": place(of_system / "cwd"),
            "streams": [place(of_system / "fd" / str(one)) for one in range(3)],
            "log": [sorted(json.loads(line)) for line in (index / LOG).read_text().splitlines()],
            "files": sorted(place(one) for one in (of_system / "fd").iterdir()),
        }
    finally:
        subprocess.run([*PROGRAM, "stop"], cwd=folder, env=given, check=True)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc")
def test_a_daemon_that_was_forked_is_as_one_that_was_started(tmp_path: Path) -> None:
    seen = []
    for forked in (True, False):
        folder = tmp_path / str(forked)
        folder.mkdir()
        seen.append(_daemon_of(folder, forked=forked))
    assert [one.pop("is forked") for one in seen] == [True, False]
    assert seen[0] == seen[1]
    assert seen[0]["own session"]
