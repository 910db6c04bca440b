"""Speed of a search over 100,000 chunks in the embedded store, behind its daemon.

The collection is synthetic (see `synthetic.py`) and the daemon has the query vectors already (see
`daemon.py`): nothing here includes the query encoder. Everything else is the product's own path
with the profile as shipped: the hop to the daemon, analysis of the query, the engine, fusion,
loading, smoothing, the pack.

- total: from the question to the pack, as `AsyncPincite.search` gives it. Stage times are those
  of the pack. `logged` is the same with the retrieval log, which is on by default.
- processor time: what client and daemon each spend on a search, a mean. Unlike the times above it
  does not grow when other programs share the machine.
- in process: the same searches in one process with the store, after the daemon has left. Total
  less this is about what the hop costs.
- engine: the calls into the engine that such a search needs, made raw (see `raw_engine.py`).
  In process less this is our own work.
- These are taken in turn, five times, as the machine's speed drifts; figures are of all rounds.
- wait: a search is due every 100 ms whether or not the one before it has come back; its wait runs
  from when it was due to its pack. `idle` is with nothing else going on, `writing` while another
  client replaces documents of 20 chunks without a pause (the daemon flushes every 2 s meanwhile),
  `flushing` while a run of changes is made durable, `optimising` while the engine optimises a
  copy in the background, and `optimising, writing` when a client writes at the same time.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.frame import Options
from bench.product import release, temporary_folder
from bench.speed.daemon import knowing_daemon, known_queries
from bench.speed.raw_engine import time_engine
from bench.speed.while_written import Size, optimised, settle, while_written
from bench.synthetic import PER_DOCUMENT, GivenVectors, Query, World, spec_for
from bench.times import Times, cpu_s, memory_of, times
from bench.variants import ask, deps_of, profile_of
from bench.waits import Waits
from pincite.catalog.file import open_catalog
from pincite.engine import AsyncPincite
from pincite.evals.analysis.statistics import median
from pincite.index.folder import make_folder
from pincite.index.local import LocalIndex
from pincite.model import EvidencePack
from pincite.settings.load import Settings
from pincite.settings.sections.retrieval_log import LogSettings
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.fields import replace

_SEED = 20261121
_PROFILE = profile_of("default", results=12)
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class LatencyFigures:
    """Times in milliseconds unless a name says otherwise; sizes in megabytes of 10^6 bytes."""

    chunks: int
    build_s: float
    optimise_s: float
    total: Times
    logged: Times
    unoptimised: Times
    client_cpu: float
    daemon_cpu: float
    stages_p50: dict[str, float]
    in_process: Times
    engine: Times
    waits: dict[str, Times]
    written_chunks_per_s: float
    daemon_rss_mb: float
    daemon_private_mb: float
    disk_mb: float


async def run(options: Options) -> LatencyFigures:
    """Build the collection, then measure searches alone and beside other work."""
    quick = options.quick
    size = Size(8_000, 60, 60, 2.0) if quick else Size(100_000, 400, 1_000, 10.0)
    queries = known_queries(size.chunks, _SEED)[: size.searches]
    with temporary_folder() as root:
        make_folder(root)
        settings = Settings(
            root, options.models, _PROFILE, idle_s=120.0, log=LogSettings(enabled=False)
        )
        async with _served(settings, size) as engine:
            waits = Waits(Asking(engine.search, queries).one)
            built = await _build(engine, waits, queries, size)
        alone, in_process, raw = list[Alone](), list[float](), list[float]()
        for number in range(1 if quick else _ROUNDS):
            async with _served(settings, size) as engine:
                alone.append(await _alone(engine, queries))
            within = await _in_process(root, queries)
            bare = time_engine(root / "collections" / "main", queries)
            in_process, raw = in_process + within, raw + bare
            medians = [round(median(one), 2) for one in (alone[-1].total, within, bare)]
            print(f"  round {number + 1}: total, in process, engine: {medians} ms", flush=True)
        async with _served(settings, size) as engine:
            asking = Asking(engine.search, queries)
            await asking.all(len(queries) // 4)
            beside = Waits(asking.one)
            chunks_per_s = await while_written(engine, beside, options, size, _SEED)
            info = (await engine.client().collections())[0]
            memory = memory_of((await engine.client().hello()).pid)
    return LatencyFigures(
        chunks=size.chunks,
        build_s=built.written_s,
        optimise_s=built.optimised_s,
        unoptimised=built.unoptimised,
        total=times([value for one in alone for value in one.total]),
        logged=times([value for one in alone for value in one.logged]),
        stages_p50=medians_of([stages for one in alone for stages in one.stages]),
        client_cpu=round(median([one.client_cpu for one in alone]), 2),
        daemon_cpu=round(median([one.daemon_cpu for one in alone]), 2),
        in_process=times(in_process),
        engine=times(raw),
        waits={name: times(found) for name, found in (waits.found | beside.found).items()},
        written_chunks_per_s=round(chunks_per_s),
        daemon_rss_mb=memory["VmRSS"],
        daemon_private_mb=memory["RssAnon"],
        disk_mb=round(info.bytes / 1e6, 1),
    )


@asynccontextmanager
async def _served(settings: Settings, size: Size) -> AsyncIterator[AsyncPincite]:
    """A client of a daemon that leaves when the block ends."""
    async with knowing_daemon(settings.index, size.chunks, _SEED), AsyncPincite(settings) as engine:
        client = engine.client(create=True)
        try:
            yield engine
        finally:
            await release(client, settings.index)


@dataclass(frozen=True, slots=True)
class Built:
    """Seconds, and how long searches took before the graph was built."""

    written_s: float
    optimised_s: float
    unoptimised: Times


async def _build(engine: AsyncPincite, waits: Waits, queries: Sequence[Query], size: Size) -> Built:
    client, spec, world = engine.client(), spec_for("main"), World(size.chunks, _SEED)
    started_s = time.perf_counter()
    await client.create(spec)
    for document in world.documents(range(size.chunks // PER_DOCUMENT), spec, "old"):
        await client.replace(spec.name, [document])
    written_s = time.perf_counter() - started_s
    print(f"  built in {written_s:.0f} s", flush=True)
    found, _ = await Asking(engine.search, queries).all(len(queries) // 4)
    started_s = time.perf_counter()
    async with waits.during("first optimising"):
        await settle(client)
        await optimised(client)
    optimised_s = time.perf_counter() - started_s
    print(f"  optimised in {optimised_s:.0f} s", flush=True)
    return Built(round(written_s, 1), round(optimised_s, 1), times(found))


@dataclass(frozen=True, slots=True)
class Alone:
    """Searches with nothing beside them, with and without the log; processor time of one. All in
    milliseconds."""

    total: list[float]
    logged: list[float]
    stages: list[dict[str, float]]
    client_cpu: float
    daemon_cpu: float


async def _alone(engine: AsyncPincite, queries: Sequence[Query]) -> Alone:
    asking = Asking(engine.search, queries)
    await asking.all(len(queries) // 4)
    pid = (await engine.client().hello()).pid
    before = time.process_time(), cpu_s(pid)
    total, stages = await asking.all(len(queries))
    spent = time.process_time() - before[0], cpu_s(pid) - before[1]
    logging = replace(engine.settings, log=LogSettings())
    async with AsyncPincite(logging) as logging_engine:
        logged, _ = await Asking(logging_engine.search, queries).all(len(queries))
    client_cpu, daemon_cpu = (1000 * seconds / len(queries) for seconds in spent)
    return Alone(total, logged, stages, client_cpu, daemon_cpu)


class Asking:
    """Searches, one query after the other and then again from the first."""

    def __init__(
        self, search: Callable[[str], Awaitable[EvidencePack]], queries: Sequence[Query]
    ) -> None:
        self._search = search
        self._queries = queries
        self._next = 0

    async def one(self) -> dict[str, float]:
        """Ask the next query; milliseconds by stage."""
        query = self._queries[self._next % len(self._queries)]
        self._next += 1
        pack = await self._search(query.text)
        if not pack.evidence:
            raise RuntimeError(f"nothing was found for {query.text!r}")
        return dict(pack.timings_ms)

    async def all(self, count: int) -> tuple[list[float], list[dict[str, float]]]:
        """Totals of `count` searches, and the milliseconds by stage of each."""
        totals, stages = [], []
        for _ in range(count):
            started_s = time.perf_counter()
            stages.append(await self.one())
            totals.append((time.perf_counter() - started_s) * 1000)
        return totals, stages


async def _in_process(root: Path, queries: Sequence[Query]) -> list[float]:
    """Totals without the hop."""
    store = EdgeStore(root / "collections")
    index = LocalIndex(store, open_catalog(root), store)
    await index.open()
    deps = deps_of("default", spec_for("main"), index, GivenVectors(queries))
    try:
        asking = Asking(lambda text: ask(text, deps, _PROFILE), queries)
        await asking.all(len(queries) // 4)
        totals, _ = await asking.all(len(queries))
    finally:
        await index.close()
    return totals


def medians_of(stages: Sequence[dict[str, float]]) -> dict[str, float]:
    """The median of each stage."""
    return {name: round(median([one[name] for one in stages]), 3) for name in stages[0]}
