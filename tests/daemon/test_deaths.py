"""However a daemon dies, its clients start another, and nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from pathlib import Path

import pytest

from pincite.daemon.client.remote_index import RemoteIndex
from pincite.daemon.wire import protocol
from pincite.errors import StoreError
from pincite.support.fields import replace
from pincite.testing.points import LEXICAL_SPEC, document_of, request_for
from tests.daemon.daemons import A1, client, connected, daemon, gone, run
from tests.quick_folder import quick_folder

SIGNALS = (signal.SIGKILL, signal.SIGBUS, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM)


def test_whatever_signal_it_dies_of_its_clients_notice_nothing() -> None:
    async def check(folder: Path) -> None:
        async with connected(folder) as index:
            await index.create(LEXICAL_SPEC)
            pids = set()
            for number, sent in enumerate(SIGNALS):
                pids.add(pid := (await index.hello()).pid)
                texts = [f"fox {n}" for n in range(1_000)]
                document = document_of(f"{sent}.md", f"r{sent}", texts, dense=False)
                writing = asyncio.create_task(index.replace("main", [document]))
                await asyncio.sleep(0.02)
                os.kill(pid, sent)
                await writing
                assert await gone(pid)
                request = request_for("fox", dense=None, sparse_limit=9_999)
                (sparse,) = await index.search("main", request)
                assert len(sparse.hits) == 1_000 * (number + 1)
            assert len(pids) == len(SIGNALS)

    run(check)


PANICKING = """
import os, sys, tempfile
from pathlib import Path
import qdrant_edge as edge
from pincite.index import store_of_folder
from pincite.daemon.__main__ import main
from pincite.stores.open_store import Opened
from pincite.stores.qdrant_edge.store import EdgeStore

BAD = edge.Point(1, {"sparse": edge.SparseVector([1, 2], [1.0])}, {})  # a value is missing

class Panicking(EdgeStore):
    async def search(self, collection, request):
        with tempfile.TemporaryDirectory() as folder:
            sparse = {"sparse": edge.EdgeSparseVectorParams()}
            other = edge.EdgeShard.create(folder, edge.EdgeConfig({}, sparse))
            spoil = edge.UpdateOperation.upsert_points([BAD])
            return self._shard(collection).ask(lambda _: other.update(spoil))

class Poisoned(EdgeStore):
    async def stage(self, collection, revisions):
        self._shard(collection).apply(edge.UpdateOperation.upsert_points([BAD]))

kind = {"panicking": Panicking, "poisoned": Poisoned}[sys.argv[2]]
def opened(root, environ):
    store = kind(root / "collections")
    return Opened(store, store, store.keep_only)
store_of_folder.open_remembered = opened
sys.exit(main(sys.argv[1], "models", "60"))
"""


def test_a_daemon_whose_engine_panics_ends_and_the_next_one_answers() -> None:
    async def check(folder: Path) -> None:
        with daemon(PANICKING, folder, "panicking") as first:
            async with connected(folder) as index:
                await index.create(LEXICAL_SPEC)
                await index.replace("main", [A1])
                (sparse,) = await index.search("main", request_for("fox", dense=None))
                assert len(sparse.hits) == 1
                assert await asyncio.to_thread(first.wait, 600) == os.EX_SOFTWARE
                assert (await index.hello()).pid != first.pid
                assert "the engine panicked" in (folder / protocol.LOG).read_text()

    run(check)


def test_a_panic_that_comes_back_costs_one_collection_and_names_its_cure() -> None:
    async def check(folder: Path) -> None:
        other = replace(LEXICAL_SPEC, name="other")
        async with connected(folder) as index:
            for spec in (LEXICAL_SPEC, other):
                await index.create(spec)
                await index.replace(spec.name, [A1])
            await index.leave()
            with daemon(PANICKING, folder, "poisoned") as first:
                document = document_of("b.md", "b1", ["owl"], dense=False)
                with pytest.raises(StoreError) as caught:
                    await index.replace("main", [document])
                assert caught.value.hint == "pincite collections rebuild main"
                assert await asyncio.to_thread(first.wait, 600) == os.EX_SOFTWARE
            assert len(await index.page("other", None, 9)) == 1
            await index.reset(LEXICAL_SPEC)
            await index.replace("main", [document])
            assert len(await index.page("main", None, 9)) == 1

    run(check)


async def write_on(index: RemoteIndex, acknowledged: list[str]) -> None:
    """One document after the other, of 50 chunks each, until it fails."""
    for number in range(1_000):
        name = f"{number}.md"
        texts = [f"fox {n} " + "x" * 2_000 for n in range(50)]
        await index.replace("main", [document_of(name, name, texts, dense=False)])
        acknowledged.append(name)


def test_files_that_may_not_grow_cost_the_document_and_nothing_else() -> None:
    """As with a quota: what is written fails, and what was written stays."""

    async def check(folder: Path) -> None:
        index = client(folder)
        try:
            await index.create(LEXICAL_SPEC)
            pid = (await index.hello()).pid
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
            acknowledged: list[str] = []
            with pytest.raises(StoreError) as caught:
                await write_on(index, acknowledged)
            assert "make room" in caught.value.hint
            written = len(acknowledged)
            assert written > 0
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            for _ in range(2):  # by this daemon, and by another
                records = await index.documents("main")
                assert len(records) == written
                request = request_for("fox", dense=None, sparse_limit=99_999)
                (sparse,) = await index.search("main", request)
                assert len(sparse.hits) == 50 * written
                os.kill(pid := (await index.hello()).pid, signal.SIGKILL)
                assert await gone(pid)
        finally:
            await index.leave()
            await index.close()

    with quick_folder() as folder:
        asyncio.run(check(folder))
