"""Uploaded files have one database: beside another one, none of them is deleted."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from pincite.errors import ConfigError, WorkspaceUnavailable
from pincite.settings.load import Settings, load_settings
from pincite.workspace.database.open import workspaces_of
from pincite.workspace.deployment import Deployment, adopt, open_deployment
from pincite.workspace.files.file_store import ANY_AGE_S, MARK
from pincite.workspace.files.one_database import bind_files, sweep_files
from tests.quick_folder import quick_folder
from tests.workspace.postgres_server import Database, Server
from tests.workspace.s3_server import BUCKET, S3, Answer

pytestmark = pytest.mark.anyio

TEXTS = ("the quetzal flies", "the heron wades", "the turnstile turns")
OF_OTHERS = "belong to another database"
KNOWS_NONE = "knows none of 3 uploaded files"


@pytest.fixture
def folder() -> Iterator[Path]:
    with quick_folder() as made:
        yield made


def settings_of(folder: Path, database: Database | None = None) -> Settings:
    environ = {"PINCITE_OFFLINE": "1", "PINCITE_IDLE_S": "60", "PINCITE_INDEX": str(folder / "i")}
    if database is not None:
        environ["PINCITE_DATABASE_URL"] = database.app
        environ["PINCITE_DATABASE_OPERATOR_URL"] = database.operator
        environ["PINCITE_DATABASE_OWNER_URL"] = database.owner
    return load_settings(environ, folder)


async def migrated_of(settings: Settings) -> Settings:
    workspaces = workspaces_of(settings)
    await workspaces.migrate()
    await workspaces.close()
    return settings


async def pieces(text: str) -> AsyncIterator[bytes]:
    yield text.encode()


async def upload(opened: Deployment, *texts: str, recorded: bool = True) -> str:
    """Documents of a new user, or files without one; returns the space."""
    async with opened.workspaces.administration() as operator:
        user = await operator.add_user("Ada")
    for text in texts:
        stored = await opened.files.put(user.personal, pieces(text), 1_000)
        if recorded:
            async with opened.workspaces.of(user.id) as session:
                await session.add_document(user.personal, "a.md", stored.content_hash, stored.size)
    return user.personal


async def fill(settings: Settings) -> Settings:
    """A deployment with three documents, whose files are old."""
    async with open_deployment(await migrated_of(settings), lexical=True) as opened:
        await upload(opened, *TEXTS)
    for path in held(settings):
        os.utime(path, (0, 0))
    return settings


def held(settings: Settings) -> list[Path]:
    return sorted((settings.index / "files").glob("*/??/*"))


async def swept(opened: Deployment, new_s: float = -1) -> int:
    return await sweep_files(opened.workspaces, opened.files, 3_600, new_s)


async def refused(settings: Settings, match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        async with open_deployment(settings, lexical=True):
            pass
    assert len(held(settings)) == len(TEXTS)


@pytest.fixture(params=["sqlite", "postgres"])
async def lost(request: pytest.FixtureRequest, folder: Path) -> Settings:
    """Three documents whose database is lost: settings of a new one, with the same folder."""
    if request.param == "sqlite":
        settings = await fill(settings_of(folder))
        (settings.index / "workspaces.db").rename(folder / "backup.db")
        return await migrated_of(settings)
    postgres: Server = request.getfixturevalue("postgres")
    await fill(settings_of(folder, postgres.database()))
    return await migrated_of(settings_of(folder, postgres.database()))


async def test_a_new_database_is_refused_by_files_of_a_lost_one(lost: Settings) -> None:
    await refused(lost, OF_OTHERS)
    with pytest.raises(ConfigError, match=KNOWS_NONE):
        await adopt(lost)
    await refused(lost, OF_OTHERS)


async def test_a_restored_database_is_that_of_the_files(folder: Path) -> None:
    settings = await fill(settings_of(folder))
    place = settings.index / "workspaces.db"
    place.rename(folder / "backup.db")
    await migrated_of(settings)
    await refused(settings, OF_OTHERS)
    (folder / "backup.db").replace(place)
    async with open_deployment(settings, lexical=True) as opened:
        assert await swept(opened) == 0
    assert len(held(settings)) == len(TEXTS)


async def test_a_folder_of_postgres_is_not_opened_with_a_file(
    folder: Path, postgres: Server
) -> None:
    await fill(settings_of(folder, postgres.database()))
    await refused(await migrated_of(settings_of(folder)), OF_OTHERS)


async def test_files_of_an_earlier_version_are_bound_to_the_database_that_knows_one(
    folder: Path,
) -> None:
    settings = await fill(settings_of(folder))
    mark = settings.index / "files" / MARK
    before = mark.read_text().partition(" ")[0]
    mark.unlink()
    async with open_deployment(settings, lexical=True):
        assert mark.read_text().partition(" ")[0] == before
    mark.unlink()
    (settings.index / "workspaces.db").unlink()
    await migrated_of(settings)
    await refused(settings, KNOWS_NONE)
    assert not mark.exists()


async def test_a_database_that_replaces_another_is_adopted_if_it_knows_a_file(
    folder: Path,
) -> None:
    settings = await fill(settings_of(folder))
    mark = settings.index / "files" / MARK
    mark.write_text(f"{'0' * 8}-0000-4000-8000-{'0' * 12} 2026-01-01T00:00:00+00:00")
    await refused(settings, OF_OTHERS)
    assert await adopt(settings)
    assert not await adopt(settings)
    async with open_deployment(settings, lexical=True):
        pass


@pytest.mark.parametrize("text", ["x", "x" * 5_000, "\0\n", "0 2026-01-01"])
async def test_a_damaged_mark_is_refused_and_made_anew(folder: Path, text: str) -> None:
    settings = await fill(settings_of(folder))
    (settings.index / "files" / MARK).write_text(text)
    await refused(settings, "is damaged")
    assert await adopt(settings)
    async with open_deployment(settings, lexical=True):
        pass


async def test_a_database_that_is_exchanged_under_a_worker_is_noticed(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = await fill(settings_of(folder))
    async with open_deployment(settings, lexical=True) as opened:
        other = await migrated_of(settings_of(folder / "other"))
        workspaces = workspaces_of(other)
        assert await sweep_files(workspaces, opened.files, 3_600, -1) == 0
        await workspaces.close()
    assert len(held(settings)) == len(TEXTS)
    assert "not swept: the uploaded files belong to another database" in caplog.text


async def test_files_that_are_new_to_a_database_are_not_swept(folder: Path) -> None:
    settings = await migrated_of(settings_of(folder))
    async with open_deployment(settings, lexical=True) as opened:
        await upload(opened, "needed")
        await upload(opened, *TEXTS, recorded=False)
        for path in held(settings):
            os.utime(path, (0, 0))
        assert await swept(opened, 3_600) == 0
        assert len(held(settings)) == 4
        assert await swept(opened) == 3


async def test_nothing_is_swept_by_a_database_that_knows_no_file(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Such as a new one to whose empty folder a backup was added."""
    settings = await migrated_of(settings_of(folder))
    async with open_deployment(settings, lexical=True) as opened:
        space = await upload(opened, *TEXTS, recorded=False)
        for path in held(settings):
            os.utime(path, (0, 0))
        assert await swept(opened) == 0
        assert f"not swept: the database of workspaces {KNOWS_NONE}" in caplog.text
        await upload(opened, "needed")
        caplog.clear()
        assert await swept(opened) == 3
    assert "3 uploaded files deleted that no document needs; 0 kept" in caplog.text
    assert space not in caplog.text  # a line of each file is for logs with the level INFO


async def test_a_bucket_is_bound_too_and_may_be_away_at_the_start(
    folder: Path, s3: S3, caplog: pytest.LogCaptureFixture
) -> None:
    folder.joinpath("pincite.toml").write_text(
        f'[workspace]\nfiles = "s3://{BUCKET}/a"\n[workspace.s3]\nendpoint = "{s3.url}"\n'
    )
    settings = await migrated_of(settings_of(folder))
    s3.fault = lambda _: Answer(403)
    async with open_deployment(settings, lexical=True) as opened:
        assert "uploaded files are not checked" in caplog.text
        with pytest.raises(WorkspaceUnavailable):
            await swept(opened)
        s3.fault = lambda _: None
        await upload(opened, *TEXTS)
        assert await swept(opened) == 0
        assert f"a/{MARK}" in s3.names()
        assert len(await opened.files.older_than(ANY_AGE_S)) == len(TEXTS)
    (settings.index / "workspaces.db").unlink()
    with pytest.raises(ConfigError, match=OF_OTHERS):
        async with open_deployment(await migrated_of(settings), lexical=True):
            pass
    assert len(s3.names()) == 1 + len(TEXTS)


async def test_processes_that_start_at_once_agree(folder: Path) -> None:
    settings = await migrated_of(settings_of(folder))
    async with (
        open_deployment(settings, lexical=True) as one,
        open_deployment(settings, lexical=True) as two,
    ):
        bound = await bind_files(one.workspaces, one.files)
        assert bound == await bind_files(two.workspaces, two.files)
