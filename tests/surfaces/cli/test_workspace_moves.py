"""`pincite workspace files move` and `facts move`."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pincite.errors import UsageError, WorkspaceUnavailable
from pincite.providers.memory.sqlite import SqliteMemory
from pincite.surfaces.cli.app import app
from tests.workspace.s3_server import KEY, SECRET, s3_serving

SPACE = "00000000-0000-4000-8000-000000000001"
PLACE = "s3://papers/a"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / ".pincite"


def pincite(index: Path, *words: str) -> Result:
    return CliRunner().invoke(
        app, ["workspace", *words, "--index", str(index)], standalone_mode=False
    )


def put(index: Path, raw: bytes) -> Path:
    content_hash = hashlib.sha256(raw).hexdigest()
    path = index / "files" / SPACE / content_hash[:2] / content_hash
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
    return path


def configure(index: Path, url: str, files: str = "") -> None:
    keys = index.parent / "keys"
    keys.write_text(f"[default]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
    (index.parent / "pincite.toml").write_text(
        f'[workspace]\nfiles = "{files}"\n[workspace.s3]\nendpoint = "{url}"\nkey_file = "{keys}"\n'
    )


def test_files_are_copied_first_and_leave_once_the_settings_name_the_new_place(index: Path) -> None:
    pincite(index, "migrate")
    path = put(index, b"a paper")
    with s3_serving() as s3:
        configure(index, s3.url)
        said = pincite(index, "files", "move", "--to", PLACE)
        assert said.exception is None, said.exception
        assert (said.return_value, said.stdout) == (0, "")
        assert "1 copied, 0 there before, 0 removed" in said.stderr
        assert f'files = "{PLACE}"' in said.stderr
        assert path.exists()
        configure(index, s3.url, PLACE)
        same = pincite(index, "files", "move", "--to", PLACE).exception
        assert isinstance(same, UsageError)
        assert "--from" in same.hint
        said = pincite(index, "files", "move", "--from", "folder", "--to", f"{PLACE}/", "--json")
        assert json.loads(said.stdout) == {
            "copied": 0, "there": 1, "removed": 1, "bytes": 0, "damaged": []
        }  # fmt: skip
        assert not path.exists()
        back = pincite(index, "files", "move", "--to", "folder")
        assert "1 copied" in back.stderr
        assert 'files = ""' in back.stderr
        assert path.read_bytes() == b"a paper"


def test_damaged_files_are_named_with_an_exit_code(index: Path) -> None:
    pincite(index, "migrate")
    path = put(index, b"a paper")
    path.write_bytes(b"other bytes")
    with s3_serving() as s3:
        configure(index, s3.url)
        said = pincite(index, "files", "move", "--to", PLACE)
        assert (said.return_value, path.name in said.stdout) == (3, True)
        assert path.exists()


def test_places_that_cannot_be_are_refused_before_anything_moves(index: Path) -> None:
    pincite(index, "migrate")
    path = put(index, b"a paper")
    for words in (
        ("--to", "folder"),
        ("--to", "elsewhere"),
        ("--to", "../files"),
        ("--to", "s3://../x"),
        ("--to", "s3://papers/\x1b[31m"),
        ("--to", "database"),
        ("--from", "s3://papers/a", "--to", "s3://papers/b"),
    ):
        error = pincite(index, "files", "move", *words).exception
        assert isinstance(error, UsageError), words
        assert error.hint, words
    configure(index, "http://127.0.0.1:1")
    away = pincite(index, "files", "move", "--to", PLACE).exception
    assert isinstance(away, WorkspaceUnavailable)
    assert path.exists()


def test_facts_leave_the_file_and_those_of_nobody_stay(index: Path) -> None:
    pincite(index, "migrate")
    user = pincite(index, "user", "add", "Ada").stdout.strip()
    memory = SqliteMemory(index / "memory.db")

    async def session() -> None:
        for name in (user, "odd\x1b[31m"):
            await memory.remember(name, "drinks tea")
        await memory.close()

    asyncio.run(session())
    said = pincite(index, "facts", "move")
    assert said.exception is None, said.exception
    assert (said.return_value, "1 fact moved" in said.stderr) == (3, True)
    assert said.stdout.startswith("odd")
    assert "\x1b" not in said.stdout
    told = json.loads(pincite(index, "facts", "move", "--json").stdout)
    assert (told["moved"], len(told["left"])) == (0, 1)


def test_facts_move_into_a_database_that_is_current_only(index: Path) -> None:
    index.mkdir()
    memory = SqliteMemory(index / "memory.db")
    asyncio.run(memory.remember(SPACE, "drinks tea"))
    asyncio.run(memory.close())
    error = pincite(index, "facts", "move").exception
    assert isinstance(error, WorkspaceUnavailable)
    assert error.hint == f"pincite workspace migrate --index {index}"
    assert len(asyncio.run(memory.facts(SPACE))) == 1
    asyncio.run(memory.close())
    said = pincite(index, "migrate")
    assert "memory.db has facts, which workspaces do not read: pincite" in said.stderr
    assert "memory.db" not in pincite(index, "migrate").stderr
