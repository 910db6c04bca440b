"""A worker whose database goes away says so itself, and only once for each attempt."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pincite.workspace.database.postgres import PostgresWorkspaces
from tests.time_limits import HANGS_S
from tests.workspace.postgres_server import away, serving


def wait_for(said: Callable[[], bool]) -> None:
    until_s = time.monotonic() + HANGS_S
    while not said():
        assert time.monotonic() < until_s
        time.sleep(0.1)


def test_the_log_of_the_driver_is_not_printed(tmp_path: Path) -> None:
    with serving() as server:
        database = server.database()
        workspaces = PostgresWorkspaces(
            database.app, operator=database.operator, owner=database.owner
        )
        asyncio.run(workspaces.migrate())
        environ = {
            **os.environ,
            "PINCITE_INDEX": str(tmp_path / "index"),
            "PINCITE_OFFLINE": "1",
            "PINCITE_DATABASE_URL": database.app,
            "PINCITE_DATABASE_OPERATOR_URL": database.operator,
        }
        command = [sys.executable, "-m", "pincite.surfaces.cli.app", "worker", "--lexical"]
        log = tmp_path / "log"
        with log.open("wb") as stderr:
            worker = subprocess.Popen(command, cwd=tmp_path, env=environ, stderr=stderr)
        try:
            wait_for(lambda: "working on" in log.read_text() or worker.poll() is not None)
            with away(server):
                wait_for(lambda: log.read_text().count("waiting:") >= 2)
        finally:
            worker.terminate()
            worker.wait(HANGS_S)
    lines = log.read_text().splitlines()
    assert "working on" in lines[0]
    assert {line.partition(":")[0] for line in lines[1:-1]} == {"waiting"}
