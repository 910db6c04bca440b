"""Uploaded files in PostgreSQL: whole or not at all, named by their content."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator

import psycopg
import pytest

from pincite.errors import NotFound, UsageError, WorkspaceUnavailable
from pincite.support.databases.postgres import Pool
from pincite.workspace.files.database import DatabaseFiles
from pincite.workspace.files.file_store import TooMuch
from tests.workspace.postgres_server import Database

SPACE = "00000000-0000-4000-8000-000000000001"
OTHER = "00000000-0000-4000-8000-000000000002"
pytestmark = pytest.mark.anyio


@pytest.fixture
async def files(database: Database) -> AsyncIterator[DatabaseFiles]:
    opened = DatabaseFiles(Pool(database.operator))
    yield opened
    await opened.close()


async def pieces(*given: bytes, fault: BaseException | None = None) -> AsyncIterator[bytes]:
    for one in given:
        yield one
    if fault:
        raise fault


def left(database: Database) -> tuple[int, int]:
    with psycopg.connect(database.superuser) as connection:
        counted = connection.execute(
            "SELECT (SELECT count(*) FROM pincite_index.files),"
            " (SELECT count(*) FROM pincite_index.file_pieces)"
        ).fetchone()
    assert counted is not None
    return counted[0], counted[1]


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2_500_000])
async def test_a_file_is_read_as_it_was_put(files: DatabaseFiles, size: int) -> None:
    raw = bytes(n % 251 for n in range(size))
    stored = await files.put(SPACE, pieces(raw[:7], raw[7:900_000], raw[900_000:]), size)
    assert (stored.content_hash, stored.size) == (hashlib.sha256(raw).hexdigest(), size)
    assert await files.read(SPACE, stored.content_hash) == raw


async def test_the_same_again_is_kept_once_and_is_young_again(
    files: DatabaseFiles, database: Database
) -> None:
    first = await files.put(SPACE, pieces(b"one"), 100)
    with psycopg.connect(database.superuser) as connection:
        connection.execute("UPDATE pincite_index.files SET put = put - interval '2 hours'")
    assert await files.older_than(3_600) == ((SPACE, first.content_hash),)
    assert await files.put(SPACE, pieces(b"o", b"ne"), 100) == first
    assert await files.older_than(3_600) == ()
    assert left(database) == (1, 1)
    await asyncio.gather(*(files.put(SPACE, pieces(b"two"), 100) for _ in range(5)))
    assert left(database) == (2, 2)


async def test_a_space_does_not_have_the_files_of_another(files: DatabaseFiles) -> None:
    stored = await files.put(SPACE, pieces(b"one"), 100)
    with pytest.raises(NotFound):
        await files.read(OTHER, stored.content_hash)
    await files.copy(SPACE, OTHER, stored.content_hash)
    await files.copy(SPACE, OTHER, stored.content_hash)
    await files.delete(SPACE, stored.content_hash)
    await files.delete(SPACE, stored.content_hash)
    assert await files.read(OTHER, stored.content_hash) == b"one"
    with pytest.raises(NotFound):
        await files.copy(SPACE, OTHER, stored.content_hash)


@pytest.mark.parametrize("fault", [ConnectionError("gone"), asyncio.CancelledError()])
async def test_nothing_stays_of_an_upload_that_ended_early(
    files: DatabaseFiles, database: Database, fault: BaseException
) -> None:
    with pytest.raises(type(fault)):
        await files.put(SPACE, pieces(b"x" * 1_500_000, fault=fault), 10_000_000)
    with pytest.raises(TooMuch):
        await files.put(SPACE, pieces(b"12345", b"6"), 5)
    assert left(database) == (0, 0)


@pytest.mark.parametrize("size", [(1 << 20) + 1, 2 << 20, 2_500_000])
@pytest.mark.parametrize("known", [True, False])
async def test_an_upload_that_was_taken_for_ended_takes_nothing_along(
    files: DatabaseFiles, database: Database, size: int, known: bool
) -> None:
    raw = b"x" * size
    if known:
        await files.put(SPACE, pieces(raw), size)
    there = left(database)

    async def swept() -> AsyncIterator[bytes]:
        yield raw
        with psycopg.connect(database.superuser) as connection:
            connection.execute("DELETE FROM pincite_index.files WHERE content_hash IS NULL")

    with pytest.raises(WorkspaceUnavailable, match="took too long"):
        await files.put(SPACE, swept(), size)
    assert left(database) == there
    if known:
        assert await files.read(SPACE, hashlib.sha256(raw).hexdigest()) == raw


async def test_a_small_file_waits_for_nothing_that_could_be_taken_for_ended(
    files: DatabaseFiles, database: Database
) -> None:
    """It is sent as a whole, and puts right what is damaged."""

    async def slow() -> AsyncIterator[bytes]:
        yield b"on"
        assert left(database) == (0, 0)
        yield b"e"

    stored = await files.put(SPACE, slow(), 100)
    with psycopg.connect(database.superuser) as connection:
        connection.execute("UPDATE pincite_index.file_pieces SET bytes = 'two'")
    with pytest.raises(WorkspaceUnavailable, match="no longer has its original content"):
        await files.read(SPACE, stored.content_hash)
    copies = (files.copy(OTHER, SPACE, stored.content_hash) for _ in range(3))
    await files.put(OTHER, pieces(b"one"), 100)
    await asyncio.gather(*copies, *(files.put(SPACE, pieces(b"one"), 100) for _ in range(3)))
    assert await files.read(SPACE, stored.content_hash) == b"one"
    assert left(database) == (2, 2)


@pytest.mark.parametrize("space", ["../x", "", SPACE.upper() + "A", "0' OR '1'='1"])
async def test_ids_that_are_none_are_refused(files: DatabaseFiles, space: str) -> None:
    for name in (SPACE, space):
        with pytest.raises(UsageError):
            await files.read(name, "../../etc/passwd")
    with pytest.raises(UsageError):
        await files.put(space, pieces(b"one"), 100)


async def test_a_database_that_is_away_is_named_and_no_address_is() -> None:
    files = DatabaseFiles(Pool("postgresql://a:s3cret@127.0.0.1:1/database"))
    with pytest.raises(WorkspaceUnavailable) as caught:
        await files.read(SPACE, "0" * 64)
    assert "out of reach" in str(caught.value)
    assert "s3cret" not in repr(caught.value)
