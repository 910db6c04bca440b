"""An index folder, made by this user or by somebody else."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from pincite.catalog.file import open_catalog
from pincite.daemon.client.open_index import prepare
from pincite.model import CollectionSpec, Source, SourceRecord
from pincite.stores.settings import StoreSettings


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The index folder of a project, whose user has made no index yet."""
    monkeypatch.delenv("PINCITE_TRUST")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project" / ".pincite"
    folder.mkdir(parents=True, mode=0o700)
    monkeypatch.chdir(folder.parent)
    return folder


def fill(root: Path, location: Path, descriptions: Mapping[str, str] = {}, model: str = "") -> None:
    async def write() -> None:
        catalog = open_catalog(root)
        await catalog.put_spec(CollectionSpec("main", "bm25/1", "chunks/1", model=model))
        source = Source("docs", str(location), "folder", descriptions=descriptions)
        await catalog.put_source("main", SourceRecord(source))
        await catalog.close()

    asyncio.run(write())


def ship(root: Path) -> None:
    """Make it the index of somebody else: their id is not one of this user."""
    shutil.rmtree(root.parent.parent / "state", ignore_errors=True)


def use(root: Path) -> None:
    """Open it as a command does that has found it."""
    prepare(root, StoreSettings(), create=False, found=True)


def without_id(root: Path) -> None:
    with closing(sqlite3.connect(root / "catalog.db")) as db:
        db.execute("DROP TABLE identity")
