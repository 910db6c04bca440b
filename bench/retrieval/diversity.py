"""What MMR does to the results, and what a look at the nearest chunk costs.

Questions of public collections, searched by meaning alone as the preset `chat` does it, every
document one chunk. The best 20 (or 50) by cosine are put in the order of MMR with each lambda. With
a lambda of 1 that is the order of the cosines.

- nDCG@10: the mean over all judged queries.
- similarity: the mean of the cosines of all pairs among the first ten, mean over the queries.

The probe is timed in this process, over the queries of one collection, the same with the probe and
without, one after the other; the model's time counts in both. Medians.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from bench.frame import Options, require
from bench.product import temporary_folder
from bench.retrieval.quality import build
from bench.variants import deps_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.catalog.file import open_catalog
from pincite.deps import Deps
from pincite.evals.analysis.measures import evaluate
from pincite.evals.golden.beir import Collection, read_beir
from pincite.index.local import LocalIndex
from pincite.model import Candidate, Gated, Question, Scope
from pincite.ports import DenseEncoder, Store
from pincite.presets import CHAT, PRESETS
from pincite.profile import Profile
from pincite.search import search
from pincite.search_steps.collection_facts import CollectionFacts
from pincite.stages.diversify import DiversifyConfig, diversify
from pincite.stores.chroma.database import Database, open_client
from pincite.stores.chroma.store import ChromaStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.sqlite.store import SqliteStore
from pincite.support.fields import replace
from pincite.trace import Trace

SETS: Final = ("cisi", "scifact-train", "chunking-eval")
LAMBDAS: Final = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0)
FETCHES: Final = (20, 50)
STORES: Final = ("edge", "sqlite", "chroma")
_TIMED: Final = "chunking-eval"
_SHOWN: Final = 10
_QUICK_QUERIES: Final = 20
_TIMED_QUERIES: Final = 100


@dataclass(frozen=True, slots=True)
class Point:
    """The order of MMR among so many of the best."""

    fetch: int
    relevance: float
    ndcg_10: float
    similarity: float


@dataclass(frozen=True, slots=True)
class ProbeCost:
    """Medians in ms: the step itself, a search with it and one without."""

    store: str
    chunks: int
    exact: bool
    probe_ms: float
    with_ms: float
    without_ms: float


@dataclass(frozen=True, slots=True)
class DiversityFigures:
    """By collection, and what the probe costs."""

    sets: dict[str, tuple[Point, ...]]
    probes: tuple[ProbeCost, ...]


async def run(options: Options) -> DiversityFigures:
    """Measure all collections. Raises SkippedError naming what is missing."""
    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    sets: dict[str, tuple[Point, ...]] = {}
    probes: list[ProbeCost] = []
    try:
        for name in SETS:
            collection = read_beir(require(options.data / name, "in the BEIR layout"))
            if options.quick:
                collection = collection.first(_QUICK_QUERIES)
            async with opened("edge", collection, cached) as deps:
                sets[name] = await _points(collection, deps)
            for one in sets[name]:
                print(f"  {name}: {one}", flush=True)
        timed = read_beir(options.data / _TIMED)
        for store in STORES:
            async with opened(store, timed, cached) as deps:
                for exact in (True, False):
                    # the query encoder itself, which has not seen the questions
                    (searched,) = deps.collections
                    plain = replace(deps, collections=[replace(searched, dense=encoder)])
                    probes.append(await _cost(store, exact, timed, plain))
                    print(f"  {probes[-1]}", flush=True)
    finally:
        cached.close()
        encoder.close()
    return DiversityFigures(sets, tuple(probes))


@asynccontextmanager
async def opened(kind: str, collection: Collection, encoder: DenseEncoder) -> AsyncIterator[Deps]:
    """The collection, indexed in a store of that kind."""
    with temporary_folder() as folder:
        store: Store
        match kind:
            case "sqlite":
                store = SqliteStore(folder / "points.db")
            case "chroma":
                store = ChromaStore(Database(open_client("", folder / "chroma"), "a folder"))
            case _:
                store = EdgeStore(folder / "store")
        index = LocalIndex(store, open_catalog(folder))
        try:
            spec = await build(index, collection, encoder)
            yield deps_of("default", spec, index, encoder)
        finally:
            await index.close()


def _profile(fetch: int) -> Profile:
    """The preset, as deep as is measured, and without its look ahead."""
    chat = PRESETS[CHAT]
    return replace(
        chat,
        probe=replace(chat.probe, enabled=False),
        retrieve=replace(chat.retrieve, dense_limit=fetch),
        load=replace(chat.load, pool=fetch, alone=1.0),
        dedup=replace(chat.dedup, same_text=False),
        diversify=replace(chat.diversify, enabled=False),
    ).showing(_SHOWN)


async def _points(collection: Collection, deps: Deps) -> tuple[Point, ...]:
    deepest = max(FETCHES)
    pools: dict[str, tuple[Candidate, ...]] = {}
    for key, text in collection.queries.items():
        trace = Trace(time.perf_counter)
        await search(Question(text), deps, _profile(deepest), trace)
        gated = next(step.value for step in trace.steps if step.stage == "gate")
        assert isinstance(gated, Gated)
        pools[key] = gated.candidates
    points = []
    models = CollectionFacts.of(deps.collections, Scope()).models
    for fetch in FETCHES:
        for relevance in LAMBDAS if fetch == FETCHES[0] else (0.7, 0.5):
            config = DiversifyConfig(enabled=True, fetch=fetch, relevance=relevance)
            shown = {
                key: diversify(pool, config, models).candidates[:_SHOWN]
                for key, pool in pools.items()
            }
            ranked = {key: [one.chunk.path for one in some] for key, some in shown.items()}
            ndcg = evaluate(("nDCG@10",), collection.judgements, ranked)["nDCG@10"]
            alike = statistics.fmean(_similarity(some) for some in shown.values())
            points.append(Point(fetch, relevance, ndcg, alike))
    return tuple(points)


def _similarity(shown: Sequence[Candidate]) -> float:
    """The mean of the cosines of all pairs."""
    rows = [one.vector.astype(np.float64) for one in shown if one.vector is not None]
    units = [row / np.linalg.norm(row) for row in rows]
    return statistics.fmean(float(a @ b) for a, b in combinations(units, 2)) if rows[1:] else 0.0


async def _cost(kind: str, exact: bool, collection: Collection, deps: Deps) -> ProbeCost:
    chat = PRESETS[CHAT]
    # nothing is refused: both searches do all of their work
    looked = replace(chat, probe=replace(chat.probe, threshold=0.0, exact=exact))
    plain = replace(chat, probe=replace(chat.probe, enabled=False))
    texts = list(collection.queries.values())[:_TIMED_QUERIES]
    probes: list[float] = []
    with_ms: list[float] = []
    without_ms: list[float] = []
    for text in [*texts[:5], *texts]:
        for profile, times in ((looked, with_ms), (plain, without_ms)):
            pack = await search(Question(text), deps, profile, Trace(time.perf_counter))
            times.append(sum(pack.timings_ms.values()))
            probes += [pack.timings_ms["probe"]] if times is with_ms else []
    chunks = sum(bool(text.strip()) for text in collection.documents.values())
    medians = (statistics.median(each[5:]) for each in (probes, with_ms, without_ms))
    return ProbeCost(kind, chunks, exact, *medians)
