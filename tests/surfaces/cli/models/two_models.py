"""A collection that moves from a model to another one."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from pincite.testing.contract_server import ContractServer
from tests.environment import clean_environment
from tests.surfaces.cli.models.in_process import KEYS, run
from tests.surfaces.conftest import Cli

OPENAI, VOYAGE = "openai:text-embedding-3-small@256", "voyage:voyage-4@256"
WITH_OPENAI = "docs__text_embedding_3_small_256"


@pytest.fixture
def shop(server: ContractServer, cli: Cli) -> Cli:
    """Five pages in a collection `docs` with a model of Voyage."""
    server.heal()
    configure(cli, server)
    for number in range(5):
        cli.write(f"docs/{number}.md", f"# Page {number}\n\nThe turnstile {number} rotates.\n")
    run(cli, "index", "docs", "-c", "docs", "--model", VOYAGE)
    server.record.clear()
    return cli


def configure(cli: Cli, server: ContractServer, more: str = "") -> None:
    vendors = "".join(
        f'[providers.{vendor}]\nurl = "{server.url(vendor)}"\ntries = 1\n'
        for vendor in ("voyage", "openai")
    )
    cli.write("pincite.toml", vendors + more)


def search(cli: Cli, *arguments: str) -> Any:
    return json.loads(
        run(cli, "search", "turnstile rotates", "--all", "--json", "-n", "12", *arguments)
    )


def paths(pack: Any, collection: str) -> list[str]:
    return sorted(e["path"] for e in pack["evidence"] if e["collection"] == collection)


INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
from pincite.surfaces.cli.app import main
main()
"""


def start(cli: Cli, *arguments: str) -> subprocess.Popen[bytes]:
    clean = clean_environment()
    more = {"PINCITE_IDLE_S": "60", "PINCITE_CACHE": str(cli.folder / "cache.db"), **KEYS}
    return subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *arguments],
        cwd=cli.folder,
        env=clean | more,
        stderr=subprocess.PIPE,
    )
