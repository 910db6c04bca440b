"""The commands on a system without Unix sockets, `flock`, `fork`, numbers of users and signals in
event loops: in real processes that really lack them."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.environment import clean_environment
from tests.surfaces.cli.odd_systems.systems import UNIX_ONLY, poor_system
from tests.surfaces.conftest import Cli

#: Adapters import their frameworks, which need not be there.
IMPORTS = """
import importlib, pkgutil, sys
import pincite
import socket
assert not hasattr(socket, "AF_UNIX")
for module in pkgutil.walk_packages(pincite.__path__, "pincite."):
    if module.name.endswith("__main__") or module.name.startswith("pincite.surfaces.frameworks."):
        continue
    importlib.import_module(module.name)
    print(module.name)
import pincite.daemon.__main__
"""
GUIDE = "# Foxes\n\nThe brown fox jumps over the fence at noon.\n"


@pytest.fixture
def poor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """The command line there, in a folder with one document that is indexed."""
    for name, value in poor_system(tmp_path / "system").items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "project"
    folder.mkdir()
    cli = Cli(folder)
    cli.write("docs/guide.md", GUIDE)
    cli("index", "docs", "--lexical")
    yield cli
    cli("stop")


def owner(cli: Cli) -> int:
    return int((cli.folder / ".pincite" / "owner.lock").read_text())


def test_every_module_is_imported_where_the_modules_of_unix_are_not(tmp_path: Path) -> None:
    environ = {**clean_environment(), **poor_system(tmp_path)}
    command = [sys.executable, "-W", "ignore", "-c", IMPORTS]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.split()) > 400


def test_no_module_names_what_is_for_unix_but_where_it_is_asked_for() -> None:
    import pincite

    package = Path(next(iter(pincite.__path__)))
    naming = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        for line in path.read_text().splitlines()
        if line.strip() in {f"import {name}" for name in UNIX_ONLY}
    }
    assert naming == {
        "sources/git_objects.py",
        "support/processes/locks.py",
        "support/processes/process_limits.py",
        "surfaces/page/colour_child.py",
    }


def test_what_is_indexed_is_found_cited_and_checked(poor: Cli) -> None:
    (index,) = poor.folder.glob(".pincite")
    assert not (index / "owner.sock").exists()
    assert stat.S_IMODE((index / "owner.tcp").stat().st_mode) == 0o600
    pack = json.loads(poor("search", "brown fox", "--json").stdout)
    citation = pack["evidence"][0]["citation"]
    assert citation.endswith(":guide.md#L1-L3")
    poor.write("pack.json", json.dumps(pack))
    assert poor("verify", "pack.json").stdout.startswith("fresh")
    poor.write("docs/guide.md", GUIDE.replace("noon", "night"))
    assert poor("verify", "pack.json", code=3).stdout.startswith("changed")
    poor("index", "docs", "--lexical")
    assert "night" in poor("search", "brown fox").stdout


def test_a_document_is_read_by_a_process_of_its_own(poor: Cli) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(poor.folder / "docs" / "badger.pdf"))
    canvas.drawString(100, 700, "The badger digs a tunnel below the hedge.")
    canvas.save()
    poor("index", "docs", "--lexical")
    assert "badger.pdf" in poor("search", "badger tunnel").stdout


def test_programs_that_begin_at_once_have_one_owner(poor: Cli) -> None:
    poor("stop")
    for number in range(20):
        poor.write(f"docs/{number}.md", f"# Part {number}\n\nOwl number {number} sleeps.\n")
    commands = [("search", "fox"), ("index", "docs", "--lexical"), ("search", "fence"), ("status",)]
    with ThreadPoolExecutor(len(commands)) as threads:
        list(threads.map(lambda one: poor(*one), commands))
    log = (poor.folder / ".pincite" / "owner.log").read_text()
    assert log.count(" owns ") == 2  # the one of the fixture, and one for all of these
    assert "owl" in poor("search", "owl number").stdout.lower()


def test_after_the_owner_was_killed_the_next_program_has_another(poor: Cli) -> None:
    killed = owner(poor)
    os.kill(killed, signal.SIGKILL)
    assert (poor.folder / ".pincite" / "owner.tcp").exists()  # nobody took it away
    assert "fox" in poor("search", "brown fox").stdout
    assert owner(poor) != killed
    poor.write("docs/owl.md", "# Owls\n\nThe owl sleeps.\n")
    poor("index", "docs", "--lexical")
    assert "owl.md" in poor("search", "owl sleeps").stdout


def test_a_run_that_was_killed_keeps_nobody_from_writing(poor: Cli) -> None:
    for number in range(300):
        poor.write(f"docs/{number}.md", f"# Part {number}\n\n" + "An owl sleeps.\n\n" * 50)
    index = poor.folder / ".pincite"
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "index", "docs", "--lexical"]
    environ = {**clean_environment(), "PYTHONPATH": os.environ["PYTHONPATH"]}
    ran = subprocess.Popen(
        command, cwd=poor.folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert ran.stderr is not None
    ran.stderr.read(1)  # it says how far it is, so it has the lease
    ran.kill()
    ran.communicate()
    poor("index", "docs", "--lexical")
    assert "299.md" in poor("search", "Part 299").stdout
    assert list(index.glob("waiting-*")) == []


def test_the_server_for_agents_answers(poor: Cli) -> None:
    environ = {**clean_environment(), "PYTHONPATH": os.environ["PYTHONPATH"]}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "pincite.surfaces.cli.app", "mcp"],
        cwd=poor.folder,
        env=environ,
    )

    async def ask() -> str:
        async with Client(stdio_client(server)) as client:
            return str(await client.call_tool("search_evidence", {"query": "brown fox"}))

    assert "guide.md#L1-L3" in anyio.run(ask)
