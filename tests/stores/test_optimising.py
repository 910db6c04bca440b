"""Optimising happens in a child process while this one goes on reading and writing."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import DiskFull, StoreError, UsageError
from pincite.ports import Store
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge import shard as shards
from pincite.stores.qdrant_edge.layout import EdgeLayout
from pincite.stores.qdrant_edge.optimise import optimising_child
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.room import SPARE_BYTES
from pincite.testing.points import DENSE_SPEC, SPARSE, point_of, request_for
from pincite.testing.scores import assert_same, random_points
from tests.quick_folder import quick_folder
from tests.stores.children import alive, children, descriptors, let_go, new_child

Check = Callable[[Path, EdgeStore, MemoryStore], Coroutine[Any, Any, None]]


def run(check: Check) -> None:
    """A check on a store of which half has been removed, and on an exact one beside it."""

    async def session() -> None:
        before = children()
        with quick_folder() as folder:
            store, exact = EdgeStore(folder), MemoryStore()
            await both(store, exact, fill)
            await check(folder, store, exact)
            await store.close()
            assert children() <= before

    asyncio.run(session())


async def both(
    store: Store, exact: Store, change: Callable[[Store], Coroutine[Any, Any, None]]
) -> None:
    for each in (store, exact):
        await change(each)


async def fill(store: Store) -> None:
    await store.create(DENSE_SPEC)
    for number in range(4):
        await put(store, number)
    await store.remove("main", ["r1", "r2"])


async def put(store: Store, number: int) -> None:
    await store.stage("main", {f"r{number}": random_points(50, number)})
    await store.publish("main", {f"r{number}": None})


async def agree(store: Store, exact: Store) -> None:
    for text in ("fox cow", "owl", "yak bee bee"):
        request = request_for(text, exact=True)
        assert_same(await store.search("main", request), await exact.search("main", request))
    assert await store.page("main", None, 999) == await exact.page("main", None, 999)


async def agree_when_reopened(folder: Path, store: EdgeStore, exact: Store) -> None:
    await agree(store, exact)
    await store.close()
    again = EdgeStore(folder)
    await again.create(DENSE_SPEC)
    await agree(again, exact)
    await again.close()
    await store.create(DENSE_SPEC)


def generations(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "main").iterdir() if path.is_dir())


def is_there(path: Path) -> bool:
    return path.exists()


def test_a_copy_is_optimised_and_takes_over() -> None:
    async def check(folder: Path, store: EdgeStore, exact: MemoryStore) -> None:
        before = descriptors()
        assert await store.optimise("main")
        assert generations(folder) == ["g000002"]
        await agree_when_reopened(folder, store, exact)
        assert not await store.optimise("main")
        assert await let_go(before)

    run(check)


def test_what_is_written_meanwhile_is_not_lost() -> None:
    async def check(folder: Path, store: EdgeStore, exact: MemoryStore) -> None:
        optimising = asyncio.create_task(store.optimise("main"))
        number = 10
        while not optimising.done():
            assert store.optimising("main") or number == 10
            await both(store, exact, lambda s, n=number: put(s, n))  # type: ignore[misc]
            if number % 5 == 4:
                await both(store, exact, lambda s, n=number: change(s, n))  # type: ignore[misc]
            (dense,) = await store.search("main", request_for("fox", sparse=None, exact=True))
            assert dense.hits
            number += 1
            await asyncio.sleep(0.1 if number > 400 else 0)  # with too much the copy is given up
        assert await optimising
        assert number > 12
        await store._shards["main"].optimise()  # for IDF, which is exact only then
        await agree_when_reopened(folder, store, exact)

    async def change(store: Store, number: int) -> None:
        await store.remove("main", [f"r{number - 1}"])
        same = random_points(50, number)[:20]
        await store.stage("main", {f"other{number}": same})
        await store.publish("main", {f"other{number}": f"r{number}"})
        vector, _ = SPARSE.encode_document("fox", 3.0)
        await store.set_sparse("main", {same[0].chunk.id: vector})

    run(check)


@pytest.mark.parametrize("delay_s", [0.0, 0.05, 0.1, 0.2, 0.3])
def test_a_killed_child_leaves_the_old_generation_and_nothing_else(delay_s: float) -> None:
    async def check(folder: Path, store: EdgeStore, exact: MemoryStore) -> None:
        before = children()
        optimising = asyncio.create_task(store.optimise("main"))
        child = await new_child(before)
        await asyncio.sleep(delay_s)
        in_time = alive(child)
        if in_time:
            os.kill(child, signal.SIGKILL)
        (outcome,) = await asyncio.gather(optimising, return_exceptions=True)
        if isinstance(outcome, StoreError):
            assert in_time
            assert "exit code -9" in outcome.message
            assert generations(folder) == ["g000001"]
            assert not store.optimising("main")
            await both(store, exact, lambda s: put(s, 7))
            assert await store.optimise("main")
        else:
            assert outcome is True
        await agree_when_reopened(folder, store, exact)

    run(check)


@pytest.mark.parametrize("delay_s", [0.0, 0.1, 0.2, 0.3, 0.4])
def test_closing_stops_the_child(delay_s: float) -> None:
    async def check(folder: Path, store: EdgeStore, exact: MemoryStore) -> None:
        before = children()
        optimising = asyncio.create_task(store.optimise("main"))
        await asyncio.sleep(delay_s)
        await store.close()
        await asyncio.gather(optimising, return_exceptions=True)
        assert children() <= before
        assert len(generations(folder)) == 1
        again = EdgeStore(folder)
        await again.create(DENSE_SPEC)
        if await again.optimise("main") or generations(folder) == ["g000002"]:
            await agree(again, exact)
        await again.close()
        await store.create(DENSE_SPEC)

    run(check)


def test_a_cancelled_optimisation_is_as_if_it_had_never_begun() -> None:
    async def check(folder: Path, store: EdgeStore, exact: MemoryStore) -> None:
        optimising = asyncio.create_task(store.optimise("main"))
        await asyncio.sleep(0.1)
        optimising.cancel()
        with pytest.raises(asyncio.CancelledError):
            await optimising
        assert generations(folder) == ["g000001"]
        assert await store.optimise("main")
        await agree_when_reopened(folder, store, exact)

    run(check)


def test_a_collection_can_be_dropped_meanwhile() -> None:
    async def check(folder: Path, store: EdgeStore, exact: MemoryStore) -> None:
        optimising = asyncio.create_task(store.optimise("main"))
        await asyncio.sleep(0.1)
        await store.drop("main")
        assert not await optimising
        assert not is_there(folder / "main")
        with pytest.raises(UsageError):
            await store.revisions("main")

    run(check)


def test_a_lexical_collection_becomes_dense_meanwhile() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            from pincite.testing.points import LEXICAL_SPEC

            store = EdgeStore(folder)
            await store.create(LEXICAL_SPEC)
            for number in range(3):
                points = [point_of(f"fox {number}", dense=False)]
                await store.stage("main", {f"r{number}": points})
                await store.publish("main", {f"r{number}": None})
            await store.remove("main", ["r0"])
            optimising = asyncio.create_task(store.optimise("main"))
            await asyncio.sleep(0.1)
            await store.create(DENSE_SPEC)
            await put(store, 9)
            assert await optimising
            dense, _ = await store.search("main", request_for("fox"))
            assert dense.depth == 50
            await store.close()

    asyncio.run(session())


def test_two_optimisations_are_one() -> None:
    async def check(folder: Path, store: EdgeStore, exact: MemoryStore) -> None:
        answers = await asyncio.gather(store.optimise("main"), store.optimise("main"))
        assert sorted(answers) == [False, True]
        assert generations(folder) == ["g000002"]

    run(check)


def test_without_space_for_a_copy_nothing_is_begun() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            free = [10**12]
            store = EdgeStore(folder, lambda _: free[0])
            await fill(store)
            free[0] = SPARE_BYTES + 1000
            with pytest.raises(DiskFull, match="safe writing needs"):
                await store.optimise("main")
            assert generations(folder) == ["g000001"]
            free[0] = 10**12
            assert await store.optimise("main")
            await store.close()

    asyncio.run(session())


def test_a_child_is_gone_however_often_its_caller_is_cancelled() -> None:
    """A write that is one too many cancels, and so do the next one and whoever closes the store."""

    async def use(folder: Path) -> None:
        async with optimising_child(folder, folder / "copy", 4, EdgeLayout()) as child:
            await child.ready()
            await asyncio.sleep(600)

    async def check() -> None:
        before = children()
        with quick_folder() as folder:
            for turns in range(0, 40, 4):
                using = asyncio.create_task(use(folder))
                for _ in range(turns):
                    await asyncio.sleep(0)
                while not using.done():
                    using.cancel()
                    await asyncio.sleep(0)
                assert children() <= before  # at once: it was waited for

    asyncio.run(check())


def test_too_much_writing_meanwhile_puts_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "_JOURNAL_POINTS", 120)

    async def check(folder: Path, store: EdgeStore, exact: MemoryStore) -> None:
        optimising = asyncio.create_task(store.optimise("main"))
        number = 10
        while not optimising.done():
            await both(store, exact, lambda s, n=number: put(s, n))  # type: ignore[misc]
            number += 1
        assert not await optimising
        assert generations(folder) == ["g000001"]
        assert await store.page("main", None, 9999) == await exact.page("main", None, 9999)

    run(check)


def test_it_pays_only_where_much_was_removed_or_a_graph_is_wanted() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            for number in range(10):
                await put(store, number)
            assert not await store.optimise("main")  # so few vectors are searched one by one
            await store.remove("main", ["r0"])
            await store.flush()
            await store.close()
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            await store.remove("main", ["r1"])  # together more than a tenth of those that remain
            assert await store.optimise("main")
            assert not await store.optimise("main")
            await store.close()

    asyncio.run(session())


def test_leftovers_of_a_killed_daemon_are_swept_away() -> None:
    async def check(folder: Path, store: EdgeStore, exact: MemoryStore) -> None:
        await store.close()
        (folder / "main" / "g000007" / "segments").mkdir(parents=True)
        (folder / "main" / "g000007" / "segments" / "x").write_text("half a copy")
        (folder / ".dropped").mkdir()
        again = EdgeStore(folder)
        await again.create(DENSE_SPEC)
        assert generations(folder) == ["g000001"]
        assert not (folder / ".dropped").exists()
        await again.close()
        await store.create(DENSE_SPEC)

    run(check)
