"""A database on a server has one index: others are refused, with what to do."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.errors import ConfigError
from pincite.settings.load import Settings, load_settings
from pincite.workspace.database.one_index import FILE, adopt_index, require_one_index
from pincite.workspace.deployment import open_deployment
from tests.quick_folder import quick_folder
from tests.workspace.postgres_server import Database

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder() -> Iterator[Path]:
    with quick_folder() as made:
        yield made


def settings_of(folder: Path, database: Database, **over: str) -> Settings:
    folder.mkdir(parents=True, exist_ok=True)
    environ = {
        "PINCITE_DATABASE_URL": database.app,
        "PINCITE_DATABASE_OPERATOR_URL": database.operator,
        "PINCITE_OFFLINE": "1",
        **over,
    }
    return load_settings(environ, folder, folder / "index")


async def test_a_second_folder_is_refused_until_it_is_adopted(
    database: Database, folder: Path
) -> None:
    first, second = (settings_of(folder / name, database) for name in "ab")
    async with open_deployment(first, lexical=True):
        pass
    with pytest.raises(ConfigError, match="its index in another index folder") as raised:
        async with open_deployment(second, lexical=True):
            pass
    assert "pincite workspace adopt" in str(raised.value.hint)
    await require_one_index(first)

    assert await adopt_index(second)
    assert not await adopt_index(second)
    await require_one_index(second)
    with pytest.raises(ConfigError):
        await require_one_index(first)


async def test_a_folder_that_was_moved_is_the_same_index(database: Database, folder: Path) -> None:
    before = settings_of(folder / "a", database)
    await require_one_index(before)
    shutil.move(folder / "a", folder / "moved")
    await require_one_index(settings_of(folder / "moved", database))
    assert not (folder / "a").exists()


async def test_an_index_on_servers_and_one_in_a_folder_are_two(
    database: Database, folder: Path
) -> None:
    shared = settings_of(folder / "a", database, QDRANT_URL="http://127.0.0.1:1")
    (folder / "a" / "pincite.toml").write_text('extends = "workspace"\n')
    shared = settings_of(folder / "a", database, QDRANT_URL="http://127.0.0.1:1")
    await require_one_index(shared)
    with pytest.raises(ConfigError, match="its index of several machines"):
        await require_one_index(settings_of(folder / "b", database))
    assert not (folder / "a" / "index").exists()


async def test_processes_that_begin_at_once_agree_on_one(database: Database, folder: Path) -> None:
    same = settings_of(folder / "a", database)
    others = [settings_of(folder / f"b{n}", database) for n in range(4)]
    asked = [same, same, *others, same]
    results = await asyncio.gather(*map(require_one_index, asked), return_exceptions=True)
    held = [one.index for one, result in zip(asked, results, strict=True) if result is None]
    assert len(set(held)) == 1
    assert all(isinstance(one, ConfigError) for one in results if one is not None)
    assert {p.name for p in (folder / "a" / "index").iterdir()} == {FILE, ".gitignore"}


@pytest.mark.parametrize("text", ["", "x" * 5_000, "\0\n"])
async def test_a_name_that_was_damaged_is_said_and_can_be_made_anew(
    database: Database, folder: Path, text: str
) -> None:
    settings = settings_of(folder / "a", database)
    await require_one_index(settings)
    (folder / "a" / "index" / FILE).write_text(text)
    with pytest.raises(ConfigError, match="is damaged"):
        await require_one_index(settings)
    assert await adopt_index(settings)
    await require_one_index(settings)


async def test_a_file_of_workspaces_has_nothing_to_adopt(folder: Path) -> None:
    settings = load_settings({"PINCITE_OFFLINE": "1"}, folder, folder / "index")
    await require_one_index(settings)
    with pytest.raises(ConfigError, match="workspaces are in a file"):
        await adopt_index(settings)
    assert not (folder / "index").exists()
