"""The server goes into each client's file and out again, and nothing else changes."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from pincite.errors import ConfigError, SourceError, UsageError
from pincite.surfaces.clients import files, jsonc
from pincite.surfaces.clients.install import (
    apply,
    install,
    install_rules,
    is_ours,
    server_entry,
    uninstall_rules,
)
from pincite.surfaces.clients.known import CLIENTS, Places, Where
from tests.surfaces.clients.home import COMMAND, Home, said

NAMES = sorted(CLIENTS)
JSON_NAMES = [name for name in NAMES if not CLIENTS[name].toml]

#: What the vendors' documentation shows, and where it says that it stands on Linux.
DOCUMENTED: dict[str, tuple[str, str | None, str]] = {
    "claude-code": (
        ".claude.json",
        ".mcp.json",
        '{"mcpServers": {"db": {"type": "stdio", "command": "npx", "args": ["db"], "env": {}}}}',
    ),
    "claude-desktop": (
        ".config/Claude/claude_desktop_config.json",
        None,
        '{"mcpServers": {"filesystem": {"command": "npx", "args": ["-y", "fs", "/home/me"]}}}',
    ),
    "cursor": (
        ".cursor/mcp.json",
        ".cursor/mcp.json",
        '{"mcpServers": {"some": {"command": "npx", "args": ["-y"], "env": {"API_KEY": "v"}}}}',
    ),
    "vscode": (
        ".config/Code/User/mcp.json",
        ".vscode/mcp.json",
        '{"servers": {"memory": {"command": "npx", "args": ["-y", "memory"]}}, "inputs": []}',
    ),
    "codex": (
        ".codex/config.toml",
        ".codex/config.toml",
        'model = "gpt-5"\n\n[mcp_servers.context7]\ncommand = "npx"\nargs = ["-y", "context7"]\n\n'
        '[mcp_servers.context7.env]\nMY_VAR = "v"\n',
    ),
    "gemini": (
        ".gemini/settings.json",
        ".gemini/settings.json",
        '{"mcpServers": {"py": {"command": "python", "args": ["-m", "s"], "trust": false}}}',
    ),
    "zed": (
        ".config/zed/settings.json",
        ".zed/settings.json",
        '{"context_servers": {"local": {"command": "some", "args": ["a"], "env": {}}}}',
    ),
}


def pretty(name: str, *, newline: str = "\n") -> str:
    """The documented file with comments, as its owner keeps it."""
    text = DOCUMENTED[name][2]
    if CLIENTS[name].toml:
        text = f"# mine\n{text}# the end\n"
    else:
        text = f"// mine\n{json.dumps(json.loads(text), indent=4)}\n/* the end */\n"
        text = text.replace('"command"', '// how it starts\n            "command"')
    return text.replace("\n", newline)


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_the_documented_one(home: Home, name: str) -> None:
    user, project, _ = DOCUMENTED[name]
    assert home.path(name) == home.places.home / user
    if project is None:
        with pytest.raises(UsageError, match="has no project configuration"):
            home.install(name, "project")
    else:
        assert home.path(name, "project") == home.places.project / project


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", ["user", "project"])
def test_a_file_that_was_not_there_is_made_and_goes_again(
    home: Home, name: str, where: Where
) -> None:
    if where == "project" and DOCUMENTED[name][1] is None:
        return
    home.install(name, where)
    path = home.path(name, where)
    entry = server_entry(CLIENTS[name], COMMAND)
    assert said(CLIENTS[name], path.read_bytes()) == {CLIENTS[name].root: {"pincite": entry}}
    if not CLIENTS[name].toml:
        json.loads(path.read_text())  # clients that know no comments read it, too
    assert not home.install(name, where).is_one
    home.uninstall(name, where)
    assert not path.exists()
    assert not home.uninstall(name, where).is_one


_KINDS: dict[str, Callable[[str], str]] = {
    "empty": lambda name: "",
    "blank": lambda name: "\n\n",
    "not a table of servers": lambda name: "" if CLIENTS[name].toml else "{}",
    "documented": lambda name: DOCUMENTED[name][2],
    "comments": pretty,
    "crlf": lambda name: pretty(name, newline="\r\n"),
    "bom": lambda name: f"\ufeff{pretty(name)}",
    "no newline": lambda name: pretty(name).rstrip(),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", _KINDS)
def test_a_file_keeps_all_that_it_says_and_comes_back_byte_for_byte(
    home: Home, name: str, kind: str
) -> None:
    client, text = CLIENTS[name], _KINDS[kind](name)
    path = home.write(name, text)
    path.chmod(0o600)
    change = home.install(name)
    raw = path.read_bytes()
    before = said(client, text.encode()) if text.strip("\ufeff \n") else {}
    entry = server_entry(client, COMMAND)
    servers = before.get(client.root, {}) | {"pincite": entry}
    assert said(client, raw) == before | {client.root: servers}
    for line in text.splitlines() if "\n" in text.strip() else ():
        assert line.strip().rstrip(",") in raw.decode()  # comments, too
    assert raw.startswith(b"\xef\xbb\xbf") == text.startswith("\ufeff")
    assert raw.count(b"\n") == raw.count(b"\r\n") or "\r" not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert change.file.backup.read_bytes() == text.encode()
    assert stat.S_IMODE(change.file.backup.stat().st_mode) == 0o600

    home.install(name)
    assert path.read_bytes() == raw
    home.uninstall(name)
    assert path.read_bytes() == text.encode()
    assert not change.file.backup.exists()
    assert [one.name for one in path.parent.iterdir() if "pincite" in one.name] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_was_changed_since_stays(home: Home, name: str) -> None:
    client = CLIENTS[name]
    path = home.write(name, pretty(name))
    home.install(name)
    if client.toml:
        changed = path.read_text().replace("# mine", "# still mine") + "\n[other]\na = 1\n"
    else:
        changed = jsonc.set_value(path.read_text(), ("other",), {"a": 1})
        changed = changed.replace("// mine", "// still mine")
    path.write_text(changed)
    home.uninstall(name)
    left = said(client, path.read_bytes())
    assert left == said(client, pretty(name).encode()) | {"other": {"a": 1}}
    assert "still mine" in path.read_text()
    assert path.read_text().count("how it starts") == pretty(name).count("how it starts")


@pytest.mark.parametrize("name", NAMES)
def test_another_server_of_the_same_name_is_not_touched(home: Home, name: str) -> None:
    text = DOCUMENTED[name][2]
    (taken,) = said(CLIENTS[name], text.encode())[CLIENTS[name].root]
    path = home.write(name, text)
    for act in (home.install, home.uninstall):
        with pytest.raises(UsageError, match=r"another (?:server|program)") as raised:
            act(name, called=taken)
        assert "--force" in str(raised.value)
        assert path.read_text() == text
    home.install(name, called=taken, force=True)
    assert home.servers(name)[taken] == server_entry(CLIENTS[name], COMMAND)


@pytest.mark.parametrize("name", NAMES)
def test_two_of_ours_go_one_after_the_other(home: Home, name: str) -> None:
    path = home.write(name, pretty(name))
    home.install(name)
    home.install(name, called="docs")
    assert {"pincite", "docs"} <= set(home.servers(name))
    home.uninstall(name)
    assert "docs" in home.servers(name)
    home.uninstall(name, called="docs")
    assert said(CLIENTS[name], path.read_bytes()) == said(CLIENTS[name], pretty(name).encode())


@pytest.mark.parametrize("name", NAMES)
def test_a_new_command_takes_the_place_of_the_old_one(home: Home, name: str) -> None:
    path = home.write(name, pretty(name))
    home.install(name)
    change = install(
        CLIENTS[name], home.places, "user", "pincite", ("uvx", "pincite", "mcp"), force=False
    )
    apply(change)
    entry = home.servers(name)["pincite"]
    assert (entry["command"], entry["args"]) == ("uvx", ["pincite", "mcp"])
    home.uninstall(name)
    assert path.read_text() == pretty(name)


@pytest.mark.parametrize("name", JSON_NAMES)
def test_what_its_owner_put_into_our_entry_stays(home: Home, name: str) -> None:
    home.install(name)
    path, key = home.path(name), (CLIENTS[name].root, "pincite")
    path.write_text(jsonc.set_value(path.read_text(), (*key, "disabled"), True))
    change = install(CLIENTS[name], home.places, "user", "pincite", (*COMMAND, "-x"), force=False)
    apply(change)
    assert home.servers(name)["pincite"]["disabled"] is True
    assert home.servers(name)["pincite"]["args"][-1] == "-x"


BROKEN = [
    ('{\n  "a": 1\n  "b": 2\n}', "line 3", "a = 1\nb = \n"),
    ("{", "line 1", "[a\n"),
    ('{\n"ROOT": []}', "not a table of servers", "ROOT = []\n"),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("text", "message", "toml"), BROKEN)
def test_a_broken_file_is_refused_and_stays(
    home: Home, name: str, text: str, message: str, toml: str
) -> None:
    client = CLIENTS[name]
    broken = (toml if client.toml else text).replace("ROOT", client.root)
    path = home.write(name, broken)
    for act in (home.install, home.uninstall):
        with pytest.raises(ConfigError) as raised:
            act(name)
        assert "nothing was written" in str(raised.value)
        assert str(path) in str(raised.value)
        assert client.toml or message in str(raised.value)
    assert path.read_text() == broken
    assert not files.read(path).backup.exists()


def test_tables_that_cannot_be_added_to_are_refused(home: Home) -> None:
    text = 'mcp_servers = { other = { command = "x" } }\n'
    path = home.write("codex", text)
    with pytest.raises(ConfigError, match="nothing was written"):
        home.install("codex")
    assert path.read_text() == text
    home.write("codex", '[mcp_servers]\npincite = { command = "pincite", args = ["mcp"] }\n')
    with pytest.raises(ConfigError, match="not written as a table of its own"):
        home.uninstall("codex")


@pytest.mark.parametrize("name", NAMES)
def test_a_client_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    places = Places(tmp_path / "me", tmp_path, {}, "linux")
    with pytest.raises(UsageError, match="does not seem to be installed"):
        install(CLIENTS[name], places, "user", "pincite", COMMAND, force=False)
    assert not (tmp_path / "me").exists()
    apply(install(CLIENTS[name], places, "user", "pincite", COMMAND, force=True))
    assert (tmp_path / "me" / DOCUMENTED[name][0]).is_file()


def test_variables_that_move_a_clients_folder_are_followed(tmp_path: Path) -> None:
    moved = {"CODEX_HOME": "/c", "CLAUDE_CONFIG_DIR": "/d", "XDG_CONFIG_HOME": "/x"}
    places = Places(tmp_path, tmp_path, moved, "linux")
    found = {name: CLIENTS[name].file(places, "user") for name in NAMES}
    assert str(found["codex"]) == "/c/config.toml"
    assert str(found["claude-code"]) == "/d/.claude.json"
    assert str(found["zed"]) == "/x/zed/settings.json"
    assert str(found["vscode"]) == "/x/Code/User/mcp.json"
    mac = Places(tmp_path, tmp_path, {}, "darwin")
    support = tmp_path / "Library" / "Application Support"
    assert CLIENTS["vscode"].file(mac, "user") == support / "Code" / "User" / "mcp.json"
    assert CLIENTS["zed"].file(mac, "user") == tmp_path / ".config" / "zed" / "settings.json"


def test_a_symlink_stays_one_and_the_file_it_leads_to_is_written(home: Home) -> None:
    real = home.places.home / "dotfiles.json"
    real.write_text("{}")
    home.path("cursor").symlink_to(real)
    home.install("cursor")
    assert home.path("cursor").is_symlink()
    assert "pincite" in json.loads(real.read_text())["mcpServers"]
    home.uninstall("cursor")
    assert home.path("cursor").is_symlink()
    assert real.read_text() == "{}"


def test_a_project_does_not_lead_out_of_itself(home: Home) -> None:
    """A checkout of somebody else's may have links in it."""
    elsewhere = home.places.home / "private.json"
    elsewhere.write_text("{}")
    path = home.path("cursor", "project")
    path.parent.mkdir()
    path.symlink_to(elsewhere)
    (home.places.project / "AGENTS.md").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="is a link to"):
        home.install("cursor", "project")
    with pytest.raises(UsageError, match="is a link to"):
        install_rules(CLIENTS["codex"], home.places, "project")
    assert elsewhere.read_text() == "{}"
    home.install("cursor", "project", force=True)
    assert "pincite" in elsewhere.read_text()
    (home.places.home / ".claude.json").write_text("{}")
    kept = files.read(home.path("claude-code")).backup
    kept.symlink_to(elsewhere)
    before = elsewhere.read_text()
    home.install("claude-code")
    assert elsewhere.read_text() == before  # the link was replaced, not followed
    assert kept.read_text() == "{}"


def test_a_folder_that_was_made_for_the_file_goes_with_it(home: Home) -> None:
    for name in ("vscode", "cursor", "claude-code"):
        home.install(name, "project")
        rules = install_rules(CLIENTS[name], home.places, "project")
        assert rules is not None
        apply(rules)
        home.uninstall(name, "project")
        gone = uninstall_rules(CLIENTS[name], home.places, "project")
        assert gone is not None
        apply(gone)
    assert list(home.places.project.iterdir()) == []
    home.install("cursor")
    home.uninstall("cursor")
    assert home.path("cursor").parent.is_dir()  # Cursor's own


def test_what_is_no_plain_file_is_refused_and_nothing_waits(home: Home) -> None:
    path = home.path("cursor")
    os.mkfifo(path)
    with pytest.raises(SourceError, match="is not a regular file"):
        home.install("cursor")
    path.unlink()
    path.mkdir()
    with pytest.raises(SourceError, match=r"not a regular file|cannot be read"):
        home.install("cursor")
    path.rmdir()
    path.symlink_to(path)
    with pytest.raises(SourceError, match="cannot be read"):
        home.install("cursor")
    path.unlink()
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(SourceError, match="is not valid UTF-8 at byte 7"):
        home.install("cursor")


def test_a_read_only_file_is_not_replaced(home: Home) -> None:
    path = home.write("cursor", "{}")
    path.chmod(0o444)
    with pytest.raises(SourceError, match="is read-only: nothing was written"):
        home.install("cursor")
    assert path.read_text() == "{}"
    assert [one.name for one in path.parent.iterdir()] == ["mcp.json"]


def test_what_another_program_writes_meanwhile_is_not_lost(home: Home) -> None:
    path = home.write("cursor", "{}")
    change = install(CLIENTS["cursor"], home.places, "user", "pincite", COMMAND, force=False)
    path.write_text('{"new": 1}')
    with pytest.raises(SourceError, match="another program just changed"):
        apply(change)
    assert path.read_text() == '{"new": 1}'


def test_a_dry_run_shows_what_would_change(home: Home) -> None:
    path = home.write("cursor", '{\n  "theme": "dark"\n}\n')
    change = install(CLIENTS["cursor"], home.places, "user", "pincite", COMMAND, force=False)
    assert '-  "theme": "dark"\n+  "theme": "dark",\n+  "mcpServers": {\n' in change.diff
    assert path.read_text() == '{\n  "theme": "dark"\n}\n'


@pytest.mark.parametrize(
    ("entry", "ours"),
    [
        ({"command": "/a/pincite", "args": ["mcp"]}, True),
        ({"command": "C:\\a\\pincite.exe", "args": ["mcp", "--http"]}, True),
        ({"command": "uvx", "args": ["--from", "pincite[mcp]", "pincite", "mcp"]}, True),
        ({"command": "/a/pincite", "args": ["search"]}, False),
        ({"command": "uvx", "args": ["other", "mcp"]}, False),
        ({"command": "npx", "args": ["pincite", "mcp"]}, False),
        ({"url": "https://x"}, False),
        ({"command": ["pincite"], "args": "mcp"}, False),
        ("pincite mcp", False),
        (None, False),
    ],
)
def test_an_entry_is_ours_if_it_starts_pincite(entry: object, ours: bool) -> None:
    assert is_ours(entry) is ours
