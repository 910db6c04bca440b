"""Uploaded files: whole or not at all, named by their content."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from pincite.errors import NotFound, UsageError, WorkspaceUnavailable
from pincite.workspace.files import folder
from pincite.workspace.files.file_store import TooMuch
from pincite.workspace.files.folder import FolderFiles

SPACE = "00000000-0000-4000-8000-000000000001"
pytestmark = pytest.mark.anyio


async def pieces(*given: bytes, fault: Exception | None = None) -> AsyncIterator[bytes]:
    for one in given:
        yield one
    if fault:
        raise fault


def held(folder: Path) -> list[Path]:
    return [one for one in folder.rglob("*") if one.is_file()]


async def test_a_file_is_read_as_it_was_put_and_only_by_its_owner(tmp_path: Path) -> None:
    files = FolderFiles(tmp_path / "files")
    stored = await files.put(SPACE, pieces(b"one ", b"two"), 100)
    assert stored.content_hash == hashlib.sha256(b"one two").hexdigest()
    assert (stored.size, await files.read(SPACE, stored.content_hash)) == (7, b"one two")
    (path,) = held(tmp_path)
    assert path.stat().st_mode & 0o077 == 0
    assert await files.put(SPACE, pieces(b"one two"), 100) == stored
    await files.delete(SPACE, stored.content_hash)
    await files.delete(SPACE, stored.content_hash)
    with pytest.raises(NotFound):
        await files.read(SPACE, stored.content_hash)


async def test_folders_that_are_made_on_the_way_are_their_owner_s_alone(tmp_path: Path) -> None:
    await FolderFiles(tmp_path / "index" / "files").put(SPACE, pieces(b"one"), 100)
    made = [one for one in tmp_path.rglob("*") if one.is_dir()]  # noqa: ASYNC240
    assert len(made) == 4
    assert [one for one in made if one.stat().st_mode & 0o077] == []


async def test_of_a_file_that_is_too_large_or_is_cut_off_nothing_stays(tmp_path: Path) -> None:
    files = FolderFiles(tmp_path)
    with pytest.raises(TooMuch, match="more than 5 bytes"):
        await files.put(SPACE, pieces(b"abc", b"def"), 5)
    with pytest.raises(ConnectionError):
        await files.put(SPACE, pieces(b"abc", fault=ConnectionError()), 5)
    assert held(tmp_path) == []


@pytest.mark.parametrize("space", ["", "..", "../" + SPACE, SPACE.upper() + "/", "a" * 36])
async def test_a_client_names_no_folder(tmp_path: Path, space: str) -> None:
    with pytest.raises(UsageError, match="not the id of a space"):
        await FolderFiles(tmp_path).put(space, pieces(b"x"), 5)


@pytest.mark.parametrize("name", ["", "..", "/etc/passwd", "A" * 64])
async def test_a_client_names_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="not a SHA-256"):
        await FolderFiles(tmp_path).read(SPACE, name)


async def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "files").write_text("")
    with pytest.raises(WorkspaceUnavailable, match="out of reach"):
        await FolderFiles(tmp_path / "files").put(SPACE, pieces(b"x"), 5)


async def test_a_file_that_moves_to_another_space_is_there_whole(tmp_path: Path) -> None:
    files, other = FolderFiles(tmp_path), str(uuid4())
    stored = await files.put(SPACE, pieces(b"x" * 3_000_000), 4_000_000)
    await files.copy(SPACE, other, stored.content_hash)
    await files.delete(SPACE, stored.content_hash)
    assert await files.read(other, stored.content_hash) == b"x" * 3_000_000
    with pytest.raises(NotFound):
        await files.copy(SPACE, other, stored.content_hash)
    assert len(held(tmp_path)) == 1


async def test_an_upload_that_is_cancelled_while_its_file_is_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    going, may = threading.Event(), threading.Event()
    create = folder._create

    def slowly(path: Path) -> int:
        going.set()
        may.wait()
        return create(path)

    monkeypatch.setattr(folder, "_create", slowly)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    task = asyncio.create_task(FolderFiles(tmp_path).put(SPACE, pieces(b"one"), 100))
    await asyncio.to_thread(going.wait)
    task.cancel()
    await asyncio.sleep(0)
    may.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert held(tmp_path) == []
    assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208


async def test_a_file_is_read_in_pieces_as_it_was_put(tmp_path: Path) -> None:
    files, text = FolderFiles(tmp_path), bytes(range(256)) * 10_000
    stored = await files.put(SPACE, pieces(text), len(text))
    found = [piece async for piece in files.pieces(SPACE, stored.content_hash)]
    assert b"".join(found) == text
    assert max(map(len, found)) <= 1 << 20
    with pytest.raises(NotFound):
        await anext(files.pieces(SPACE, "0" * 64))
