"""A program ends at once, with what Python owes its user: output, functions at exit, threads."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.time_limits import HANGS_S

_BEGIN = (
    "import atexit, sys, threading, time\n"
    "from pincite.support.processes.leaving import run_and_leave\n"
)


def ended(program: str) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    return subprocess.run(
        [sys.executable, "-c", _BEGIN + program],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS_S,
    )


@pytest.mark.parametrize(
    ("given", "code"), [("", 0), ("None", 0), ("0", 0), ("3", 3), ("130", 130), ("'why'", 1)]
)
def test_the_exit_code_is_that_of_the_program(given: str, code: int) -> None:
    done = ended(f"run_and_leave(lambda: sys.exit({given}))")
    assert done.returncode == code
    assert done.stderr == ("why\n" if code == 1 else "")


def test_a_program_that_returns_has_ended_well() -> None:
    assert ended("run_and_leave(lambda: None)").returncode == 0


def test_output_is_written_and_functions_at_exit_run() -> None:
    done = ended("atexit.register(print, 'at exit')\nrun_and_leave(lambda: print('x' * 70_000))")
    assert done.stdout == "x" * 70_000 + "\nat exit\n"


def test_objects_are_not_freed() -> None:
    program = (
        "class Kept:\n    def __del__(self): print('freed')\nkept = Kept()\n"
        "run_and_leave(lambda: print('left'))"
    )
    assert ended(program).stdout == "left\n"


def test_it_waits_for_threads_as_python_does() -> None:
    program = (
        "def late():\n    time.sleep(.3)\n    print('late')\n"
        "run_and_leave(lambda: (threading.Thread(target=late).start(), sys.exit(4)))"
    )
    done = ended(program)
    assert (done.stdout, done.returncode) == ("late\n", 4)


def test_threads_that_python_would_stop_do_not_delay_it() -> None:
    program = (
        "class Kept:\n    def __del__(self): print('freed')\nkept = Kept()\n"
        "threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()\n"
        "run_and_leave(lambda: sys.exit(4))"
    )
    done = ended(program)
    assert (done.stdout, done.returncode) == ("", 4)  # Python itself would free it


def test_an_error_is_shown() -> None:
    done = ended("run_and_leave(lambda: 1 / 0)")
    assert "ZeroDivisionError" in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize("gone", ["sys.stdout.close()", "sys.stdout = None"])
def test_an_output_that_is_gone_is_no_error(gone: str) -> None:
    assert ended(f"{gone}\nrun_and_leave(lambda: None)").returncode == 0


def test_output_that_is_lost_is_reported_as_by_python() -> None:
    lost = "sys.stdout = open('/dev/full', 'w')\n"
    done = ended(f"{lost}run_and_leave(lambda: print('x'))")
    assert "No space left" in done.stderr
    assert done.returncode == ended(f"{lost}print('x')").returncode == 120
