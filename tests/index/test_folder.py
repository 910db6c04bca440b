"""The store that an index folder records."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from pincite.catalog.file import open_catalog
from pincite.errors import ConfigError
from pincite.index.folder import remember, remembered
from pincite.model import CollectionSpec
from pincite.stores.settings import StoreSettings

CHROMA = StoreSettings(kind="chroma")
SQLITE = StoreSettings(kind="sqlite")


def test_a_store_may_change_until_the_folder_has_a_catalog(tmp_path: Path) -> None:
    """The first one could not be opened, for example because its package is missing."""
    remember(tmp_path, CHROMA)
    owner = remembered(tmp_path).owner
    remember(tmp_path, SQLITE)
    assert remembered(tmp_path).settings == SQLITE
    assert remembered(tmp_path).owner == owner != ""


async def _catalog_with(folder: Path, *names: str) -> None:
    catalog = open_catalog(folder)
    for name in names:
        await catalog.put_spec(CollectionSpec(name, "bm25/1", "chunks/1"))
    await catalog.close()


def test_a_store_may_change_until_the_catalog_has_a_collection(tmp_path: Path) -> None:
    """The address of its server was mistyped: nothing was written there."""
    remember(tmp_path, CHROMA)
    asyncio.run(_catalog_with(tmp_path))
    with pytest.raises(ConfigError, match="while a process has it open") as refused:
        remember(tmp_path, SQLITE, lambda root: root == tmp_path)
    assert refused.value.hint == "pincite stop"
    remember(tmp_path, SQLITE, lambda root: False)
    assert remembered(tmp_path).settings == SQLITE


def test_the_store_of_an_index_with_a_broken_catalog_stays(tmp_path: Path) -> None:
    remember(tmp_path, CHROMA)
    (tmp_path / "catalog.db").write_bytes(b"no database")
    with pytest.raises(ConfigError, match="has its points in chroma"):
        remember(tmp_path, SQLITE)


def test_the_store_of_an_index_stays(tmp_path: Path) -> None:
    remember(tmp_path, CHROMA)
    asyncio.run(_catalog_with(tmp_path, "main"))
    with pytest.raises(ConfigError, match="has its points in chroma, but the settings name sqlite"):
        remember(tmp_path, SQLITE)
    remember(tmp_path, CHROMA)
    assert remembered(tmp_path).settings == CHROMA


def test_a_store_may_have_no_time_limit(tmp_path: Path) -> None:
    endless = StoreSettings(kind="chroma", timeout_s=math.inf)
    remember(tmp_path, endless)
    assert b'"timeout_s":null' in (tmp_path / "store.json").read_bytes()
    assert remembered(tmp_path).settings == endless
    remember(tmp_path, CHROMA)
    assert remembered(tmp_path).settings == CHROMA
