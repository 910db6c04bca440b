"""Outlines in the catalog of an index folder."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from pincite.catalog import outlines
from pincite.catalog.schema import MIGRATIONS
from pincite.catalog.sqlite import SqliteCatalog
from pincite.model.outline import Outline
from pincite.support.databases.sqlite_schema import migrate
from pincite.support.fields import replace
from pincite.testing.catalogs import record_of
from pincite.testing.points import DENSE_SPEC

A, B = (record_of(f"{name}.md", f"{name}1") for name in "ab")
PLACES = [("acme/docs", "a.md"), ("acme/docs", "b.md"), ("acme/docs", "c.md")]
IDS = {"a1": ("a" * 32, "b" * 32), "b1": ("c" * 32, "d" * 32)}
ONE, OTHER = Outline(b"one", b"", (" ",)), Outline(b"other", b"paths")

pytestmark = pytest.mark.anyio


@pytest.fixture
async def catalog(tmp_path: Path) -> AsyncIterator[SqliteCatalog]:
    opened = SqliteCatalog(tmp_path / "catalog.db")
    await opened.put_spec(DENSE_SPEC)
    await opened.put("main", [A, B], {}, IDS)
    yield opened
    await opened.close()


async def held(catalog: SqliteCatalog) -> dict[str, Outline]:
    found = await catalog.outlines("main", PLACES)
    return {path: one.outline for (_, path), one in found.items()}


async def missing(catalog: SqliteCatalog) -> list[str]:
    return [path for _, path, _ in await catalog.without_outline("main", ("", ""), 10)]


async def test_outlines_belong_to_revisions(catalog: SqliteCatalog) -> None:
    assert (await held(catalog), await missing(catalog)) == ({}, ["a.md", "b.md"])
    await catalog.put_outline("main", "a1", ONE)
    await catalog.put_outline("main", "nowhere", OTHER)
    assert (await held(catalog), await missing(catalog)) == ({"a.md": ONE}, ["b.md"])
    found = (await catalog.outlines("main", PLACES))[PLACES[0]]
    assert (found.content_hash, found.ids.hex()) == (A.content_hash, "".join(IDS["a1"]))
    await catalog.put_outline("main", "a1", OTHER)
    await catalog.put("main", [replace(A, ref="beef")])
    assert await held(catalog) == {"a.md": OTHER}
    assert await catalog.outlines("other", PLACES) == {}


async def test_a_document_that_can_have_none_is_not_missing_one(catalog: SqliteCatalog) -> None:
    await catalog.put_outline("main", "a1", None)
    assert (await held(catalog), await missing(catalog)) == ({}, ["b.md"])


async def test_missing_ones_are_listed_page_by_page(catalog: SqliteCatalog) -> None:
    assert await catalog.without_outline("main", ("", ""), 1) == [("acme/docs", "a.md", "a1")]
    rest = await catalog.without_outline("main", ("acme/docs", "a.md"), 1)
    assert rest == [("acme/docs", "b.md", "b1")]
    assert await catalog.without_outline("main", ("acme/docs", "b.md"), 1) == []


async def test_an_outline_goes_with_the_chunks(catalog: SqliteCatalog, tmp_path: Path) -> None:
    """They are replaced, cut anew under the same revision, removed, or forgotten."""
    changes: tuple[Callable[[], Awaitable[None]], ...] = (
        lambda: catalog.put("main", [replace(A, revision="a2")], {}, {"a2": IDS["a1"]}),
        lambda: catalog.put("main", [A], {}, {"a1": IDS["b1"]}),
        lambda: catalog.delete("main", ["a1"]),
        lambda: catalog.forget_outlines("main", ["a1", "nowhere"]),
    )
    for change in changes:
        await catalog.put("main", [A], {}, IDS)
        await catalog.put_outline("main", "a1", ONE)
        await catalog.put_outline("main", "b1", OTHER)
        await change()
        assert await held(catalog) == {"b.md": OTHER}
        with closing(sqlite3.connect(tmp_path / "catalog.db")) as database:
            assert database.execute("SELECT revision FROM outlines").fetchall() == [("b1",)]
    await catalog.drop("main")
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as database:
        assert database.execute("SELECT count(*) FROM outlines").fetchone() == (0,)


async def test_outlines_of_another_version_are_missing(
    catalog: SqliteCatalog, tmp_path: Path
) -> None:
    await catalog.put_outline("main", "a1", ONE)
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as database:
        database.execute("UPDATE outlines SET version = version + 1, body = x'00'")
        database.commit()
    assert (await held(catalog), await missing(catalog)) == ({}, ["a.md", "b.md"])
    await catalog.put_outline("main", "a1", OTHER)
    assert (await held(catalog), await missing(catalog)) == ({"a.md": OTHER}, ["b.md"])


async def test_ids_of_other_chunks_leave_an_outline_out(
    catalog: SqliteCatalog, tmp_path: Path
) -> None:
    await catalog.put_outline("main", "a1", ONE)
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as database:
        database.execute("UPDATE documents SET chunk_ids = x''")
        database.commit()
    assert await held(catalog) == {}


async def test_a_catalog_of_an_earlier_version_has_no_outlines_yet(tmp_path: Path) -> None:
    place = tmp_path / "catalog.db"
    earlier = MIGRATIONS[: MIGRATIONS.index(outlines.TABLE)]
    with closing(sqlite3.connect(place, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        migrate(database, earlier, "the catalog")
        database.execute("INSERT INTO collections VALUES ('main', '{}')")
        database.execute(
            "INSERT INTO documents (collection, source, path, revision, content_hash, ref, size,"
            " mtime_ns, chunks, tokens, source_type, chunk_ids)"
            " VALUES ('main', 'acme/docs', 'a.md', 'a1', '00', '', 1, 1, 2, 1, 'docs', ?)",
            (bytes(32),),
        )
    catalog = SqliteCatalog(place)
    assert (await held(catalog), await missing(catalog)) == ({}, ["a.md"])
    await catalog.put_outline("main", "a1", ONE)
    assert await held(catalog) == {"a.md": ONE}
    await catalog.close()


async def test_outlines_are_read_once_until_the_catalog_changes(
    catalog: SqliteCatalog, tmp_path: Path
) -> None:
    await catalog.put_outline("main", "a1", ONE)
    first = await catalog.outlines("main", PLACES)
    again = await catalog.outlines("main", PLACES)
    assert again[PLACES[0]] is first[PLACES[0]]
    with closing(sqlite3.connect(tmp_path / "catalog.db")) as other:  # as another process does
        other.execute("UPDATE outlines SET body = ?", (outlines.body_of(OTHER),))
        other.commit()
    assert await held(catalog) == {"a.md": OTHER}
    await catalog.put_outline("main", "b1", ONE)
    assert await held(catalog) == {"a.md": OTHER, "b.md": ONE}
