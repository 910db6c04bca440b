"""What is installed into a client's file is started as the client would, and answers."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Iterator
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


def server_of(command: str, arguments: list[str], folder: Path) -> StdioServerParameters:
    clean = clean_environment()
    environment = clean | {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}
    return StdioServerParameters(command=command, args=arguments, env=environment, cwd=str(folder))


async def tools_of(command: str, arguments: list[str], folder: Path) -> set[str]:
    with anyio.fail_after(600):
        async with Client(stdio_client(server_of(command, arguments, folder))) as session:
            return {tool.name for tool in (await session.list_tools()).tools}


async def found_by(command: str, arguments: list[str], folder: Path) -> str:
    with anyio.fail_after(600):
        async with Client(stdio_client(server_of(command, arguments, folder))) as session:
            found = await session.call_tool("search_evidence", {"query": "rotate a key"})
            return str(found.content)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """A package of a checkout, which alone has an index."""
    top = tmp_path_factory.mktemp("monorepo")
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    cli = Cli(top / "packages" / "shop")
    cli.write("docs/keys.md", "# Keys\n\nTo rotate a key, call `turn_key`.\n")
    cli("index", ".", "--lexical")
    yield cli
    cli("stop")


def project_entry(name: str, top: Path) -> Any:
    client = CLIENTS[name]
    path = client.file(Places(top, top, {}, "linux"), "project")
    assert path is not None
    text = path.read_text()
    data = tomllib.loads(text) if client.toml else jsonc.parse(text).data
    return data[client.root]["pincite"]


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
    options = (
        *("--index", ".pincite", "--preset", "evidence"),
        *("--tag", "course=ml", "--uvx", "--name", "docs"),
    )
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
            *("--index", folder, "--preset", "evidence", "--tag", "course=ml"),
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


PROJECT_CLIENTS = sorted(set(CLIENTS) - {"claude-desktop"})


@pytest.mark.parametrize("name", PROJECT_CLIENTS)
def test_a_project_finds_the_index_of_its_package_from_its_top(
    package: Cli, home: Path, name: str
) -> None:
    top = package.folder.parents[1]
    said = run(package, home, "install", name, "--scope", "project").stderr
    entry = project_entry(name, top)
    *_, option, index = entry["args"]
    assert option == "--index"
    assert index.removeprefix("${workspaceFolder}/") == "packages/shop/.pincite"
    assert index.startswith("$") == (name in ("cursor", "vscode"))
    relative = f"finds {index} if you start it in {top}\n"
    assert (relative in said) == (not index.startswith("$"))
    arguments = [one.replace("${workspaceFolder}", str(top)) for one in entry["args"]]
    if name in ("claude-code", "cursor"):
        assert "turn_key" in anyio.run(found_by, entry["command"], arguments, top)
    assert "no change" in run(package, home, "install", name, "--scope", "project").stderr
    run(package, home, "uninstall", name, "--scope", "project")


def test_a_project_whose_top_has_the_index_names_none(cli: Cli, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    cli.write("docs/keys.md", "# Keys\n\nTo rotate a key, call `turn_key`.\n")
    cli("index", "docs", "--lexical")
    inside = Cli(tmp_path / "docs")
    said = run(inside, tmp_path, "install", "cursor", "--scope", "project").stderr
    assert f"serves the index of {tmp_path}:" in said
    assert project_entry("cursor", tmp_path)["args"] == ["mcp"]


def test_an_index_outside_of_the_project_is_said_to_be_of_this_machine(
    indexed: Cli, package: Cli, home: Path
) -> None:
    index = str(indexed.folder / ".pincite")
    options = ("codex", "--scope", "project", "--index", index)
    said = run(package, home, "install", *options).stderr
    assert f"{index} is outside of {package.folder.parents[1]}: this entry is for this" in said
    assert project_entry("codex", package.folder.parents[1])["args"] == ["mcp", "--index", index]
    run(package, home, "uninstall", "codex", "--scope", "project")


@pytest.mark.parametrize("name", PROJECT_CLIENTS)
def test_a_project_without_an_index_is_refused_as_a_user_is(
    tmp_path: Path, home: Path, name: str
) -> None:
    empty = Cli(tmp_path / "project")
    empty.folder.mkdir()
    said = run(empty, home, "install", name, "--scope", "project", code=2).stderr
    assert f"no index exists at {empty.folder / '.pincite'}" in said
    assert "pincite index PATH" in said
    assert list(empty.folder.iterdir()) == []
