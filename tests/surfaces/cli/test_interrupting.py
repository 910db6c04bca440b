"""Ctrl-C while a command starts, and while it works; an input that was closed before."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

import pytest

from tests.environment import clean_environment
from tests.surfaces.cli.interrupts import heed_interrupts
from tests.surfaces.conftest import Cli

#: Runs the command, and interrupts it when it imports this module.
EARLY = """
import os, runpy, signal, sys

module = sys.argv.pop(1)

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
runpy.run_module("pincite", run_name="__main__", alter_sys=True)
"""


def test_an_interrupt_of_the_imports_ends_the_command_without_a_traceback() -> None:
    command = [sys.executable, "-c", EARLY, "pincite.surfaces.cli.app", "--version"]
    given: Any = {"env": clean_environment(), "capture_output": True, "text": True, "check": False}
    done = subprocess.run(command, preexec_fn=heed_interrupts, **given)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")

    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    done = subprocess.run(command, preexec_fn=ignore, **given)  # a job in the background
    assert (done.returncode, done.stdout.startswith("pincite ")) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "stores"),
    [
        ("search question", False),
        ("verify a.md:1", False),
        ("collections list", False),
        ("collections rebuild main", True),
        ("index docs --lexical", True),
    ],
)
def test_only_commands_that_store_something_say_that_it_is_kept(
    cli: Cli, arguments: str, stores: bool
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY, "pincite.engine", *arguments.split()],
        cwd=cli.folder,
        env=clean_environment(),
        preexec_fn=heed_interrupts,
        capture_output=True,
        text=True,
        check=False,
    )
    kept = "; all that is stored by now is kept: run the same command again to continue"
    said = f"interrupted{kept if stores else ''}"
    assert (done.returncode, done.stderr.strip()) == (130, said)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ("verify -", 2, "invalid evidence pack"),
        ("rerank question", 2, "there are no documents"),
        ("import -", 0, "no records"),
    ],
)
def test_a_closed_input_is_an_empty_one(cli: Cli, arguments: str, code: int, said: str) -> None:
    command = f'exec "$0" -m pincite {arguments} <&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable],
        cwd=cli.folder,
        env=clean_environment() | {"PINCITE_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert said in done.stderr
