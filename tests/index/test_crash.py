"""Whatever dies between two writes: a change has happened, or it has not.

`test_kill.py` does the same to real processes.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.local import LocalIndex
from pincite.model import IndexedDocument
from pincite.ports import Catalog, Index, Store
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.optimise import copy_sparse
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.fields import replace
from pincite.testing.points import (
    DENSE_SPEC,
    LEXICAL_SPEC,
    document_of,
    point_of,
    source_of,
)
from tests.index.crash_client import check_whole
from tests.index.fragile import Crash, Fragile, Fuse
from tests.quick_folder import quick_folder

Step = Callable[[Index], Coroutine[Any, Any, object]]

A1 = document_of("a.md", "a1", ["fox one", "fox two"], dense=False)
A2 = document_of("a.md", "a2", ["fox three"], dense=False)
B1 = document_of("b.md", "b1", [f"owl {n}" for n in range(300)], dense=False)
E1 = document_of("e.md", "e1", ["gnu one", "gnu two"], dense=False)


def with_vectors(document: IndexedDocument, revision: str) -> IndexedDocument:
    """The same file with the dense model: the same ids."""
    record, points = document
    return IndexedDocument(
        replace(record, revision=revision),
        [
            point_of(p.chunk.text, f"{record.revision}/{n}", path=record.path)
            for n, p in enumerate(points)
        ],
    )


B2, E2 = with_vectors(B1, "b2"), with_vectors(E1, "e2")
D0 = document_of("d.md", "d0", ["yak of before"])
C1 = document_of("c.md", "c1", ["hen"], source="acme/code")  # dense from here on
D1 = document_of("d.md", "d1", ["yak"])

STEPS: tuple[Step, ...] = (
    lambda index: index.create(LEXICAL_SPEC),
    lambda index: index.put_source("main", source_of()),
    lambda index: index.replace("main", [A1, E1]),
    lambda index: index.replace("main", [B1]),
    lambda index: index.replace("main", [A2]),
    lambda index: index.create(DENSE_SPEC),
    lambda index: index.replace("main", [B2, D0, E2]),
    lambda index: index.touch("main", [replace(B2[0], ref="beef")]),
    lambda index: index.replace("main", [C1]),
    lambda index: index.forget("main", "acme/code"),
    lambda index: index.remove("main", ["a2"]),
    lambda index: index.replace("main", [D1]),
    lambda index: index.reset(DENSE_SPEC),
    lambda index: index.replace("main", [D1]),
    lambda index: index.drop("main"),
)


async def seen(index: Index) -> tuple[dict[str, str], set[str]]:
    """The revision of every document, and the ids of all chunks, once all is checked."""
    infos = await index.collections()
    if not infos:
        return {}, set()
    assert infos[0].lost == 0
    records = await index.documents("main")
    chunks = await index.page("main", None, 10_000)
    await check_whole(index, records, chunks)
    return {r.path: r.revision for r in records}, {chunk.id for chunk in chunks}


async def run_until_it_dies(index: LocalIndex, fuse: Fuse) -> int | None:
    """How many steps were acknowledged, None if the process lived."""
    done = 0
    try:
        await index.open()
        for step in STEPS:
            await step(index)
            done += 1
    except Crash:
        return done
    return None


async def states() -> list[tuple[dict[str, str], set[str]]]:
    """What is to be seen after each step, and before the first."""
    index = LocalIndex(MemoryStore(), SqliteCatalog(":memory:"))
    expected = [await seen(index)]
    for step in STEPS:
        await step(index)
        expected.append(await seen(index))
    await index.close()
    return expected


def test_a_crash_at_any_call_of_store_or_catalog_is_all_or_nothing() -> None:
    async def check() -> None:
        expected = await states()
        for calls in range(10_000):
            store, catalog, fuse = MemoryStore(), SqliteCatalog(":memory:"), Fuse(calls)
            fragile: tuple[Any, Any] = (Fragile(store, fuse), Fragile(catalog, fuse))
            done = await run_until_it_dies(LocalIndex(*fragile), fuse)
            if done is None:
                await catalog.close()
                assert calls > 90
                return
            store._hidden.clear()  # an engine forgets what was only staged
            await check_resumed(store, catalog, expected, done)

    asyncio.run(check())


async def check_resumed(
    store: Store, catalog: Catalog, expected: list[tuple[dict[str, str], set[str]]], done: int
) -> None:
    index = LocalIndex(store, catalog)
    await index.open()
    assert await seen(index) in expected[done : done + 2]
    for number, step in enumerate(STEPS[done:], start=done + 1):
        await step(index)
        assert await seen(index) == expected[number]
    await index.close()


def test_a_crash_at_any_write_of_the_engine_is_all_or_nothing() -> None:
    async def check() -> None:
        expected = await states()
        for calls in range(10_000):
            with quick_folder() as folder, quick_folder() as copy:
                fuse = Fuse(calls)

                def free_bytes(_: Path, fuse: Fuse = fuse) -> int:
                    fuse.burn()  # the store asks before every write
                    return 10**12

                store = EdgeStore(folder / "collections", free_bytes)
                catalog = SqliteCatalog(folder / "catalog.db")
                done = await run_until_it_dies(LocalIndex(store, catalog), fuse)
                if done is not None:
                    shutil.copytree(folder, copy, dirs_exist_ok=True, copy_function=copy_sparse)
                fuse.left = 10**9
                await store.close()
                await catalog.close()
                if done is None:
                    assert calls > 20
                    return
                again = EdgeStore(copy / "collections")
                await check_resumed(again, SqliteCatalog(copy / "catalog.db"), expected, done)

    asyncio.run(check())
