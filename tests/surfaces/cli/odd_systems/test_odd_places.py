"""Folders that cannot be used, and a home that is none: an error that says what and where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.disks import read_only
from tests.environment import clean_environment
from tests.surfaces.conftest import Cli


def make_places(folder: Path) -> dict[str, Path]:
    (folder / "file").write_text("x")
    (folder / "dangling").symlink_to(folder / "nowhere")
    (folder / "loop").symlink_to("loop")
    return {
        "below a read-only folder": folder / "closed" / "index",
        "a dangling link": folder / "dangling",
        "below a dangling link": folder / "dangling" / "index",
        "through a file": folder / "file" / "index",
        "a loop of links": folder / "loop",
        "below a loop of links": folder / "loop" / "index",
        "too long a name": folder / ("n" * 4096),
        "a device": Path("/dev/null/index"),
    }


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("below a read-only folder", ("Read-only file system", "Permission denied")),
        ("a dangling link", ("a link in it has no target",)),
        ("below a dangling link", ("a link in it has no target",)),
        ("through a file", ("Not a directory",)),
        ("a loop of links", ("Too many levels of symbolic links",)),
        ("below a loop of links", ("Too many levels of symbolic links",)),
        ("too long a name", ("File name too long",)),
        ("a device", ("Not a directory",)),
    ],
)
def test_an_index_folder_that_cannot_be_is_an_error_and_no_traceback(
    cli: Cli, kind: str, why: tuple[str, ...]
) -> None:
    cli.write("docs/a.md", "# Foxes\n\nThe brown fox.\n")
    place = str(make_places(cli.folder)[kind])
    (cli.folder / "closed").mkdir()
    with read_only(cli.folder / "closed"):
        refused = cli("index", "docs", "--lexical", "--index", place, code=1).stderr
        assert refused.startswith("error: the index folder ")
        assert place[:100] in refused
        assert any(reason in refused for reason in why), refused
        assert "--index" in refused
        assert len(refused) < 1_500
        for command in (["search", "fox"], ["status"], ["stop"]):
            refused = cli(*command, code=1, PINCITE_INDEX=place).stderr
            assert refused.startswith("error: ")


def in_a_folder_that_is_gone(
    cli: Cli, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    gone = cli.folder / "gone"
    gone.mkdir()
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", *arguments]
    return subprocess.run(
        ["/bin/sh", "-c", 'rmdir "$1"; shift; exec "$@"', "sh", str(gone), *command],
        cwd=gone,
        env=clean_environment() | {"PINCITE_OFFLINE": "1"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


GONE = "error: the current folder no longer exists or cannot be read"


@pytest.mark.parametrize(
    "arguments", [("search", "fox"), ("status", "--index", ".pincite"), ("stop",)]
)
def test_a_current_folder_that_is_gone_is_an_error_and_no_traceback(
    cli: Cli, arguments: tuple[str, ...]
) -> None:
    done = in_a_folder_that_is_gone(cli, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(GONE)


def test_an_index_with_an_absolute_path_needs_no_current_folder(cli: Cli) -> None:
    cli.write("docs/a.md", "# Foxes\n\nThe brown fox.\n")
    cli("index", "docs", "--lexical")
    index = str(cli.folder / ".pincite")
    pack = cli.write("pack.json", cli("search", "fox", "--json").stdout)
    for arguments in (
        ("search", "fox"),
        ("search", "fox", "--path", "a.md"),
        ("ls", "a.md"),
        ("get", "a.md"),
        ("multi-get", "a.md"),
        ("verify", str(pack)),
        ("status",),
        ("config", "show"),
        ("stop",),
    ):
        done = in_a_folder_that_is_gone(cli, *arguments, PINCITE_INDEX=index)
        assert (arguments, done.returncode) == (arguments, 0), done.stderr
        assert "error" not in done.stderr
    assert in_a_folder_that_is_gone(cli, "status", "--index", index).returncode == 0
    for arguments in (
        ("search", "fox", "--path", "./a.md"),
        ("search", "fox", "--not-path", ".."),
        ("ls", "."),
        ("get", "./a.md"),
        ("multi-get", "../docs/a.md"),
    ):
        done = in_a_folder_that_is_gone(cli, *arguments, PINCITE_INDEX=index)
        assert (arguments, done.returncode) == (arguments, 2)
        assert done.stderr.startswith(GONE)


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME", "PINCITE_MODELS"])
@pytest.mark.parametrize("place", ["closed", "file", "file/below"])
def test_models_that_have_no_place_are_an_error_unless_none_is_wanted(
    cli: Cli, variable: str, place: str
) -> None:
    cli.write("docs/a.md", "# Foxes\n\nThe brown fox.\n")
    cli.write("file", "x")
    (cli.folder / "closed").mkdir()
    given: dict[str, Any] = {"XDG_CACHE_HOME": ""} if variable == "HOME" else {}
    given[variable] = str(cli.folder / place)
    with read_only(cli.folder / "closed"):
        refused = cli("index", "docs", code=1, **given)
        assert "cannot be written to" in refused.stderr
        assert str(cli.folder / place) in refused.stderr
        assert "--lexical" in refused.stderr
        assert "PINCITE_MODELS" in refused.stderr
        cli("index", "docs", "--lexical", **given)
        assert cli("search", "fox", "-f", "files", **given).stdout == "a.md:1-3\n"


@pytest.mark.parametrize("name", ["owner.log", "owner.lock", "start.lock", "writing-main.lock"])
def test_a_folder_where_a_file_should_be_is_an_error_that_names_it(cli: Cli, name: str) -> None:
    cli.write("docs/a.md", "# Foxes\n\nThe brown fox.\n")
    (cli.folder / ".pincite" / name).mkdir(parents=True)
    refused = cli("index", "docs", "--lexical", code=1).stderr
    assert "Traceback" not in refused
    assert str(cli.folder / ".pincite") in refused
    assert "is a directory" in refused.lower()
