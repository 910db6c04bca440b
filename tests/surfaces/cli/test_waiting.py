"""Commands that write to one collection at the same time."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys

import pytest

from pincite.daemon.file_leases import FileLeases
from pincite.ports import Waiting
from tests.environment import clean_environment
from tests.surfaces.cli.interrupts import heed_interrupts
from tests.surfaces.conftest import Cli


def start(cli: Cli, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pincite.surfaces.cli.app", *arguments],
        cwd=cli.folder,
        env=clean_environment() | {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )


def test_many_runs_of_different_folders_at_once_are_all_done(cli: Cli) -> None:
    names = [f"docs{number}" for number in range(6)]
    for name in names:
        cli.write(f"{name}/a.md", f"# {name}\n\nThe brown fox.\n")
    running = [start(cli, "index", name, "--lexical") for name in names]
    for process in running:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
        assert "process ?" not in errors
    (found,) = cli.json("collections")
    assert sorted(each["source"]["name"] for each in found["sources"]) == names
    assert found["documents"] == len(names)


@pytest.mark.parametrize(
    "command",
    [
        ["index", "docs", "--lexical"],
        ["collections", "drop", "main", "--yes"],
        ["collections", "forget", "docs"],
        ["collections", "rebuild", "main", "--lexical"],
        ["reembed", "main", "--to", "bundled"],
        ["push"],
    ],
)
def test_every_command_that_writes_waits_and_can_be_interrupted(
    cli: Cli, command: list[str]
) -> None:
    cli.write("docs/a.md", "# Foxes\n\nThe brown fox.\n")
    cli("index", "docs", "--lexical")
    if command == ["push"]:
        cli.write("pincite.toml", '[store]\nurl = "http://127.0.0.1:9"\n')
    root = cli.folder / ".pincite"

    async def check() -> None:
        async with FileLeases(root).take("main", "indexing /a/b", Waiting(600.0)):
            refused = await asyncio.to_thread(cli, *command, "--wait", "0", code=1)
            assert "is indexing /a/b, since 20" in refused.stderr
            assert "--wait SECONDS" in refused.stderr
            waits = start(cli, *command)
            assert waits.stderr is not None
            line = await asyncio.to_thread(waits.stderr.readline)
            assert line.startswith("warning: waiting: process ")
            assert "at most 600 s" in line
            waits.send_signal(signal.SIGINT)
            _, said = await asyncio.to_thread(waits.communicate)
            assert waits.returncode == 130
            assert "interrupted; all that is stored by now is kept" in said
            assert not list(root.glob("*waiting*"))

    asyncio.run(check())
