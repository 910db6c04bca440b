"""Whatever dies, whenever it dies: what was acknowledged is there whole, and nothing else is."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

from pincite.catalog.sqlite import SqliteCatalog
from pincite.index import LocalIndex
from pincite.model import Chunk, DocumentRecord
from pincite.owner import wire
from pincite.owner.client import RemoteIndex
from pincite.ports import Catalog, Index, Store
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.optimise import copy_sparse
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.testing.points import (
    DENSE_SPEC,
    LEXICAL_SPEC,
    document_of,
    point_of,
    request_for,
    source_of,
)
from tests import crash_client
from tests.places import quick_folder

Step = Callable[[Index], Coroutine[Any, Any, object]]

A1 = document_of("a.md", "a1", ["fox one", "fox two"], dense=False)
A2 = document_of("a.md", "a2", ["fox three"], dense=False)
B1 = document_of("b.md", "b1", [f"owl {n}" for n in range(300)], dense=False)
B2 = (
    replace(B1[0], revision="b2"),  # the same file with the dense model: the same ids
    [point_of(p.chunk.text, f"b1/{n}", path="b.md") for n, p in enumerate(B1[1])],
)
C1 = document_of("c.md", "c1", ["hen"], source="acme/code")  # dense from here on
D1 = document_of("d.md", "d1", ["yak"])

STEPS: tuple[Step, ...] = (
    lambda index: index.create(LEXICAL_SPEC),
    lambda index: index.put_source("main", source_of()),
    lambda index: index.replace("main", *A1),
    lambda index: index.replace("main", *B1),
    lambda index: index.replace("main", *A2),
    lambda index: index.create(DENSE_SPEC),
    lambda index: index.replace("main", *B2),
    lambda index: index.touch("main", [replace(B2[0], ref="beef")]),
    lambda index: index.replace("main", *C1),
    lambda index: index.forget("main", "acme/code"),
    lambda index: index.remove("main", ["a2"]),
    lambda index: index.replace("main", *D1),
    lambda index: index.reset(DENSE_SPEC),
    lambda index: index.replace("main", *D1),
    lambda index: index.drop("main"),
)


class Crash(BaseException):
    """The process is gone: nothing after this happens."""


class Fuse:
    """Burns through at the given call, and stays so."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def burn(self) -> None:
        if self.left <= 0:
            raise Crash
        self.left -= 1


class Fragile:
    """A store or catalogue in a process that dies before, or right after, one of its calls."""

    def __init__(self, inner: object, fuse: Fuse) -> None:
        self._inner, self._fuse = inner, fuse

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        method = getattr(self._inner, name)

        async def call(*args: object, **kwargs: object) -> object:
            self._fuse.burn()
            result = await method(*args, **kwargs)
            self._fuse.burn()
            return result

        return call


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


async def check_whole(
    index: Index, records: tuple[DocumentRecord, ...], chunks: tuple[Chunk, ...]
) -> None:
    """Every document has all of its chunks, and every chunk belongs to a document."""
    counts = Counter((chunk.repo, chunk.path) for chunk in chunks)
    assert counts == {(r.source, r.path): r.chunks for r in records if r.chunks}
    ids = [chunk.id for chunk in chunks]
    assert [s.chunk for s in await index.load("main", ids)] == list(chunks)


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


def test_a_crash_at_any_call_of_store_or_catalogue_is_all_or_nothing() -> None:
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


# Real processes from here on.

_FILES = 60
_KILLS = 30


def write_source(folder: Path, dice: random.Random, share: float) -> None:
    """Write or rewrite a share of the files of a source."""
    folder.mkdir(exist_ok=True)
    for number in range(_FILES):
        if dice.random() < share:
            sections = [
                f"# Part {n}\n\ncommon {' '.join(dice.choices(('fox', 'owl', 'hen'), k=80))}\n"
                for n in range(dice.randint(1, 12))
            ]
            (folder / f"{number}.md").write_text("\n".join(sections))


class Scene:
    """A source, its index, and the log of what was acknowledged."""

    def __init__(self, folder: Path) -> None:
        self.source, self.root, self.log = folder / "source", folder / "index", folder / "log"
        self.processes = multiprocessing.get_context("forkserver")
        self.processes.set_forkserver_preload(["tests.crash_client", "pincite.indexing"])

    def start(self, root: Path | None = None) -> Any:
        """A process that indexes."""
        arguments = (self.source, root or self.root, self.log)
        process = self.processes.Process(target=crash_client.run, args=arguments)
        process.start()
        return process

    def time_one_run(self, root: Path) -> float:
        """How long a process takes that nobody kills, its start and that of an owner included."""
        started_s = time.monotonic()
        process = self.start(root)
        process.join(60)
        assert process.exitcode == 0
        process.close()
        taken_s = time.monotonic() - started_s
        asyncio.run(RemoteIndex(root, root, 60.0).leave())
        return taken_s

    def owner(self) -> int | None:
        """The process that owns the index, as far as is known."""
        try:
            return int((self.root / wire.LOCK).read_text())
        except (FileNotFoundError, ValueError):
            return None

    def acknowledged(self) -> dict[str, str]:
        """The revision that was acknowledged last, by path. A torn last line is none."""
        lines = self.log.read_text().split("\n")[:-1] if self.log.exists() else []
        return dict(line.rsplit(" ", 1) for line in lines)

    def client(self) -> RemoteIndex:
        return RemoteIndex(self.root, self.root / "models", 60.0)


def kill(pid: int | None) -> None:
    if pid is not None:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def test_kill_9_at_any_time_loses_nothing_that_was_acknowledged() -> None:
    dice = random.Random(9)
    with quick_folder() as folder:
        scene = Scene(folder)
        write_source(scene.source, dice, 1.0)
        caught = 0
        run_s = scene.time_one_run(folder / "first")
        for number in range(_KILLS):
            scene.log.unlink(missing_ok=True)
            process = scene.start()
            time.sleep(dice.uniform(0.0, run_s))
            caught += process.is_alive()
            victim = ("owner", "client", "both")[number % 3]
            if victim != "client":
                kill(scene.owner())
            if victim == "owner":
                process.join(30)
                assert process.exitcode == 0  # the client starts it again and goes on
            else:
                process.kill()
                process.join(30)
            process.close()
            asyncio.run(check_after_kill(scene))
            write_source(scene.source, dice, 0.5)
        assert caught > _KILLS // 3
        asyncio.run(check_equal_to_clean_build(scene, folder / "clean"))


async def check_after_kill(scene: Scene) -> None:
    if not (scene.root / "catalog.db").exists():
        return
    index = scene.client()
    try:
        infos = await index.collections()
        if not infos:
            return
        assert infos[0].lost == 0
        assert infos[0].broken == ""
        records = await index.documents("main")
        chunks = await index.page("main", None, 100_000)
        await check_whole(index, records, chunks)
        by_path = {record.path: record.revision for record in records}
        for path, revision in scene.acknowledged().items():
            assert by_path[path] == revision
        hashes = {(record.path, record.content_hash) for record in records}
        assert {(chunk.path, chunk.content_hash) for chunk in chunks} <= hashes
        request = request_for("nothing", dense=None, sparse=None)
        assert await index.search("main", request) == ()
    finally:
        await index.close()


async def check_equal_to_clean_build(scene: Scene, clean: Path) -> None:
    resumed, fresh = scene.client(), RemoteIndex(clean, clean / "models", 60.0)
    try:
        for root in (scene.root, clean):
            await crash_client.index(scene.source, root, scene.log)
        assert await resumed.page("main", None, 100_000) == await fresh.page("main", None, 100_000)
        ours = {r.path: r.revision for r in await resumed.documents("main")}
        theirs = {r.path: r.revision for r in await fresh.documents("main")}
        assert ours == theirs
        assert len(ours) == _FILES
    finally:
        for index in (resumed, fresh):
            await index.leave()
            await index.close()
