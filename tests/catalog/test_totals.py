"""The running sums of a catalog are what its documents add up to, whatever happens to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.catalog.schema import MIGRATIONS
from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import UsageError
from pincite.model import DocumentRecord
from pincite.ports import Totals
from pincite.support.fields import replace
from pincite.testing.catalogs import record_of
from pincite.testing.points import DENSE_SPEC
from tests.quick_folder import quick_folder

OTHER = replace(DENSE_SPEC, name="other")
PATHS = ("a.md", "b.md", "c.py")
records = st.builds(
    lambda path, version, kind, chunks, tokens: replace(
        record_of(path, f"{path} {version}"), source_type=kind, chunks=chunks, tokens=tokens
    ),
    st.sampled_from(PATHS),
    st.integers(0, 2),
    st.sampled_from(("docs", "code")),
    st.integers(0, 5),
    st.integers(0, 50),
)
revisions = st.builds(lambda path, n: f"{path} {n}", st.sampled_from(PATHS), st.integers(0, 2))
changes: st.SearchStrategy[tuple[str, list[Any]]] = st.one_of(
    st.tuples(st.just("put"), st.lists(records, max_size=4)),
    st.tuples(st.just("delete"), st.lists(revisions, max_size=4)),
    st.tuples(st.just("drop"), st.just([])),
)


def counted(documents: Sequence[DocumentRecord]) -> Totals:
    """What documents add up to."""
    kinds: dict[str, int] = {}
    for one in sorted(documents, key=lambda one: one.source_type):
        kinds[one.source_type] = kinds.get(one.source_type, 0) + one.chunks
    return Totals(
        len(documents),
        sum(one.chunks for one in documents),
        sum(one.tokens for one in documents),
        {kind: chunks for kind, chunks in kinds.items() if chunks},  # type: ignore[misc]
    )


@given(st.lists(changes, max_size=12))
def test_sums_are_those_of_the_documents_after_every_change(
    steps: list[tuple[str, list[Any]]],
) -> None:
    async def act() -> None:
        with quick_folder() as folder:
            catalog = SqliteCatalog(folder / "catalog.db")
            await catalog.put_spec(OTHER)
            await catalog.put("other", [record_of("a.md", "a.md 0")])
            for verb, what in steps:
                await catalog.put_spec(DENSE_SPEC)
                match verb:
                    case "put":
                        await catalog.put("main", what)
                    case "delete":
                        await catalog.delete("main", what)
                    case "drop":
                        await catalog.drop("main")
                expected = counted(await catalog.documents("main"))
                assert await catalog.totals("main") == expected
            await catalog.close()
            again = SqliteCatalog(folder / "catalog.db")
            for name in ("main", "other"):
                assert await again.totals(name) == counted(await again.documents(name))
            await again.close()

    anyio.run(act)


def test_a_catalog_of_before_is_added_up_once(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    columns = "collection, source, path, revision, content_hash, ref, size, mtime_ns, chunks"
    with closing(sqlite3.connect(path)) as db:
        for script in MIGRATIONS[:4]:
            db.executescript(script)
        db.execute("PRAGMA user_version = 4")
        spec = '{"name":"main","sparse":"s","chunker":"c"}'
        db.execute("INSERT INTO collections VALUES ('main', ?)", (spec,))
        for name, chunks, kind in (("a", 2, "docs"), ("b", 3, "code"), ("c", 4, "docs")):
            db.execute(
                f"INSERT INTO documents ({columns}, tokens, source_type)"
                " VALUES ('main', 's', ?, ?, '', '', 1, 1, ?, 10, ?)",
                (name, f"revision {name}", chunks, kind),
            )
        db.commit()
    catalog = SqliteCatalog(path)
    assert anyio.run(catalog.totals, "main") == Totals(3, 9, 30, {"code": 3, "docs": 6}, 9)
    anyio.run(catalog.close)


def test_a_change_that_fails_leaves_the_sums_as_they_were(tmp_path: Path) -> None:
    catalog = SqliteCatalog(tmp_path / "catalog.db")
    anyio.run(catalog.put_spec, DENSE_SPEC)
    anyio.run(catalog.put, "main", [record_of("a.md", "r1")])
    before = anyio.run(catalog.totals, "main")
    with pytest.raises(UsageError):
        anyio.run(catalog.put, "nowhere", [record_of("a.md", "r1")])
    assert anyio.run(catalog.totals, "main") == before
    assert anyio.run(catalog.totals, "nowhere") == Totals()
    anyio.run(catalog.close)
