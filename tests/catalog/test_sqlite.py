from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import anyio
import pytest
from msgspec import structs

from pincite.catalog.schema import MIGRATIONS
from pincite.catalog.sqlite import _SOURCES, SqliteCatalog
from pincite.errors import DiskFull, IndexTooNew, StoreError
from pincite.model import TermCounts
from pincite.ports import Catalog
from pincite.support.fields import replace
from pincite.testing.catalogs import CatalogContract, counts_of, record_of
from pincite.testing.points import DENSE_SPEC
from tests.disks import fill, small_disk
from tests.quick_folder import quick_folder


class TestInMemory(CatalogContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Catalog]:
        catalog = SqliteCatalog(":memory:")
        yield catalog
        await catalog.close()


class TestInAFile(CatalogContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Catalog]:
        with quick_folder() as folder:
            catalog = SqliteCatalog(folder / "catalog.db")
            yield catalog
            await catalog.close()


def test_what_was_put_is_there_after_the_process_died(tmp_path: Path) -> None:
    first = SqliteCatalog(tmp_path / "catalog.db")
    anyio.run(first.put_spec, DENSE_SPEC)
    anyio.run(first.put, "main", [record_of("a.md", "r1")])
    second = SqliteCatalog(tmp_path / "catalog.db")  # while the first one was never closed
    assert len(anyio.run(second.documents, "main")) == 1
    anyio.run(second.close)
    anyio.run(first.close)


def test_a_newer_schema_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(IndexTooNew, match="newer version"):
        SqliteCatalog(path)


def test_a_catalog_of_schema_3_gets_room_for_attributes(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    old = record_of("a.md", "r1")
    with closing(sqlite3.connect(path)) as db:
        for script in MIGRATIONS[:3]:
            db.executescript(script)
        db.execute("PRAGMA user_version = 3")
        spec = '{"name":"main","sparse":"s","chunker":"c"}'
        db.execute("INSERT INTO collections VALUES ('main', ?)", (spec,))
        new = ("attributes", "inherited", "chunk_attributes", "embedded")
        values = [getattr(old, one.name) for one in structs.fields(old) if one.name not in new]
        marks = ", ".join("?" * (len(values) + 2))
        db.execute(f"INSERT INTO documents VALUES ({marks})", ("main", *values, b""))
        db.commit()
    catalog = SqliteCatalog(path)
    assert anyio.run(catalog.documents, "main") == (replace(old, embedded=False),)
    assert anyio.run(catalog.totals, "main").unembedded == old.chunks
    fresh = replace(old, attributes={"due": "2026-11-22", "n": 2**60, "l": ("a", "b"), "w": 2.0})
    fresh = replace(fresh, inherited={"visible": False, "course": "文書"})
    anyio.run(catalog.put, "main", [fresh])
    (held,) = anyio.run(catalog.documents, "main")
    assert held == fresh
    assert anyio.run(catalog.records, "main", ["r1"]) == {"r1": fresh}
    assert isinstance(held.all_attributes["w"], float)
    assert held.all_attributes["visible"] is False
    anyio.run(catalog.close)


@pytest.mark.parametrize("size", [10, 5_000])
def test_a_file_of_noise_is_a_store_error_with_a_hint(tmp_path: Path, size: int) -> None:
    path = tmp_path / "catalog.db"
    path.write_bytes(b"noise" * size)
    with pytest.raises(StoreError) as caught:
        SqliteCatalog(path)
    assert caught.value.hint


def test_damage_that_shows_later_is_a_store_error(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    catalog = SqliteCatalog(path)
    anyio.run(catalog.put_spec, DENSE_SPEC)
    anyio.run(catalog.put, "main", [record_of(f"{n}.md", f"r{n}") for n in range(500)])
    anyio.run(catalog.close)
    with closing(sqlite3.connect(path)) as db:
        sql = "SELECT rootpage FROM sqlite_master WHERE name = 'documents'"
        page = db.execute(sql).fetchone()[0]
    raw = bytearray(path.read_bytes())
    raw[4096 * (page - 1) : 4096 * page] = b"\xff" * 4096
    path.write_bytes(raw)
    catalog = SqliteCatalog(path)
    with pytest.raises(StoreError):
        anyio.run(catalog.documents, "main")
    anyio.run(catalog.close)


def test_a_full_disk_is_named_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    catalog = SqliteCatalog(path)
    anyio.run(catalog.put_spec, DENSE_SPEC)
    anyio.run(catalog.put, "main", [record_of("a.md", "r1")])
    with closing(sqlite3.connect(path)) as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
    catalog._db.execute(f"PRAGMA max_page_count = {pages}")  # as if the disk ended here
    with pytest.raises(DiskFull):
        anyio.run(catalog.put, "main", [record_of(f"{n}.md", f"r{n}") for n in range(500)])
    assert len(anyio.run(catalog.documents, "main")) == 1
    catalog._db.execute("PRAGMA max_page_count = 100000")
    anyio.run(catalog.put, "main", [record_of("b.md", "r2")])
    assert len(anyio.run(catalog.documents, "main")) == 2
    anyio.run(catalog.close)


def test_a_catalog_that_cannot_be_opened_on_a_full_disk_is_not_called_broken(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path, 8) as disk:
        catalog = SqliteCatalog(disk / "catalog.db")
        anyio.run(catalog.put_spec, DENSE_SPEC)
        anyio.run(catalog.close)
        fill(disk, 0)
        with pytest.raises(DiskFull, match=r"0\.0 MB are free at") as caught:
            SqliteCatalog(disk / "catalog.db")
        assert str(disk) in caught.value.message
        assert "intact" in caught.value.message
        assert "make room" in caught.value.hint
        (disk / "filler").unlink()
        again = SqliteCatalog(disk / "catalog.db")
        assert anyio.run(again.specs) == (DENSE_SPEC,)
        anyio.run(again.close)


def test_counts_are_the_same_before_and_after_they_are_merged_and_in_the_next_process(
    tmp_path: Path,
) -> None:
    async def check() -> None:
        catalog = SqliteCatalog(tmp_path / "catalog.db")
        await catalog.put_spec(DENSE_SPEC)
        for number in range(8):  # terms enough to be merged twice
            terms = range(number * 5_000, number * 5_000 + 10_000)
            await catalog.put(
                "main",
                [record_of(f"{number}.md", f"r{number}")],
                {f"r{number}": counts_of(2, *terms)},
            )
        expected = TermCounts(16, {0: 2, 5_000: 4, 39_999: 2 * 1 + 2, 44_999: 2})
        asked = (0, 5_000, 39_999, 44_999, 45_000)
        assert await catalog.frequencies("main", asked) == expected
        again = SqliteCatalog(tmp_path / "catalog.db")  # while the first one was never closed
        assert await again.frequencies("main", asked) == expected
        await again.delete("main", [f"r{number}" for number in range(8)])
        assert await again.frequencies("main", asked) == TermCounts()
        for one in (catalog, again):
            await one.close()
        with closing(sqlite3.connect(tmp_path / "catalog.db")) as db:
            assert db.execute("SELECT count(*) FROM terms").fetchone()[0] > 0

    anyio.run(check)


def test_a_document_of_many_is_read_and_changed_without_a_look_at_the_others() -> None:
    async def steps(documents: int) -> list[int]:
        """Thousands of instructions of SQLite that each request takes."""
        catalog = SqliteCatalog(":memory:")
        await catalog.put_spec(DENSE_SPEC)
        held = [record_of(f"p{number:05}.md", f"r{number}") for number in range(documents)]
        await catalog.put("main", held)
        taken, counted = [], 0

        def count() -> int:
            nonlocal counted
            counted += 1
            return 0

        connection = catalog._db
        connection.set_progress_handler(count, 10)
        place = ("acme/docs", "p00100.md")
        for request in (
            lambda: catalog.records("main", ["r100"]),
            lambda: catalog.revisions_of("main", [place]),
            lambda: catalog.refs("main", [place]),
            lambda: catalog.chunk_ids("main", [place]),
            lambda: catalog.documents("main", "acme/docs", place, 1),
            lambda: catalog.documents("main", None, place, 1),
            lambda: catalog.totals("main"),
            lambda: catalog.put("main", [replace(held[100], revision="new")]),
            lambda: catalog.delete("main", ["new"]),
        ):
            counted = 0
            await request()
            taken.append(counted)
        connection.set_progress_handler(None, 0)
        await catalog.close()
        return taken

    few, many = anyio.run(steps, 200), anyio.run(steps, 4_000)
    assert all(after <= 2 * before + 10 for before, after in zip(few, many, strict=True)), (
        few,
        many,
    )


def test_names_of_collections_without_sources_do_not_fill_the_memory() -> None:
    """Anybody may ask for collections that do not exist."""

    async def kept() -> int:
        catalog = SqliteCatalog(":memory:")
        for number in range(_SOURCES + 5):
            assert await catalog.sources(f"c{number}") == ()
        assert await catalog.sources("c1") == ()
        kept = len(catalog._sources.current())
        await catalog.close()
        return kept

    assert 0 < anyio.run(kept) <= _SOURCES
