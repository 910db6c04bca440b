"""Where output goes that nobody reads, that has no room, or that has no place at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.environment import clean_environment
from tests.surfaces.conftest import Cli

COMMANDS = [["--help"], ["schema"], ["status"], ["search", "quetzal"], ["get", "a.md"], ["ls"]]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    cli = Cli(tmp_path_factory.mktemp("streams"))
    cli.write("docs/a.md", "# Birds\n\nThe quetzal flies.\n")
    cli("index", "docs", "--lexical")
    yield cli
    cli("stop")


def ended(
    cli: Cli, arguments: list[str], stdout: Any, unbuffered: str = "", **more: Any
) -> tuple[int, str]:
    """The exit code of a command, and what it says on stderr."""
    variables = {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1", "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        [sys.executable, "-m", "pincite.surfaces.cli.app", *arguments],
        cwd=cli.folder,
        env=clean_environment() | variables,
        stdout=stdout,
        text=True,
        check=False,
        **{"stderr": subprocess.PIPE, **more},
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_reader_that_has_left_is_no_error(indexed: Cli, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        code, said = ended(indexed, arguments, writer)
    finally:
        os.close(writer)
    assert code == 0, said
    assert "rror" not in said


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [["search", "zebra"], ["search", "zebra", "--json"], ["verify", "a.md#L77"], ["ls", "none"]],
    ids=" ".join,
)
def test_a_reader_that_has_left_does_not_change_the_exit_code(
    indexed: Cli, arguments: list[str], unbuffered: str
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        code, said = ended(indexed, arguments, writer, unbuffered)
    finally:
        os.close(writer)
    assert code == 3, said


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_device_without_room_is_an_error_that_is_told_once(
    indexed: Cli, arguments: list[str]
) -> None:
    with Path("/dev/full").open("wb") as full:
        code, said = ended(indexed, arguments, full)
    assert code == 1
    assert said.splitlines()[-1] == "error: No space left on device"
    assert said.count("error") == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [(["no-such-command"], 2), (["get", "a.md", "-C", "x"], 2), (["get", "none.md"], 2)],
    ids=["command", "option", "citation"],
)
def test_an_error_has_its_exit_code_even_if_no_device_takes_its_message(
    indexed: Cli, arguments: list[str], expected: int
) -> None:
    code, said = ended(indexed, arguments, subprocess.DEVNULL)
    assert code == expected
    assert said
    with Path("/dev/full").open("wb") as full:
        assert ended(indexed, arguments, subprocess.DEVNULL, stderr=full)[0] == expected


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_stdout_that_was_closed_takes_everything(indexed: Cli, arguments: list[str]) -> None:
    code, said = ended(indexed, arguments, None, preexec_fn=close_stdout)
    assert code == 0, said
    assert "Traceback" not in said


def close_stdout() -> None:
    os.close(1)


def test_stop_says_whether_there_was_a_process(indexed: Cli) -> None:
    indexed("search", "quetzal")
    assert "stopped" in indexed("stop").stderr.split()
    again = indexed("stop")
    assert "no process has this index open" in again.stderr
    assert again.returncode == 0
