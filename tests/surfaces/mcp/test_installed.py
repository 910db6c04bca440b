"""What is installed into a client's file is started as the client would, and answers."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from pincite.surfaces.clients import jsonc
from pincite.surfaces.clients.known import CLIENTS, Places
from tests.environment import clean_environment
from tests.surfaces.conftest import Cli

TOOLS = {"search_evidence", "read_lines", "verify_citations", "index_status"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for client in CLIENTS.values():
        client.folder(Places(tmp_path, tmp_path, {}, "linux")).mkdir(parents=True, exist_ok=True)
    return tmp_path


def run(cli: Cli, home: Path, *arguments: str, code: int = 0) -> CompletedProcess[str]:
    """The command of a user whose home that is."""
    return cli(
        *("mcp", *arguments),
        code=code,
        HOME=str(home),
        XDG_CONFIG_HOME="",
        CODEX_HOME="",
        CLAUDE_CONFIG_DIR="",
    )


def entry_of(name: str, home: Path) -> Any:
    client = CLIENTS[name]
    path = client.file(Places(home, home, {}, "linux"), "user")
    assert path is not None
    text = path.read_text()
    data = tomllib.loads(text) if client.toml else jsonc.parse(text).data
    return data[client.root]["pincite"]


async def tools_of(command: str, arguments: list[str], folder: Path) -> set[str]:
    clean = clean_environment()
    environment = clean | {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}
    server = StdioServerParameters(
        command=command, args=arguments, env=environment, cwd=str(folder)
    )
    with anyio.fail_after(600):
        async with Client(stdio_client(server)) as session:
            return {tool.name for tool in (await session.list_tools()).tools}


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_the_server_that_a_client_starts_has_the_tools(indexed: Cli, home: Path, name: str) -> None:
    said = run(indexed, home, "install", name).stderr
    entry = entry_of(name, home)
    assert f"wrote {home}" in said
    assert Path(entry["command"]).is_absolute()
    elsewhere = home if "--index" in entry["args"] else indexed.folder
    assert anyio.run(tools_of, entry["command"], entry["args"], elsewhere) >= TOOLS
    run(indexed, home, "uninstall", name)
    path = CLIENTS[name].file(Places(home, home, {}, "linux"), "user")
    assert path is not None
    assert not path.exists()


def test_options_reach_the_entry_and_a_dry_run_writes_nothing(indexed: Cli, home: Path) -> None:
    options = ("--index", ".pincite", "--tag", "course=ml", "--uvx", "--name", "docs")
    shown = run(indexed, home, "install", "cursor", *options, "--dry-run").stdout
    path = home / ".cursor" / "mcp.json"
    assert '+    "docs": {' in shown
    assert not path.exists()
    run(indexed, home, "install", "cursor", *options, "--rules")
    folder = str(indexed.folder / ".pincite")
    assert json.loads(path.read_text())["mcpServers"]["docs"] == {
        "command": "uvx",
        "args": [
            *("--from", "pincite[mcp]", "pincite", "mcp"),
            *("--index", folder, "--tag", "course=ml"),
        ],
    }


def test_rules_are_offered_where_the_client_has_a_file_for_them(indexed: Cli, home: Path) -> None:
    shown = run(indexed, home, "install", "claude-desktop", "--rules")
    assert "has no rules file for the user" in shown.stderr
    assert shown.stdout.startswith("## Finding evidence")
    run(indexed, home, "install", "codex", "--rules")
    assert "Finding evidence" in (home / ".codex" / "AGENTS.md").read_text()
    run(indexed, home, "uninstall", "codex", "--rules")
    assert not (home / ".codex" / "AGENTS.md").exists()
    assert (home / ".codex" / "config.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("install", "emacs"), "'emacs' is not one of"),
        (("install", "cursor", "--name", "a b"), "--name 'a b'"),
        (("install", "cursor", "--tag", "course"), "give NAME=VALUE"),
        (("install", "claude-desktop", "--scope", "project"), "no project configuration"),
        (("install", "cursor", "--index", "/nowhere/.pincite"), "no index exists at /nowhere"),
        (("--tag", "a=b", "install", "cursor"), "give options after `pincite mcp install`"),
    ],
)
def test_what_cannot_be_is_wrong_usage(
    indexed: Cli, home: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert message in run(indexed, home, *arguments, code=2).stderr
    assert not (home / ".cursor" / "mcp.json").exists()
