"""One file says whether there is an index in a folder."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pincite.catalog.file import FILES, holds_index, open_catalog


def test_a_folder_holds_an_index_once_its_catalog_is_there(tmp_path: Path) -> None:
    assert not holds_index(tmp_path / "none")
    assert not holds_index(tmp_path)
    catalog = open_catalog(tmp_path)
    assert holds_index(tmp_path)
    assert all((tmp_path / name).is_file() for name in FILES)
    asyncio.run(catalog.close())
    assert holds_index(tmp_path)


def test_what_cannot_be_an_index_folder_holds_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "odd" / FILES[0]).mkdir(parents=True)
    for name in ("file", "loop", "odd", "x" * 5_000, "no\0name"):
        assert not holds_index(tmp_path / name)
