"""An index as the settings name it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.catalog.file import open_catalog
from pincite.daemon.client.open_index import is_shared, open_index, prepare
from pincite.errors import IndexNotFound
from pincite.model import CollectionSpec
from pincite.ports import Waiting
from pincite.profile import Profile
from pincite.settings.load import Settings, load_settings


def test_nothing_is_started_before_the_first_request(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "index", tmp_path / "models", Profile())
    with pytest.raises(IndexNotFound, match="no index exists at"):
        prepare(settings.index, settings.store, create=False)
    prepare(settings.index, settings.store, create=True)
    before = set(settings.index.iterdir())

    async def use() -> None:
        index = open_index(settings)
        await index.leave()
        await index.close()

    asyncio.run(use())
    assert set(settings.index.iterdir()) == before


def test_who_writes_has_a_lease_that_every_opened_index_sees(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "index", tmp_path / "models", Profile())
    prepare(settings.index, settings.store, create=True)

    async def use() -> None:
        one, other = open_index(settings), open_index(settings)
        async with one.leases.take("main", "indexing docs", Waiting(60.0)):
            assert other.leases.is_any_taken()
        assert not other.leases.is_any_taken()

    asyncio.run(use())


def test_a_catalog_that_a_failed_first_run_left_is_no_index_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text(
        '[store]\nkind = "qdrant"\nurl = "http://127.0.0.1:9"\n'
        '[workspace]\ndatabase = "postgresql://works@127.0.0.1/pincite"\n'
    )
    environ = {"PINCITE_CONFIG": str(tmp_path / "pincite.toml")}
    settings = load_settings(environ, tmp_path, tmp_path / "index")
    settings.index.mkdir()

    async def write(*names: str) -> None:
        catalog = open_catalog(settings.index)
        for name in names:
            await catalog.put_spec(CollectionSpec(name, "bm25/1", "chunks/1"))
        await catalog.close()

    assert is_shared(settings)
    asyncio.run(write())
    assert is_shared(settings)
    asyncio.run(write("main"))
    assert not is_shared(settings)
