"""An index folder that came with a checkout or an archive, and has links and pipes for files."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from pincite.daemon.client.open_index import prepare
from pincite.daemon.client.spawn import connect
from pincite.errors import IndexUnavailable
from pincite.index.folder import make_folder, require_plain_stores
from pincite.retrieval_log.files import LogFiles
from pincite.settings.sections.retrieval_log import LogSettings
from pincite.stores.settings import StoreSettings
from pincite.support.databases.private_file import create_private, open_private, read_private
from pincite.support.processes.locks import open_lock
from tests.surfaces.conftest import Cli

TEXT = "# Precious\n\nalias ls=ls\n"
NAMES = (
    *(".gitignore", "store.json", "owner.lock", "owner.log", "start.lock", "machine.lock"),
    *("writing-main.lock", "retrieval.jsonl", "retrieval.jsonl.lock", "catalog.db", "records.db"),
    *("catalog.db-wal", "memory.db", "workspaces.db", "owner.sock", "refresh.json", "refused.db"),
)


def plant(cli: Cli) -> Path:
    """A project with an index folder of its own, and a file of the user that is none of it."""
    cli.write("notes.md", "# Foxes\n\nThe brown fox.\n")
    (cli.folder / ".pincite").mkdir(mode=0o700)
    return cli.write("home/profile", TEXT)


@pytest.mark.parametrize("name", NAMES)
def test_a_link_for_a_file_is_refused(tmp_path: Path, name: str) -> None:
    root = tmp_path / ".pincite"
    root.mkdir(mode=0o700)
    (root / name).symlink_to("../profile")
    with pytest.raises(IndexUnavailable, match=rf"/\.pincite/{name} is a symbolic link"):
        prepare(root, StoreSettings(), create=True)
    with pytest.raises(IndexUnavailable, match=rf"/\.pincite/{name} is a symbolic link"):
        asyncio.run(connect(root))
    assert not (tmp_path / "profile").exists()


def test_the_target_of_a_link_stays(cli: Cli) -> None:
    target = plant(cli)
    log = cli.folder / ".pincite" / "retrieval.jsonl"
    log.symlink_to("../home/profile")
    refused = cli("index", "notes.md", "--lexical", code=1).stderr
    assert f"{log} is a symbolic link" in refused
    assert "remove it" in refused
    log.unlink()
    cli("index", "notes.md", "--lexical")
    log.symlink_to("../home/profile")
    cli("search", "fox", code=1)
    assert target.read_text() == TEXT
    log.unlink()
    assert "notes.md" in cli("search", "fox").stdout


@pytest.mark.parametrize("name", [".gitignore", "store.json", "owner.log", "retrieval.jsonl"])
def test_a_pipe_for_a_file_is_refused_and_hangs_nothing(cli: Cli, name: str) -> None:
    plant(cli)
    os.mkfifo(cli.folder / ".pincite" / name)
    refused = cli("index", "notes.md", "--lexical", code=1).stderr
    assert f"/.pincite/{name} is not a regular file" in refused


@pytest.mark.parametrize("name", ["collections", "collections/main", "collections/main/g000001"])
def test_a_link_for_a_folder_is_refused_and_its_target_stays(cli: Cli, name: str) -> None:
    target = plant(cli)
    link = cli.folder / ".pincite" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(cli.folder / "home")
    assert (
        f"/.pincite/{name} is a symbolic link"
        in cli("index", "notes.md", "--lexical", code=1).stderr
    )
    assert target.read_text() == TEXT


def test_an_index_folder_that_is_a_link_is_used_only_if_it_is_named(cli: Cli) -> None:
    plant(cli)
    (cli.folder / ".pincite").rmdir()
    (cli.folder / ".pincite").symlink_to("home")
    cli.write("home/.gitignore", "kept\n")
    refused = cli("index", "notes.md", "--lexical", code=2).stderr
    assert "/.pincite is a symbolic link" in refused
    assert "--index" in refused
    assert sorted(each.name for each in (cli.folder / "home").iterdir()) == [
        ".gitignore",
        "profile",
    ]
    cli("index", "notes.md", "--lexical", "--index", ".pincite")
    assert (cli.folder / "home" / "catalog.db").exists()
    assert (cli.folder / "home" / ".gitignore").read_text() == "kept\n"
    assert "symbolic link" in cli("search", "fox", code=2).stderr
    cli("stop", "--index", ".pincite")


@pytest.mark.parametrize("name", ["retrieval.jsonl", "retrieval.jsonl.1", "retrieval.jsonl.lock"])
def test_a_log_is_written_to_its_own_files(tmp_path: Path, name: str) -> None:
    """Also if the link came after the folder was looked at."""
    target = tmp_path / "profile"
    target.write_text(TEXT)
    folder = tmp_path / "index"
    folder.mkdir()
    files = LogFiles(folder, LogSettings(max_bytes=1_000, keep=1))
    (folder / name).symlink_to(target)
    command = b"$(touch PWNED)"
    for _ in range(200):
        with suppress(OSError):
            files.append(command)
    assert target.read_text() == TEXT


def test_a_private_file_is_one_that_nobody_else_has(tmp_path: Path) -> None:
    target = tmp_path / "profile"
    target.write_text(TEXT)
    os.link(target, tmp_path / "hard.lock")
    (tmp_path / "soft.lock").symlink_to(target)
    os.mkfifo(tmp_path / "pipe.lock")
    (tmp_path / "folder.lock").mkdir()
    for opened in (open_lock, lambda path: open_private(path, os.O_WRONLY)):
        with pytest.raises(OSError, match=r"hard\.lock has another name, a hard link, as in"):
            opened(tmp_path / "hard.lock")
    for name, why in {
        "soft": "is a symbolic link",
        "pipe": "is not a regular file",
        "folder": "is a directory",
    }.items():
        with pytest.raises(OSError, match=rf"{name}\.lock {why}.*remove it"):
            open_lock(tmp_path / f"{name}.lock")
        with pytest.raises(OSError, match=rf"{name}\.lock {why}.*remove it"):
            open_private(tmp_path / f"{name}.lock", os.O_WRONLY)
    with pytest.raises(OSError, match=r"pipe\.lock is not a regular file"):
        read_private(tmp_path / "pipe.lock")
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "soft.lock", b"")
    assert target.read_text() == TEXT
    make_folder(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "*\n"
    (tmp_path / ".gitignore").write_text("kept\n")
    make_folder(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "kept\n"


def test_a_hard_link_in_a_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "profile").write_text(TEXT)
    root = tmp_path / "index"
    (root / "collections" / "main").mkdir(parents=True)
    require_plain_stores(root)
    os.link(tmp_path / "profile", root / "collections" / "main" / "state.json")
    with pytest.raises(IndexUnavailable, match="a hard link, as in a backup by cp -al") as refused:
        require_plain_stores(root)
    assert "cp -a" in refused.value.hint


def test_a_backup_of_hard_links_says_how_to_go_on(cli: Cli) -> None:
    """The advice neither loses data nor needs another program."""
    cli.write("notes.md", "# Foxes\n\nThe brown fox.\n")
    cli("index", "notes.md", "--lexical")
    cli("stop")
    index = cli.folder / ".pincite"
    shutil.copytree(index, cli.folder / "backup", copy_function=os.link)
    refused = cli("search", "fox", code=1).stderr
    assert "a hard link, as in a backup by cp -al" in refused
    assert "copy the folder with cp -a, and put the copy in its place" in refused
    assert "remove it" not in refused
    shutil.copytree(index, cli.folder / "copy")
    index.rename(cli.folder / "before")
    (cli.folder / "copy").rename(index)
    assert "notes.md" in cli("search", "fox").stdout
