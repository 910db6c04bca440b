"""First indexes as a user makes them: seconds from the start of a process to its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from bench.product import temporary_folder
from pincite.evals.analysis.statistics import median

WORKER: Final = Path(__file__).with_name("semble_worker.py")
_TURNS: Final = 3
_IDLE: Final = {"PINCITE_IDLE_S": "60"}  # if stopping it fails


def whole_commands(root: Path, semble: Path | None, *, quick: bool) -> tuple[float, float]:
    """The medians of `pincite index ROOT --lexical` into a new index, and of a process that imports
    semble and indexes the same, in turn. 0 without semble."""
    ours, theirs = [], []
    for _ in range(1 if quick else _TURNS):
        ours.append(_pincite(root))
        if semble is not None:
            theirs.append(_semble(root, semble))
    return median(ours), median(theirs) if theirs else 0.0


def _pincite(root: Path) -> float:
    program = (sys.executable, "-m", "pincite")
    with temporary_folder() as work:
        index = ("--index", str(work / "index"))
        took_s = _seconds((*program, "index", str(root), "--lexical", *index))
        _seconds((*program, "stop", *index))  # the next command must not wait for its daemon
    return took_s


def _semble(root: Path, python: Path) -> float:
    job = {"root": str(root), "queries": [], "results": 0}
    return _seconds((str(python), str(WORKER)), f"{json.dumps(job)}\n")


def _seconds(command: tuple[str, ...], given: str = "") -> float:
    environ = {**os.environ, **_IDLE}
    started_s = time.perf_counter()
    subprocess.run(
        command, input=given.encode(), env=environ, capture_output=True, check=True, cwd="/"
    )
    return time.perf_counter() - started_s
