"""What every store of uploaded files does: in a folder, in a bucket, and in a database."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from pincite.errors import NotFound, UsageError, WorkspaceUnavailable
from pincite.settings.sections.object_store import Bucket, S3Settings
from pincite.support.databases.postgres import Pool
from pincite.workspace.files.bucket import ObjectFiles
from pincite.workspace.files.database import DatabaseFiles
from pincite.workspace.files.file_store import FileStore, TooMuch
from pincite.workspace.files.folder import FolderFiles
from tests.workspace.postgres_server import Database, Server
from tests.workspace.s3_server import BUCKET, KEY, SECRET, s3_serving

SPACE = "00000000-0000-4000-8000-000000000001"
OTHER = "00000000-0000-4000-8000-000000000002"
pytestmark = pytest.mark.anyio


@dataclass
class Place:
    """A store, and what is in it behind its back: the names of files, how to make them older, and
    how to write into one."""

    files: FileStore
    held: Callable[[], list[str]]
    age: Callable[[float], None]
    damage: Callable[[str, bytes], None]


def folder(path: Path) -> Place:
    def held() -> list[str]:
        return [str(one.relative_to(path)) for one in path.rglob("*") if one.is_file()]

    def age(seconds: float) -> None:
        for one in held():
            os.utime(path / one, (time.time() - seconds,) * 2)

    def damage(name: str, raw: bytes) -> None:
        (path / name).write_bytes(raw)

    return Place(FolderFiles(path), held, age, damage)


def in_database(files: DatabaseFiles, address: str) -> Place:
    def rows(sql: str, *values: object) -> list[tuple[str, str | None]]:
        with psycopg.connect(address) as connection:
            found = connection.execute(sql.encode(), values)
            return found.fetchall() if found.description else []

    def held() -> list[str]:
        found = rows("SELECT space_id::text, content_hash FROM pincite_index.files")
        return [f"{space}/{(name or '')[:2]}/{name}" for space, name in found]

    def age(seconds: float) -> None:
        rows("UPDATE pincite_index.files SET put = put - make_interval(secs => %s)", seconds)

    def damage(name: str, raw: bytes) -> None:
        of = "pincite_index.files WHERE content_hash = %s"
        hash_ = name.rpartition("/")[2]
        rows(
            f"DELETE FROM pincite_index.file_pieces WHERE file IN (SELECT number FROM {of})", hash_
        )
        rows("UPDATE pincite_index.files SET size = %s WHERE content_hash = %s", *(len(raw), hash_))
        for number, start in enumerate(range(0, len(raw), 1 << 20)):
            piece = raw[start : start + (1 << 20)]
            sql = f"INSERT INTO pincite_index.file_pieces SELECT number, %s, %s FROM {of}"
            rows(sql, number, piece, hash_)

    return Place(files, held, age, damage)


@pytest.fixture(params=["folder", "bucket", "database"])
def kind(request: pytest.FixtureRequest) -> str | Database:
    if request.param != "database":
        return str(request.param)
    server: Server = request.getfixturevalue("postgres")
    return server.database(request.getfixturevalue("migrated"))


@pytest.fixture
async def place(
    kind: str | Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Place]:
    if isinstance(kind, Database):
        opened = DatabaseFiles(Pool(kind.operator))
        yield in_database(opened, kind.superuser)
        await opened.close()
        return
    if kind == "folder":
        yield folder(tmp_path)
        return
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with s3_serving() as s3:

        def held() -> list[str]:
            assert s3.parts == {}
            return [one.removeprefix("some/prefix/") for one in s3.names()]

        def damage(name: str, raw: bytes) -> None:
            s3.objects[f"some/prefix/{name}"] = (raw, time.time())

        files = ObjectFiles(Bucket(BUCKET, "some/prefix"), S3Settings(s3.url))
        yield Place(files, held, s3.age, damage)


async def pieces(*given: bytes, fault: BaseException | None = None) -> AsyncIterator[bytes]:
    for one in given:
        yield one
    if fault:
        raise fault


async def collect(given: AsyncIterator[bytes], into: list[bytes]) -> None:
    async for piece in given:
        into.append(piece)  # noqa: PERF401 - what came before a fault is looked at


@pytest.mark.parametrize("size", [0, 1, 5 << 20, (5 << 20) + 1, 12_000_000])
async def test_a_file_is_read_as_it_was_put_under_the_hash_of_its_content(
    place: Place, size: int
) -> None:
    raw = (bytes(range(251)) * (size // 251 + 1))[:size]
    cut = [raw[start : start + 700_000] for start in range(0, size, 700_000)]
    stored = await place.files.put(SPACE, pieces(*cut), size)
    assert (stored.content_hash, stored.size) == (hashlib.sha256(raw).hexdigest(), size)
    assert place.held() == [f"{SPACE}/{stored.content_hash[:2]}/{stored.content_hash}"]
    assert await place.files.read(SPACE, stored.content_hash) == raw
    found = [piece async for piece in place.files.pieces(SPACE, stored.content_hash)]
    assert b"".join(found) == raw
    assert max(map(len, found), default=0) <= 2 << 20
    assert await place.files.put(SPACE, pieces(raw), size) == stored
    assert len(place.held()) == 1


async def test_what_is_gone_is_not_found_and_can_be_deleted_again(place: Place) -> None:
    stored = await place.files.put(SPACE, pieces(b"one"), 10)
    with pytest.raises(NotFound):
        await place.files.read(OTHER, stored.content_hash)
    for _ in range(2):
        await place.files.delete(SPACE, stored.content_hash)
    with pytest.raises(NotFound):
        await place.files.read(SPACE, stored.content_hash)
    with pytest.raises(NotFound):
        await anext(place.files.pieces(SPACE, stored.content_hash))
    with pytest.raises(NotFound):
        await place.files.copy(SPACE, OTHER, stored.content_hash)
    assert place.held() == []


@pytest.mark.parametrize("size", [4, 3 << 20])
async def test_of_a_file_that_is_too_large_or_is_cut_off_nothing_stays(
    place: Place, size: int
) -> None:
    piece = b"x" * size
    with pytest.raises(TooMuch, match="more than"):
        await place.files.put(SPACE, pieces(*[piece] * 5), 5 * size - 1)
    with pytest.raises(ConnectionError):
        await place.files.put(SPACE, pieces(*[piece] * 5, fault=ConnectionError()), 5 * size)
    assert place.held() == []


async def test_an_upload_that_is_cancelled_leaves_nothing(place: Place) -> None:
    waiting = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        for _ in range(4):
            yield b"x" * (3 << 20)
        waiting.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(place.files.put(SPACE, slowly(), 1 << 30))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert place.held() == []


@pytest.mark.parametrize("space", ["", "..", "../" + SPACE, SPACE.upper() + "/", "a" * 36])
async def test_a_client_names_no_space_that_is_none(place: Place, space: str) -> None:
    for asked in (
        place.files.put(space, pieces(b"x"), 5),
        place.files.read(space, "0" * 64),
        place.files.copy(SPACE, space, "0" * 64),
        place.files.delete(space, "0" * 64),
    ):
        with pytest.raises(UsageError, match="not the id of a space"):
            await asked
    assert place.held() == []


@pytest.mark.parametrize("name", ["", "..", "/etc/passwd", "A" * 64, "0" * 63 + "\n"])
async def test_a_client_names_no_file(place: Place, name: str) -> None:
    for asked in (place.files.read(SPACE, name), place.files.delete(SPACE, name)):
        with pytest.raises(UsageError, match="not a SHA-256"):
            await asked


@pytest.mark.parametrize("size", [3_000_000, 7_000_000])
async def test_a_file_that_moves_to_another_space_is_there_whole(place: Place, size: int) -> None:
    stored = await place.files.put(SPACE, pieces(b"x" * size), size)
    await place.files.copy(SPACE, SPACE, stored.content_hash)
    await place.files.copy(SPACE, OTHER, stored.content_hash)
    await place.files.delete(SPACE, stored.content_hash)
    assert await place.files.read(OTHER, stored.content_hash) == b"x" * size
    assert len(place.held()) == 1


async def test_files_are_as_old_as_their_last_upload(place: Place) -> None:
    one = await place.files.put(SPACE, pieces(b"one"), 10)
    two = await place.files.put(OTHER, pieces(b"two"), 10)
    assert await place.files.older_than(3_600) == ()
    place.age(7_200)
    old = ((SPACE, one.content_hash), (OTHER, two.content_hash))
    assert await place.files.older_than(3_600) == old
    await place.files.put(SPACE, pieces(b"one"), 10)
    assert await place.files.older_than(3_600) == old[1:]


async def test_what_was_put_again_since_it_was_listed_is_not_deleted_as_old(place: Place) -> None:
    one = await place.files.put(SPACE, pieces(b"one"), 10)
    two = await place.files.put(SPACE, pieces(b"two"), 10)
    place.age(7_200)
    listed = await place.files.older_than(3_600)
    assert len(listed) == 2
    await place.files.put(SPACE, pieces(b"one"), 10)
    for _ in range(2):
        for name in listed:
            await place.files.delete(*name, 3_600)
    assert await place.files.read(SPACE, one.content_hash) == b"one"
    with pytest.raises(NotFound):
        await place.files.read(SPACE, two.content_hash)


async def test_what_is_no_file_of_a_space_is_not_listed(place: Place) -> None:
    stored = await place.files.put(SPACE, pieces(b"one"), 10)
    if isinstance(place.files, ObjectFiles):
        for name in ("readme.txt", f"{SPACE}/x", f"{SPACE}/zz/{stored.content_hash}", "", "dir/"):
            place.damage(name, b"")
    place.age(7_200)
    assert await place.files.older_than(3_600) == ((SPACE, stored.content_hash),)


@pytest.mark.parametrize("size", [3, 4_000_000])
async def test_bytes_that_were_changed_are_taken_for_no_file(place: Place, size: int) -> None:
    stored = await place.files.put(SPACE, pieces(b"x" * size), size)
    (name,) = place.held()
    for other in (b"y" * size, b"x" * (size - 1), b"x" * (size + 1), b""):
        place.damage(name, other)
        with pytest.raises(WorkspaceUnavailable, match="original content"):
            await place.files.read(SPACE, stored.content_hash)
        got = list[bytes]()
        with pytest.raises(WorkspaceUnavailable, match="original content"):
            await collect(place.files.pieces(SPACE, stored.content_hash), got)
        assert sum(map(len, got)) < max(len(other), 1)
    await place.files.put(SPACE, pieces(b"x" * size), size)
    assert await place.files.read(SPACE, stored.content_hash) == b"x" * size


async def test_the_same_file_that_is_put_many_times_at_once_is_there_once(place: Place) -> None:
    raw = os.urandom(6 << 20)
    stored = await asyncio.gather(
        *(place.files.put(SPACE, pieces(raw[:1_000], raw[1_000:]), len(raw)) for _ in range(4))
    )
    assert len(set(stored)) == 1
    assert len(place.held()) == 1
    assert await place.files.read(SPACE, stored[0].content_hash) == raw


async def test_spaces_do_not_share_files(place: Place) -> None:
    spaces = [str(uuid4()) for _ in range(3)]
    for space in spaces:
        stored = await place.files.put(space, pieces(b"the same"), 10)
    await place.files.delete(spaces[0], stored.content_hash)
    with pytest.raises(NotFound):
        await place.files.read(spaces[0], stored.content_hash)
    assert await place.files.read(spaces[1], stored.content_hash) == b"the same"


async def test_a_mark_is_kept_beside_the_files_and_is_none_of_them(place: Place) -> None:
    assert await place.files.read_mark() == ""
    for text in ("one", "two"):
        await place.files.mark(text)
        assert await place.files.read_mark() == text
    place.age(7_200)
    assert await place.files.older_than(3_600) == ()
