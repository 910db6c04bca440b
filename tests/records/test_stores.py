"""Equal texts of two sources, two records and two tenants are two points, on every store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pincite.chunkers import chunk_id
from pincite.ports import Store
from pincite.stores.chroma.database import Database, open_client
from pincite.stores.chroma.store import ChromaStore
from pincite.support.fields import replace
from tests.quick_folder import quick_folder
from tests.records.desk import Desk, run
from tests.shelf import STORES, opened_store

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
TEXT = "The same words for everybody."


@asynccontextmanager
async def opened(kind: str) -> AsyncIterator[Store]:
    if kind != "chroma":
        async with opened_store(kind) as store:
            yield store
        return
    with quick_folder() as folder:
        chroma = ChromaStore(Database(open_client("", folder), str(folder)))
        yield chroma
        await chroma.close()


@pytest.mark.parametrize("kind", [*STORES, "chroma"])
def test_equal_texts_are_points_of_their_own(kind: str, tmp_path: Path) -> None:
    async def check() -> None:
        async with opened(kind) as store:
            desk = Desk(tmp_path, store)
            for source in ("one", "two"):
                await desk.upsert([{"id": n, "text": TEXT} for n in ("a", "b")], source=source)
            (info,) = await desk.index.collections()
            spec = replace(info.spec, attributes={"institution": "keyword"})
            await desk.index.create(replace(spec, require=("institution",)))
            for tenant in ("eth", "uzh"):
                attributes = {"institution": tenant}
                await desk.upsert([{"id": "a", "text": TEXT, "attributes": attributes}])
            chunks = await desk.chunks()
            assert sorted((one.repo, one.path) for one in chunks) == [
                *(("one", "a"), ("one", "b"), ("records", "eth/a"), ("records", "uzh/a")),
                *(("two", "a"), ("two", "b")),
            ]
            assert len({one.id for one in chunks}) == 6
            assert all(one.cited_in == "char" for one in chunks)
            report = await desk.delete(ids=["a"], tags={"institution": "eth"})
            assert report.deleted == 1
            assert len(await desk.chunks()) == 5

    run(check())


@pytest.mark.parametrize("kind", [*STORES, "chroma"])
def test_attributes_are_rewritten_on_every_store(kind: str, tmp_path: Path) -> None:
    async def check() -> None:
        async with opened(kind) as store:
            desk = Desk(tmp_path, store)
            pages = ["First.", {"text": "Second.", "attributes": {"part": "b"}}]
            record = {"id": "a", "pages": pages, "attributes": {"year": 2025, "course": "ml"}}
            await desk.upsert([record])
            report = await desk.upsert([{**record, "attributes": {"year": 2026}}])
            assert (report.rewritten, report.written) == (1, 0)
            found = sorted(await desk.chunks(), key=lambda one: one.start)
            assert [one.attributes for one in found] == [
                {"year": 2026, "page_number": 1},
                {"year": 2026, "page_number": 2, "part": "b"},
            ]

    run(check())


def test_the_id_of_a_chunk_is_what_it_always_was() -> None:
    """An index of an earlier version needs no migration."""
    assert chunk_id("acme/docs", "docs/a.md", "0" * 64, 3, 99) == "a384668cda0dc22d7b02f995ea0c55f8"
