"""A store is written, optimised, searched: `python -m bench.storage.store_worker JOB`, see
`store_job`.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from bench.storage.nearest import Nearest
from bench.storage.store_job import IN_MEMORY, Asked, Built, Done, Filled, Job
from bench.synthetic import PER_DOCUMENT, Query, World, chunk_id, spec_for
from bench.times import Times, memory_of, times
from bench.waits import Waits
from pincite.model import Matrix
from pincite.ports import EVERYTHING, AnyOf, Filter, SearchRequest, Store
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.stores.open_store import open_chroma, open_qdrant, open_sqlite
from pincite.stores.qdrant_edge.generations import space_taken
from pincite.stores.settings import StoreSettings

SEED = 20261122
SPEC = spec_for("main")
REPOSITORIES, CHOSEN = 100, 7  # a filter by one of them lets 1 % pass
ONE_PERCENT = Filter(must=(AnyOf("repo", (f"synthetic-{CHOSEN:02d}",)),))
_DEPTH = 10
_FLUSH_S = 2.0  # as the daemon does
_LEAST = 3  # searches of a kind, however long they take
_DISK_EVERY_S = 5.0
_PR_SET_PDEATHSIG = 1


class Truth(msgspec.Struct):
    """Queries with the ids of their nearest chunks, of all and of those that pass the filter."""

    texts: list[str]
    vectors: list[list[float]]
    nearest: list[list[str]]
    filtered: list[list[str]]


def open_store(job: Job) -> Store:
    """The store of that kind; a server is the one that QDRANT_URL names."""
    folder = Path(job.folder)
    folder.mkdir(parents=True, exist_ok=True)
    match job.kind:
        case "edge":
            from pincite.stores.qdrant_edge.store import EdgeStore

            return EdgeStore(folder / "collections", layout=job.layout)
        case "sqlite":
            return open_sqlite(folder).store
        case "chroma":
            return open_chroma(folder, StoreSettings("chroma")).store
        case "qdrant":
            key = os.environ.get("QDRANT_API_KEY")
            settings = StoreSettings("qdrant", os.environ["QDRANT_URL"], prefix="bench-")
            return open_qdrant(settings, key=key, owner="bench").store
        case "qdrant-local":
            from qdrant_client import AsyncQdrantClient

            from pincite.stores.qdrant.connection import Connection
            from pincite.stores.qdrant.store import QdrantStore

            warnings.simplefilter("ignore")  # it says what it does not have
            local = Connection(AsyncQdrantClient(":memory:"), "this process")
            return QdrantStore(local, owner="bench")
        case "memory":
            from pincite.stores.memory import MemoryStore

            return MemoryStore()


async def fill(store: Store, job: Job) -> Filled:
    """Write the collection, and the truth about it. Making the data does not count."""
    world = World(job.chunks, SEED)
    world.reseed(SEED + 1)
    queries = world.queries(job.queries)
    world.reseed(SEED + 2)
    vectors = np.stack([query.vector for query in queries])
    exact = Nearest(vectors), Nearest(vectors, _DEPTH, REPOSITORIES, CHOSEN)
    await store.drop(SPEC.name)
    spent_s, written, flushed_s = 0.0, 0, 0.0
    started_s = time.perf_counter()
    await store.create(SPEC)
    spent_s += time.perf_counter() - started_s
    documents = world.documents(range(job.chunks // PER_DOCUMENT), SPEC, "new", REPOSITORIES)
    for record, points in documents:
        started_s = time.perf_counter()
        await store.stage(SPEC.name, {record.revision: points})
        await store.publish(SPEC.name, {record.revision: None})
        if spent_s - flushed_s > _FLUSH_S:
            await store.flush()
            flushed_s = spent_s
        spent_s += time.perf_counter() - started_s
        written += len(points)
        for each in exact:
            each.add([point.dense for point in points if point.dense is not None])
        if written % (job.chunks // 10 // PER_DOCUMENT * PER_DOCUMENT or job.chunks) == 0:
            print(f"  {job.kind}: {written:,} in {spent_s:.0f} s", file=sys.stderr, flush=True)
        if job.limit_s and spent_s > job.limit_s:
            break
    started_s = time.perf_counter()
    await store.flush()
    spent_s += time.perf_counter() - started_s
    nearest, filtered = ([_ids(rows) for rows in each.rows().tolist()] for each in exact)
    texts = [query.text for query in queries]
    _keep(job, Truth(texts, vectors.tolist(), nearest, filtered))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    disk = space_taken(Path(job.folder)) / 1e6
    return Filled(written, round(spent_s, 1), round(disk, 1), round(peak * 1024 / 1e6, 1))


def _ids(rows: Sequence[int]) -> list[str]:
    return [chunk_id(row, "new") for row in rows]


class Asking:
    """Searches of a store, each as the profile as shipped asks it."""

    def __init__(self, store: Store, truth: Truth) -> None:
        self._store = store
        self._retrieve = Profile().retrieve
        vectors: Matrix = np.asarray(truth.vectors, np.float32)
        self.queries = [
            Query(text, vector) for text, vector in zip(truth.texts, vectors, strict=True)
        ]
        self._encoder = Bm25Encoder()
        self._next = 0

    def request(self, query: Query, sides: str, filter_: Filter = EVERYTHING) -> SearchRequest:
        """`sides` is dense, sparse, hybrid, or fused: hybrid, with RRF in the store."""
        config = self._retrieve
        return SearchRequest(
            dense=None if sides == "sparse" else query.vector,
            sparse=None if sides == "dense" else self._encoder.encode_query(query.text),
            dense_limit=config.dense_limit,
            sparse_limit=config.sparse_limit,
            hnsw_ef=config.hnsw_ef,
            filter=filter_,
            fusion="rrf" if sides == "fused" else "none",
        )

    async def one(self) -> float:
        """The next hybrid search; milliseconds."""
        self._next += 1
        return await self.time(self.queries[self._next % len(self.queries)], "hybrid")

    async def time(self, query: Query, sides: str, filter_: Filter = EVERYTHING) -> float:
        """Milliseconds of one search."""
        request = self.request(query, sides, filter_)
        started_s = time.perf_counter()
        rankings = await self._store.search(SPEC.name, request)
        spent_ms = (time.perf_counter() - started_s) * 1000
        if filter_ == EVERYTHING and not any(ranking.hits for ranking in rankings):
            raise RuntimeError(f"nothing was found for {query.text!r}")
        return spent_ms

    async def kind(self, sides: str, filter_: Filter, limit_s: float) -> Times:
        """All queries, or as many as the time allows, after some that do not count."""
        for query in self.queries[: max(1, len(self.queries) // 10)]:
            if await self.time(query, sides, filter_) > 1000 * limit_s / len(self.queries):
                break
        found: list[float] = []
        for query in self.queries:
            found.append(await self.time(query, sides, filter_))
            if sum(found) > 1000 * limit_s and len(found) >= _LEAST:
                break
        return times(found)

    async def recall(self, expected: Sequence[Sequence[str]], filter_: Filter) -> float | None:
        """Mean share of the nearest that a dense search has among its best ten."""
        shares = []
        for query, ids in zip(self.queries, expected, strict=False):
            if not ids:
                return None
            request = self.request(query, "dense", filter_)
            (ranking,) = await self._store.search(SPEC.name, request)
            shares.append(len({h.id for h in ranking.hits[:_DEPTH]} & set(ids)) / len(ids))
        return round(sum(shares) / len(shares), 4)


async def build(store: Store, job: Job) -> Built:
    """Optimise while searches go on. What is due faster than it can be answered is asked for
    every third of the time that it takes."""
    asking = Asking(store, _truth(job))
    before = await asking.kind("hybrid", EVERYTHING, job.ask_s)
    every_ms = round(max(job.every_ms, 3 * before.p50))
    waits = Waits(asking.one, every_ms / 1000)
    peak = [space_taken(Path(job.folder))]

    async def watch() -> None:
        while True:
            await asyncio.sleep(_DISK_EVERY_S)
            peak[0] = max(peak[0], await asyncio.to_thread(space_taken, Path(job.folder)))

    watching = asyncio.create_task(watch())
    started_s = time.perf_counter()
    async with waits.during("building"):
        optimised = await store.optimise(SPEC.name)
        seconds = time.perf_counter() - started_s
    watching.cancel()
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if optimised else 0
    return Built(
        seconds=round(seconds, 1),
        before=before,
        every_ms=every_ms,
        during=times(waits.found["building"]),
        disk_mb=round(space_taken(Path(job.folder)) / 1e6, 1),
        peak_disk_mb=round(peak[0] / 1e6, 1),
        child_peak_mb=round(child * 1024 / 1e6, 1),
    )


async def ask(opening: Callable[[], Store], job: Job, store: Store | None) -> Asked:
    """Open the store unless it is open, and search it."""
    truth = _truth(job)
    before = memory_of(os.getpid()) if store is None else {"VmRSS": 0.0, "RssAnon": 0.0}
    started_s = time.perf_counter()
    opened = store or opening()
    await opened.create(SPEC)
    open_s = time.perf_counter() - started_s
    asking = Asking(opened, truth)
    first_ms = await asking.time(asking.queries[0], "hybrid")
    searches = {}
    for sides in ("dense", "sparse", "hybrid", "fused"):
        searches[sides] = await asking.kind(sides, EVERYTHING, job.ask_s)
    for sides in ("dense", "sparse", "hybrid"):
        searches[f"{sides}, 1 %"] = await asking.kind(sides, ONE_PERCENT, job.ask_s)
    after = memory_of(os.getpid())
    judged = searches["dense"].count
    recall = await asking.recall(truth.nearest[:judged], EVERYTHING)
    filtered = await asking.recall(truth.filtered[: searches["dense, 1 %"].count], ONE_PERCENT)
    if store is None:
        await opened.close()
    return Asked(
        open_s=round(open_s, 2),
        first_ms=round(first_ms, 1),
        rss_mb=round(after["VmRSS"] - before["VmRSS"], 1),
        private_mb=round(after["RssAnon"] - before["RssAnon"], 1),
        searches=searches,
        judged=judged,
        recall=recall,
        recall_filtered=filtered,
    )


def _keep(job: Job, truth: Truth) -> None:
    Path(job.truth).write_bytes(msgspec.json.encode(truth))


def _truth(job: Job) -> Truth:
    return msgspec.json.decode(Path(job.truth).read_bytes(), type=Truth)


async def work(job: Job) -> Done:
    """All steps. What is in memory only stays open between them."""
    done = Done()
    store = None if job.steps == ("ask",) else open_store(job)
    for step in job.steps:
        if step == "fill" and store is not None:
            done.filled = await fill(store, job)
        elif step == "build" and store is not None:
            await store.create(SPEC)
            done.built = await build(store, job)
        else:
            kept = store if job.kind in IN_MEMORY else None
            done.asked = await ask(lambda: open_store(job), job, kept)
    if store is not None:
        await store.close()
    return done


def end_with_parent() -> None:
    """A bench that is killed leaves nothing running."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    end_with_parent()
    done = asyncio.run(work(msgspec.json.decode(sys.argv[1], type=Job)))
    print(msgspec.json.encode(done).decode(), flush=True)
