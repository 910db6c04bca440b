"""The steps of the preset `local`, each on and off: fusions, wordings, blends, contexts.

Six sets (`local_sets`), 60 questions of each evenly spread over it, the product's own query path
in this process; texts are shown one by one (see `evals.run.runner.measured`), 20 of them. nDCG@10
and R@20 by `ir-measures`; a difference is the mean over sets of mean differences over questions,
with a 95 % bootstrap interval. p50 is that of `search` in this process without the question's own
encoding, which is remembered.

- *Blends* are computed from the pool of 30 as the preset ranks it, with the scores of `seeded`: a
  reranker of a set AUC over relevant and other documents. No trained cross-encoder was to be had;
  a real one errs on some questions as a whole, and by similarity, which this one does not.
- *Skipping*: at each pair of thresholds the share of questions that the words alone are said to
  find, and how often their first hit is relevant there, and elsewhere.
- *Contexts*: see `local_context`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.frame import Options
from bench.local_preset.local_context import ContextFigures, measure_contexts
from bench.local_preset.local_sets import (
    MEASURES,
    AskedSet,
    Values,
    deep,
    difference,
    keys_of,
    mean_of,
)
from bench.local_preset.local_sets import opened_sets as opened
from bench.local_preset.seeded import probability
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.evals.analysis.measures import parse
from pincite.evals.analysis.statistics import median
from pincite.evals.golden.targets import Key
from pincite.model import Candidate, Pool, Question, Signal
from pincite.profile import Profile
from pincite.search import search
from pincite.search_steps.collection_facts import CollectionFacts
from pincite.search_steps.weights import term_weights
from pincite.stages.blend import BlendConfig, blend
from pincite.stages.expand import ExpandConfig, lexical_signal
from pincite.stages.fuse import FuseMethod
from pincite.support.fields import replace
from pincite.trace import Trace

_FUSIONS: Final[tuple[FuseMethod, ...]] = (
    *("rrf", "rrf_bonus", "weighted_rrf", "dbsf", "weighted_dbsf", "weighted_sum"),
)
_AUCS: Final = (0.6, 0.7, 0.8, 0.9, 0.95)
_POOL: Final = 30
_SEEDS: Final = 3
_BLENDS: Final[Mapping[str, BlendConfig]] = {
    "none": BlendConfig(rerank_weight=0.0),
    "reranker only": BlendConfig(),
    "linear .3": BlendConfig(rerank_weight=0.3),
    "linear .5": BlendConfig(rerank_weight=0.5),
    "linear .7": BlendConfig(rerank_weight=0.7),
    "tiers, score": BlendConfig(method="tiers", retrieval="score"),
    "tiers, place": BlendConfig(method="tiers", retrieval="place"),
}
_THRESHOLDS: Final = tuple(
    (best, gap) for best in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8) for gap in (0.0, 0.15, 0.3, 0.45)
)
_SHIPPED: Final = "default"


@dataclass(frozen=True, slots=True)
class VariantFigures:
    """`scores` by set and measure; the difference to the default, or to no reranker, in the mean
    over sets, with its interval, by measure."""

    scores: dict[str, dict[str, float]]
    difference: dict[str, tuple[float, ...]]
    p50_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class SkipFigures:
    """Over all sets' questions: the share that is skipped, and how often the first hit of the
    words is relevant among them, and among the others."""

    best: float
    gap: float
    skipped: float
    right: float
    right_elsewhere: float


@dataclass(frozen=True, slots=True)
class LocalFigures:
    """All that was measured."""

    questions: dict[str, int]
    variants: dict[str, VariantFigures]
    blends: dict[str, dict[str, VariantFigures]]
    skipping: tuple[SkipFigures, ...]
    contexts: ContextFigures


async def run(options: Options) -> LocalFigures:
    """Measure. Raises SkippedError naming what is missing."""
    parse(*MEASURES)
    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    try:
        async with opened(options, cached) as sets:
            variants = await _variants(sets)
            blends = await _blends(sets)
            skipping = await _skipping(sets)
            questions = {one.name: len(one.golden.queries) for one in sets}
            contexts = await measure_contexts(options, cached, encoder, sets)
    finally:
        cached.close()
        encoder.close()
    return LocalFigures(questions, variants, blends, skipping, contexts)


def _profiles() -> dict[str, Profile]:
    shipped = deep(Profile())
    plain = replace(shipped, smooth=replace(shipped.smooth, weight=0.0))
    fusions = {
        f"fusion {name}": replace(plain, fuse=replace(plain.fuse, method=name)) for name in _FUSIONS
    }
    names = ExpandConfig(by="names")
    always = replace(names, strong_best=1.0, strong_gap=1.0)
    bonus = fusions["fusion rrf_bonus"]
    return {
        _SHIPPED: shipped,
        **fusions,
        "default, names always": replace(shipped, expand=always),
        "default, names unless strong": replace(shipped, expand=names),
        "rrf_bonus, names always": replace(bonus, expand=always),
        "rrf_bonus, names unless strong": replace(bonus, expand=names),
    }


async def _variants(sets: Sequence[AskedSet]) -> dict[str, VariantFigures]:
    values: dict[str, list[Values]] = {}
    p50: dict[str, float] = {}
    for name, profile in _profiles().items():
        times: list[float] = []
        values[name] = [await _asked(one, profile, times) for one in sets]
        p50[name] = round(median(times), 2)
        print(f"  {name}: {[mean_of(one, MEASURES[0]) for one in values[name]]}", flush=True)
    return {
        name: replace(_figures(sets, found, values[_SHIPPED]), p50_ms=p50[name])
        for name, found in values.items()
    }


async def _asked(one: AskedSet, profile: Profile, times: list[float]) -> Values:
    rankings = {}
    for query in one.golden.queries:
        for dense in one.subject.deps.collections:
            if dense.dense is not None:
                await dense.dense.embed_query(query.text)  # remembered from now on
        begun_s = time.perf_counter()
        question = Question(query.text, one.subject.scope, query.mode)
        pack = await search(question, one.subject.deps, profile, Trace(time.perf_counter))
        times.append((time.perf_counter() - begun_s) * 1000)
        rankings[query.id] = keys_of(pack)
    return one.values(rankings)


def _figures(
    sets: Sequence[AskedSet], found: Sequence[Values], base: Sequence[Values]
) -> VariantFigures:
    scores = {
        one.name: {measure: mean_of(values, measure) for measure in MEASURES}
        for one, values in zip(sets, found, strict=True)
    }
    return VariantFigures(
        scores, {measure: difference(found, base, measure) for measure in MEASURES}
    )


async def _blends(sets: Sequence[AskedSet]) -> dict[str, dict[str, VariantFigures]]:
    """By AUC and blend, the mean over seeds of draws."""
    profile = _profiles()["fusion rrf_bonus"]
    profile = replace(profile, load=replace(profile.load, pool=_POOL, alone=1.0))
    pools = [await _pools(one, profile) for one in sets]
    found: dict[str, dict[str, VariantFigures]] = {}
    for auc in _AUCS:
        values = {
            name: [_blended(one, pool, auc, config) for one, pool in zip(sets, pools, strict=True)]
            for name, config in _BLENDS.items()
        }
        found[f"{auc:g}"] = {
            name: _figures(sets, given, values["none"]) for name, given in values.items()
        }
        line = {name: one.difference[MEASURES[0]] for name, one in found[f"{auc:g}"].items()}
        print(f"  AUC {auc:g}: {line}", flush=True)
    return found


async def _pools(one: AskedSet, profile: Profile) -> dict[str, tuple[Candidate, ...]]:
    """What a reranker would be given."""
    found = {}
    for query in one.golden.queries:
        trace = Trace(time.perf_counter)
        question = Question(query.text, one.subject.scope, query.mode)
        await search(question, one.subject.deps, profile, trace)
        pool = next(step.value for step in reversed(trace.steps) if step.stage == "rank_code")
        found[query.id] = pool[:_POOL] if isinstance(pool, tuple) else ()
    return found


def _blended(
    one: AskedSet, pools: Mapping[str, tuple[Candidate, ...]], auc: float, config: BlendConfig
) -> Values:
    """Measures of the pools as this reranker and blend order them, the mean over seeds."""
    taken: list[Values] = []
    for seed in range(_SEEDS):
        rankings = {}
        for query, candidates in pools.items():
            expected = one.expected(query)
            judged = [_judged(query, each, expected, auc, seed) for each in candidates]
            ordered = Pool(tuple(sorted(judged, key=lambda each: each.rank_key)))
            pool = blend(ordered, config, Pool(candidates))
            rankings[query] = [(each.collection, each.chunk.id) for each in pool.candidates]
        taken.append(one.values(rankings))
    return {
        query: {name: sum(each[query][name] for each in taken) / _SEEDS for name in MEASURES}
        for query in taken[0]
    }


def _judged(
    query: str, one: Candidate, expected: Mapping[Key, tuple[int, ...]], auc: float, seed: int
) -> Candidate:
    relevant = (one.collection, one.chunk.id) in expected
    value = probability(auc, query, one.chunk.id, relevant=relevant, seed=seed)
    return one.with_signal(Signal("reranked", "probability", value))


async def _skipping(sets: Sequence[AskedSet]) -> tuple[SkipFigures, ...]:
    """How clear the words are, and whether their first hit is relevant."""
    profile = deep(replace(Profile(), retrieve=replace(Profile().retrieve, mode="keyword")))
    seen: list[tuple[float, float, bool]] = []
    for one in sets:
        for query in one.golden.queries:
            trace = Trace(time.perf_counter)
            deps = one.subject.deps
            await search(Question(query.text, one.subject.scope), deps, profile, trace)
            found = next(step.value for step in trace.steps if step.stage == "retrieve")
            rankings = getattr(found, "rankings", ())
            apart = CollectionFacts.of(deps.collections, one.subject.scope).apart
            weights = term_weights(deps, query.text, rankings, apart=apart)
            signal = lexical_signal(rankings, weights)
            hits = [(hit.score, r.collection, hit.id) for r in rankings for hit in r.hits]
            if signal is not None and hits:
                _, collection, first = max(hits, key=lambda hit: hit[0])
                right = (collection, first) in one.expected(query.id)
                seen.append((signal.best, signal.gap, right))
    found_at = []
    for best, gap in _THRESHOLDS:
        inside = [right for b, g, right in seen if b >= best and g >= gap]
        outside = [right for b, g, right in seen if not (b >= best and g >= gap)]
        found_at.append(
            SkipFigures(
                *(best, gap, _share(len(inside), len(seen))),
                *(_share(sum(inside), len(inside)), _share(sum(outside), len(outside))),
            )
        )
        print(f"  {found_at[-1]}", flush=True)
    return tuple(found_at)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 3) if whole else 0.0
