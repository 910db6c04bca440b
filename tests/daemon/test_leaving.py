"""The process of a daemon ends without freeing its objects one by one, which the system does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.environment import clean_environment
from tests.time_limits import HANGS_S

LOUD = """
import atexit, os, sys

class Loud:
    def __del__(self, write=os.write):
        write(1, b"freed ")

sys.loud = Loud()
atexit.register(os.write, 1, b"at exit ")
"""


def test_it_runs_what_is_to_run_at_exit_and_frees_nothing(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(LOUD)
    paths = [str(tmp_path), str(Path(__file__).parents[2] / "src")]
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "pincite.daemon", str(tmp_path / "index")],
        env=clean_environment() | {"PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,  # it is told nothing
        capture_output=True,
        check=True,
        timeout=HANGS_S,
    )
    assert ended.stdout == b"at exit "
    assert ended.stderr == b""
