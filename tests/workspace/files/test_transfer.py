"""Uploaded files moved between a folder, a database and a bucket."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from pincite.errors import NotFound, WorkspaceUnavailable
from pincite.settings.sections.object_store import Bucket, S3Settings
from pincite.support.databases.postgres import Pool
from pincite.workspace.files.bucket import ObjectFiles
from pincite.workspace.files.database import DatabaseFiles
from pincite.workspace.files.file_store import FileStore, Stored
from pincite.workspace.files.folder import FolderFiles
from pincite.workspace.files.transfer import MovedFiles, move_files
from tests.workspace.postgres_server import Database
from tests.workspace.s3_server import BUCKET, S3

SPACE = "00000000-0000-4000-8000-000000000001"
OTHER = "00000000-0000-4000-8000-000000000002"
CONTENTS = (b"", b"plain", b"x" * 1_048_576, b"long" * 700_000, "größe".encode())
pytestmark = pytest.mark.anyio
File = tuple[str, str]


@pytest.fixture
async def database_files(database: Database) -> AsyncIterator[DatabaseFiles]:
    files = DatabaseFiles(Pool(database.operator))
    yield files
    await files.close()


@pytest.fixture
def bucket_files(s3: S3) -> ObjectFiles:
    return ObjectFiles(Bucket(BUCKET, "a/b"), S3Settings(endpoint=s3.url))


class Told:
    """All that is told of the way."""

    def __init__(self) -> None:
        self.all: list[tuple[int, int]] = []

    def __call__(self, done: int, total: int) -> None:
        self.all.append((done, total))


async def given(raw: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(raw), 300_000):
        yield raw[start : start + 300_000]


async def filled(files: FileStore) -> dict[File, bytes]:
    """Files of two spaces, one of them in both."""
    held = {}
    for space in (SPACE, OTHER):
        for raw in CONTENTS if space == SPACE else CONTENTS[1:2]:
            stored = await files.put(space, given(raw), 10**8)
            held[space, stored.content_hash] = raw
    return held


async def contents(files: FileStore) -> dict[File, bytes]:
    return {one: await files.read(*one) for one in await files.older_than(-3600)}


async def test_files_go_from_one_kind_of_place_to_each_other(
    tmp_path: Path, database_files: DatabaseFiles, bucket_files: ObjectFiles
) -> None:
    folder = FolderFiles(tmp_path / "files")
    held = await filled(folder)
    back = FolderFiles(tmp_path / "back")
    places: list[FileStore] = [folder, database_files, bucket_files, back]
    for source, target in pairwise(places):
        told = Told()
        copied = await move_files(source, target, remove=False, told=told)
        assert (copied.copied, copied.there, copied.removed) == (6, 0, 0)
        assert copied.bytes == sum(map(len, held.values()))
        assert told.all == [(count, 6) for count in range(7)]
        assert await contents(source) == await contents(target) == held
        moved = await move_files(source, target, remove=True, told=Told())
        assert (moved.copied, moved.there, moved.removed) == (0, 6, 6)
        assert (await contents(source), await contents(target)) == ({}, held)


async def test_what_came_since_is_copied_and_what_went_is_no_error(tmp_path: Path) -> None:
    source, target = FolderFiles(tmp_path / "a"), FolderFiles(tmp_path / "b")
    held = await filled(source)
    await move_files(source, target, remove=False, told=Told())
    late = await source.put(OTHER, given(b"late"), 100)
    gone = next(iter(held))
    await source.delete(*gone)
    again = await move_files(source, target, remove=True, told=Told())
    assert (again.copied, again.there, again.removed) == (1, 5, 6)
    assert await target.read(OTHER, late.content_hash) == b"late"
    assert await contents(source) == {}


class Cut(FolderFiles):
    """A place that is out of reach once it has a file."""

    has = False

    async def put(self, space_id: str, pieces: AsyncIterator[bytes], most: int) -> Stored:
        if self.has:
            raise WorkspaceUnavailable("out of reach")
        stored = await super().put(space_id, pieces, most)
        self.has = True
        return stored


@pytest.mark.parametrize("remove", [False, True])
async def test_a_run_that_is_cut_off_loses_nothing_and_goes_on(
    tmp_path: Path, remove: bool
) -> None:
    source, target = FolderFiles(tmp_path / "a"), FolderFiles(tmp_path / "b")
    held = await filled(source)
    with pytest.raises(WorkspaceUnavailable, match="out of reach"):
        await move_files(source, Cut(tmp_path / "b"), remove=remove, told=Told())
    assert await contents(source) | await contents(target) == held
    done = await move_files(source, target, remove=True, told=Told())
    assert 0 < done.copied < len(held)
    assert (await contents(source), await contents(target)) == ({}, held)


def path_of(root: Path, file: File) -> Path:
    space, content_hash = file
    return root / space / content_hash[:2] / content_hash


async def test_damaged_files_stay_and_are_named(tmp_path: Path) -> None:
    source, target = FolderFiles(tmp_path / "a"), FolderFiles(tmp_path / "b")
    held = await filled(source)
    damaged = [one for one, raw in held.items() if len(raw) > 100]
    for one in damaged:
        path_of(tmp_path / "a", one).write_bytes(b"damaged")
    done = await move_files(source, target, remove=True, told=Told())
    assert sorted(done.damaged) == sorted(damaged)
    assert done.removed == len(held) - len(damaged)
    assert sorted(await source.older_than(-3600)) == sorted(damaged)
    with pytest.raises(NotFound):
        await target.read(*damaged[0])


async def test_a_copy_that_is_damaged_is_made_again_before_its_source_goes(tmp_path: Path) -> None:
    source, target = FolderFiles(tmp_path / "a"), FolderFiles(tmp_path / "b")
    held = await filled(source)
    await move_files(source, target, remove=False, told=Told())
    for one in held:
        path_of(tmp_path / "b", one).write_bytes(b"damaged")
    done = await move_files(source, target, remove=True, told=Told())
    assert (done.copied, done.there, done.removed) == (len(held), 0, len(held))
    assert (await contents(source), await contents(target)) == ({}, held)


class Forgetful(FolderFiles):
    """A place that says it has a file, and keeps other bytes."""

    async def put(self, space_id: str, pieces: AsyncIterator[bytes], most: int) -> Stored:
        stored = await super().put(space_id, pieces, most)
        path_of(self._folder, (space_id, stored.content_hash)).write_bytes(b"other")
        return stored


async def test_no_source_goes_where_the_new_place_has_other_bytes(tmp_path: Path) -> None:
    source = FolderFiles(tmp_path / "a")
    held = await filled(source)
    done = await move_files(source, Forgetful(tmp_path / "b"), remove=True, told=Told())
    assert (done.removed, len(done.damaged)) == (0, len(held))
    assert await contents(source) == held


async def test_names_that_are_none_of_ours_stay_where_they_are(tmp_path: Path) -> None:
    source, target = FolderFiles(tmp_path / "a"), FolderFiles(tmp_path / "b")
    odd = tmp_path / "a" / SPACE / "ab"
    odd.mkdir(parents=True)
    for name in ("notes.txt", "..x", "a" * 63, "A" * 64):
        (odd / name).write_bytes(b"x")
    (odd / ("b" * 64)).mkdir()
    os.mkfifo(odd / ("c" * 64))
    (odd / ("d" * 64)).symlink_to(tmp_path / "nowhere")
    (tmp_path / "a" / "elsewhere" / "ab").mkdir(parents=True)
    (tmp_path / "a" / "elsewhere" / "ab" / ("a" * 64)).write_bytes(b"x")
    assert await move_files(source, target, remove=True, told=Told()) == MovedFiles()
    assert len(list(odd.iterdir())) == 7
