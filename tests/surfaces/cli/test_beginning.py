"""`pincite init` writes a configuration and never over one; `pincite trust` says whose counts."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pincite.presets import preset_names
from pincite.settings.file.template import config_text
from pincite.settings.file.toml_file import parse
from pincite.settings.load import load_settings
from tests.disks import read_only
from tests.environment import clean_environment
from tests.surfaces.conftest import Cli
from tests.time_limits import HANGS_S

CLAIM = '[store]\nurl = "http://192.0.2.1:6333"\n'
UNTRUSTED = {"PINCITE_TRUST": "0"}


def homes(cli: Cli) -> dict[str, Any]:
    """Folders of a user of its own."""
    names = ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    return UNTRUSTED | {name: str(cli.folder / "home" / name.lower()) for name in names}


def test_a_project_begins_with_a_file_that_indexes_it_and_is_never_overwritten(cli: Cli) -> None:
    cli.write("notes/keys.md", "# Keys\n\nTo rotate a key, call rotate_key.\n")
    done = cli("init", "notes", **homes(cli))
    place = cli.folder / "notes" / "pincite.toml"
    assert done.stdout == f"{place}\n"
    written = place.read_text()
    assert parse(written, "x") == {"source": [{"path": "."}]}
    assert "already exists and is never overwritten" in cli("init", "notes", code=2).stderr
    assert place.read_text() == written
    inside = Cli(place.parent)
    inside("index", **homes(cli))
    assert "keys.md:1" in inside("search", "rotate a key", **homes(cli)).stdout
    inside("stop")


@pytest.mark.parametrize("preset", ["", *preset_names()])
@pytest.mark.parametrize("project", [True, False])
def test_every_preset_makes_a_file_that_can_be_read_and_asks_for_no_trust(
    tmp_path: Path, preset: str, project: bool
) -> None:
    text = config_text(preset, project=project)
    (tmp_path / "pincite.toml").write_text(text)
    settings = load_settings({}, tmp_path)
    assert settings.profile == load_settings({}, tmp_path / "none").preset(preset or "general")
    assert all(len(line) <= 100 for line in text.splitlines())
    uncommented = "\n".join(
        line.removeprefix("# ")
        for line in text.splitlines()
        if "=" in line or line.lstrip("# ").startswith("[")
        if not line.startswith(("# What", "# Without", "#  "))
    )
    assert "models" in parse(uncommented.replace('preset = "local"\n', "", 1), "uncommented")


def test_neither_a_link_nor_a_file_in_the_place_of_the_folder_is_written_to(cli: Cli) -> None:
    (cli.folder / "pincite.toml").symlink_to(cli.folder / "elsewhere")
    assert "never overwritten" in cli("init", code=2).stderr
    assert not (cli.folder / "elsewhere").exists()
    cli.write("file", "x")
    assert "is not a folder" in cli("init", "file", code=2).stderr
    assert "no-such" in cli("init", "--preset", "no-such", code=2).stderr
    assert "takes no folder" in cli("init", "file", "--user", code=2).stderr


def test_what_belongs_to_no_project_has_the_folders_of_the_user(cli: Cli) -> None:
    user = homes(cli)
    cli.write("docs/keys.md", "# Keys\n\nTo rotate a key, call rotate_key.\n")
    place = Path(cli("init", "--user", "--preset", "local", **user).stdout.strip())
    assert place == cli.folder / "home/xdg_config_home/pincite/pincite.toml"
    assert 'preset = "local"' in place.read_text()
    with place.open("a") as file:  # the user's own file takes no trust
        file.write(f'[[source]]\npath = "{cli.folder / "docs"}"\n')
    work = Cli(cli.folder / "work")
    work.folder.mkdir()
    work("index", **user)
    index = cli.folder / "home/xdg_data_home/pincite/.pincite"
    assert (index / "catalog.db").is_file()
    assert "keys.md" in work("search", "rotate a key", **user).stdout
    assert "keys.md" in work("search", "rotate a key", "--index", str(index), **user).stdout
    assert str(place) in work("config", "path", **user).stdout
    work("stop", **user)
    work.write("pincite.toml", "")  # a project of its own
    assert f"no index exists at {work.folder}" in work("search", "x", code=1, **user).stderr


def test_a_file_that_was_found_is_refused_in_a_pipe_with_the_command(cli: Cli) -> None:
    user = homes(cli)
    cli.write("docs/a.md", "# A\n\ntext\n")
    place = cli.write("pincite.toml", CLAIM)
    for command in (
        ("index", "docs"),
        ("search", "x"),
        ("doctor",),
        ("rerank", "x", "y"),
        ("mcp",),
    ):
        said = cli(*command, code=2, stdin=b"y\n", **user).stderr
        assert f"{place} is not trusted" in said, command
        assert f"pincite trust {place}" in said
    assert not (cli.folder / ".pincite").exists()
    assert "192.0.2.1" in cli("config", "show", "store.url", **user).stdout
    assert "192.0.2.1" in cli("trust", **user).stdout
    assert str(place) in cli("trust", "--list", **user).stdout
    assert "is not trusted" not in cli("index", "docs", code=1, **user).stderr
    place.write_text(f"{CLAIM}timeout_s = 2.0\n")
    assert "has changed since" in cli("index", "docs", code=2, **user).stderr
    cli("trust", "pincite.toml", **user)
    cli("trust", "--revoke", **user)
    assert "is not trusted" in cli("index", "docs", code=2, **user).stderr
    cli("trust", "--revoke", code=3, **user)
    cli("trust", "--list", code=3, **user)


def test_a_daemon_that_runs_answers_nobody_by_a_file_that_is_not_trusted(cli: Cli) -> None:
    user = homes(cli)
    cli.write("docs/keys.md", "# Keys\n\nTo rotate a key, call rotate_key.\n")
    cli("index", "docs", "--lexical", **user)
    assert "keys.md" in cli("search", "rotate a key", **user).stdout
    cli.write("pincite.toml", '[models]\nllm = "llamacpp:x"\n')
    assert "models.llm" in cli("search", "rotate a key", code=2, **user).stderr
    assert "keys.md" in cli("search", "rotate a key", **user | {"PINCITE_TRUST": "1"}).stdout
    cli("trust", **user)
    assert "keys.md" in cli("search", "rotate a key", **user).stdout


def test_what_needs_no_trust_and_what_is_not_found_say_so(cli: Cli) -> None:
    user = homes(cli)
    cli.write("pincite.toml", "[select]\nresults = 3\n")
    assert "has no settings that need trust" in cli("trust", code=3, **user).stderr
    cli.write("team.toml", CLAIM)
    assert "does not find it by itself" in cli("trust", "team.toml", code=2, **user).stderr
    assert "cannot be read" in cli("trust", "none/pincite.toml", code=2, **user).stderr
    assert "takes no other arguments" in cli("trust", "--list", "--revoke", code=2, **user).stderr
    os.mkfifo(cli.folder / "fifo")
    (cli.folder / "pincite.toml").unlink()
    (cli.folder / "pincite.toml").symlink_to(cli.folder / "fifo")
    assert "is not a file" in cli("trust", code=2, **user).stderr


def asked_on_a_terminal(cli: Cli, answer: bytes, user: dict[str, Any]) -> tuple[int, str]:
    """A command whose stdin and stderr are a terminal, and what it says there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "pincite.surfaces.cli.app", "status"],
        cwd=cli.folder,
        env=clean_environment() | {"PINCITE_OFFLINE": "1"} | user,
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.DEVNULL,
    )
    os.close(theirs)
    os.write(ours, answer)
    said = b""
    while True:
        try:
            part = os.read(ours, 4_096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    return process.wait(timeout=HANGS_S), said.decode()


@pytest.mark.parametrize("command", ["search", "evidence"])
def test_no_progress_line_erases_the_question_of_a_search(cli: Cli, command: str) -> None:
    user = homes(cli)
    cli.write("pincite.toml", CLAIM)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "pincite.surfaces.cli.app", command, "x"],
        cwd=cli.folder,
        env=clean_environment() | {"PINCITE_OFFLINE": "1"} | user,
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.DEVNULL,
    ) as process:
        os.close(theirs)
        said = b""
        while b"[y/N] " not in said:
            said += os.read(ours, 4_096)
        assert said.endswith(b"Trust this file until it changes? [y/N] ")
        later, _, _ = select.select([ours], [], [], 1.5)  # a progress line waits for 0.5 s
        assert not later, os.read(ours, 4_096)
        os.write(ours, b"n\n")
        assert process.wait(timeout=HANGS_S) == 2
    os.close(ours)


def test_a_person_is_asked_once(cli: Cli) -> None:
    user = homes(cli)
    place = cli.write("pincite.toml", f"{CLAIM}prefix = 'a'\n")
    code, said = asked_on_a_terminal(cli, b"n\n", user)
    assert "store.url" in said
    assert "is not trusted" in said
    assert code == 2
    _, said = asked_on_a_terminal(cli, b"y\n", user)
    assert "Trust this file" in said
    assert "is not trusted" not in said
    assert str(place) in cli("trust", "--list", **user).stdout
    _, said = asked_on_a_terminal(cli, b"", user)
    assert "Trust this file" not in said


@pytest.mark.parametrize("user", [False, True])
def test_a_place_that_cannot_be_written_to_is_an_error_and_no_wrong_usage(
    cli: Cli, user: bool
) -> None:
    (cli.folder / "closed").mkdir()
    with read_only(cli.folder / "closed"):
        given = ("--user",) if user else ("closed/below",)
        said = cli("init", *given, code=1, XDG_CONFIG_HOME=str(cli.folder / "closed")).stderr
    assert "cannot be written" in said
