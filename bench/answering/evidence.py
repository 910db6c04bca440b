"""The presets, and the recipe of docs/adk-recipe.md without its models, and what they cost.

Documentation and source code are in collections of their own.

The ADK documentation and the wheel of its code are indexed by the product, each in a collection;
every question of the golden set is asked with its task mode. Spans count as in
`retrieval/golden.py`.

- R@12, nDCG@12, MRR@12: of what is shown. R@50: of the pool, before anything is chosen from it.
- covered: the share of the questions whose results have every kind of source that is expected.
- asked: milliseconds from the question to the pack as `AsyncPincite.search` gives it, with the
  query encoder and the retrieval log.
- total: the same without daemon and log, in one process with the store, where garbage is collected
  as rarely as in the daemon. own: total less the engine's calls and the query encoder.
"""

from __future__ import annotations

import asyncio
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from bench.adk import find_wheel, require_docs
from bench.frame import ROOT, Options, require
from bench.product import open_product, release, temporary_folder
from bench.times import Times, times
from bench.vectors import open_product_encoder
from pincite.catalog.file import open_catalog
from pincite.deps import Deps
from pincite.engine import AsyncPincite
from pincite.evals.analysis.measures import mean_of
from pincite.evals.analysis.statistics import median
from pincite.evals.analysis.summary import scores as scores_of
from pincite.evals.analysis.summary import summarise
from pincite.evals.golden.questions import GoldenSet, read_golden
from pincite.evals.run.results import Run
from pincite.evals.run.runner import Subject, measured, open_subject, run_golden
from pincite.index.local import LocalIndex
from pincite.ingestion.options import IndexOptions
from pincite.model import Matrix, Question, Scope, Vector
from pincite.presets import PRESETS
from pincite.profile import Profile, profile_from
from pincite.providers.bundled.minilm import MiniLmEncoder
from pincite.search import search
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.fields import replace
from pincite.support.processes.gc_tuning import rarely_collect
from pincite.trace import Trace

T = TypeVar("T")
_OPTIMISED_S = 900.0
_ROUNDS = 5  # of all presets in turn, as the machine's speed drifts
_MEASURES = ("R@12", "nDCG@12", "RR@12")
_PAGE = ROOT / "docs/adk-recipe.md"


def _recipe() -> Profile:
    """What the recipe says of the profile. Its models and its store are not at hand here."""
    block = _PAGE.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    table = tomllib.loads(block)
    values = {name: table[name] for name in Profile.__struct_fields__ if name in table}
    return profile_from(values, str(_PAGE), PRESETS[table["extends"]])


PROFILES: Mapping[str, Profile] = {
    name: measured(one) for name, one in {**PRESETS, "recipe": _recipe()}.items()
}


@dataclass(frozen=True, slots=True)
class PresetFigures:
    """One preset. Measures are means over the questions on topic; times in milliseconds."""

    measures: Mapping[str, float]
    pool_recall: float
    covered: float
    on_topic: dict[str, int]
    off_topic: dict[str, int]
    asked: Times
    total: Times
    own_p50: float


@dataclass(frozen=True, slots=True)
class EvidenceFigures:
    """All presets."""

    documents: int
    chunks: int
    questions: int
    presets: dict[str, PresetFigures]


async def run(options: Options) -> EvidenceFigures:
    """Index, ask, score, time. Raises SkippedError naming what is missing."""
    golden = read_golden(require(options.golden / "adk-dev.jsonl", "one question per line"))
    docs = require_docs(options)
    if options.quick:
        golden = GoldenSet(golden.name, golden.queries[:8])
    with temporary_folder() as work:
        root = work / "index"
        async with open_product(root, options) as engine:
            place = docs / "docs" / "tools-custom" if options.quick else docs
            await engine.index([place], options=IndexOptions(collection="docs"))
            code = find_wheel(options, work)
            chosen = IndexOptions(
                collection="code",
                include=("google/adk/tools/",) if options.quick else (),
            )
            await engine.index([code], options=chosen)
            infos = await engine.collections()
            subject = await open_subject(engine, golden, Scope())
            runs = {
                name: await run_golden(subject, golden, profile, name)
                for name, profile in PROFILES.items()
            }
            async with asyncio.timeout(_OPTIMISED_S):
                while any(one.optimising for one in await engine.collections()):  # noqa: ASYNC110
                    await asyncio.sleep(1)
            asked = await _asked(engine, golden)
            await release(engine.client(), root)
        taken = await _times(root, subject, golden, options)
    presets = {}
    for name, one in runs.items():
        presets[name] = _figures(one, asked[name], *taken[name])
        print(f"  {name}: {presets[name].measures}, own {presets[name].own_p50} ms", flush=True)
    return EvidenceFigures(
        sum(info.documents for info in infos),
        sum(info.chunks for info in infos),
        len(golden.queries),
        presets,
    )


def _figures(run: Run, asked: Times, total: Times, own_p50: float) -> PresetFigures:
    summary = summarise(run, ())
    values = mean_of(_MEASURES, scores_of(run, _MEASURES))
    pool = mean_of(("R@50",), scores_of(run, ("R@50",), "load"))
    return PresetFigures(
        {name: round(value, 4) for name, value in values.items()},
        round(pool["R@50"], 4),
        round(summary.coverage_met or 0.0, 3),
        dict(summary.verdicts["on topic"]),
        dict(summary.verdicts["off topic"]),
        asked,
        total,
        own_p50,
    )


async def _asked(engine: AsyncPincite, golden: GoldenSet) -> dict[str, Times]:
    """By preset: searches as a client sees them."""
    spent: dict[str, list[float]] = {name: [] for name in PROFILES}
    for number in range(1 + _ROUNDS):
        for name, profile in PROFILES.items():
            for query in golden.queries:
                started_s = time.perf_counter()
                await engine.search(query.text, mode=query.mode, profile=profile)
                if number:  # the first round warms
                    spent[name].append(1000 * (time.perf_counter() - started_s))
    return {name: times(values) for name, values in spent.items()}


@dataclass(slots=True)
class Others:
    """Seconds that were spent in the engine and in the encoder."""

    spent_s: float = 0.0

    def timed(self, call: Callable[..., T]) -> Callable[..., T]:
        """The same call, its time added."""

        def timed_call(*given: object) -> T:
            started_s = time.perf_counter()
            try:
                return call(*given)
            finally:
                self.spent_s += time.perf_counter() - started_s

        return timed_call


@dataclass(slots=True)
class TimedEncoder:
    """The bundled encoder, its time told."""

    encoder: MiniLmEncoder
    others: Others
    fingerprint: str = field(init=False)
    dimensions: int = field(init=False)
    languages: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.fingerprint = self.encoder.fingerprint
        self.dimensions = self.encoder.dimensions
        self.languages = self.encoder.languages

    async def embed_query(self, text: str) -> Vector:
        started_s = time.perf_counter()
        try:
            return await self.encoder.embed_query(text)
        finally:
            self.others.spent_s += time.perf_counter() - started_s

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await self.encoder.embed_documents(texts)


async def _times(
    root: Path, subject: Subject, golden: GoldenSet, options: Options
) -> dict[str, tuple[Times, float]]:
    """By preset: whole searches in one process, and the median of what is our own of them."""
    rarely_collect()
    store = EdgeStore(root / "collections")
    index = LocalIndex(store, open_catalog(root), store)
    await index.open()
    others = Others()
    encoder = open_product_encoder(options.models)
    dense = TimedEncoder(encoder, others)
    for shard in store._shards.values():
        shard.ask = others.timed(shard.ask)  # type: ignore[method-assign]
    collections = tuple(replace(one, index=index, dense=dense) for one in subject.deps.collections)
    deps = replace(subject.deps, collections=collections)
    totals: dict[str, list[float]] = {name: [] for name in PROFILES}
    own: dict[str, list[float]] = {name: [] for name in PROFILES}
    try:
        for number in range(1 + _ROUNDS):
            for name, profile in PROFILES.items():
                whole, ours = await _round(deps, profile, golden, others)
                if number:  # the first round warms
                    totals[name] += whole
                    own[name] += ours
    finally:
        encoder.close()
        await index.close()
    return {name: (times(totals[name]), round(median(own[name]), 2)) for name in PROFILES}


async def _round(
    deps: Deps, profile: Profile, golden: GoldenSet, others: Others
) -> tuple[list[float], list[float]]:
    """Milliseconds of each search, and of what is our own of it."""
    totals, own = [], []
    for query in golden.queries:
        others.spent_s = 0.0
        started_s = time.perf_counter()
        trace = Trace(time.perf_counter)
        await search(Question(query.text, mode=query.mode), deps, profile, trace)
        total_s = time.perf_counter() - started_s
        totals.append(1000 * total_s)
        own.append(1000 * (total_s - others.spent_s))
    return totals, own
