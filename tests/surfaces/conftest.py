"""The real command, in a process of its own, on an index of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pincite.testing.contract_server import ContractServer
from tests.environment import clean_environment
from tests.forked import run

KEY = "sk-do-not-show-this-0123456789"


@dataclass(frozen=True)
class Cli:
    """Runs `pincite` in `folder`, where its index is `.pincite`."""

    folder: Path

    def __call__(
        self, *arguments: str, code: int = 0, stdin: bytes = b"", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """The finished command; its exit code must be `code`."""
        environment = clean_environment() | {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}
        finished = run(arguments, self.folder, environment | variables, stdin)
        done = subprocess.CompletedProcess(
            finished.args, finished.returncode, finished.stdout.decode(), finished.stderr.decode()
        )
        assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stderr}"
        return done

    def json(self, *arguments: str, code: int = 0) -> Any:
        """What the command prints, decoded."""
        return json.loads(self(*arguments, "--json", code=code).stdout)

    def write(self, path: str, text: str | bytes) -> Path:
        """A file below the folder."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return place


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[Cli]:
    """A command in an empty folder; its daemon is stopped at the end."""
    command = Cli(tmp_path)
    yield command
    if (tmp_path / ".pincite" / "catalog.db").exists():
        run(["stop"], tmp_path, os.environ)


@pytest.fixture(scope="module")
def server() -> Iterator[ContractServer]:
    """One server of providers for the tests of a file, which wants a key."""
    with ContractServer(key=KEY) as running:
        yield running
