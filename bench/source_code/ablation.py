"""What each part of the ranking of code is worth: one left out at a time.

- code-search-dev, by words and with the bundled model: nDCG@10 of the distinct files among ten
  results, as in `code_search.py`.
- cosqa-dev: nDCG@10 as in `retrieval/quality.py`. Every document is one function, so there is
  little to rank.
- adk-dev: nDCG@12 by passage of the `general` preset, as in `retrieval/golden.py`, documentation
  and code in one collection.

What stands before the ranking is taken once for each question; then only the ranking runs. A
difference is that of the means, with the interval of a paired bootstrap over the questions (95 %,
`pincite.evals.analysis.statistics.interval`), which says nothing of other repositories.

Indexes are kept below `--cache` and brought up to date, so that a second run takes minutes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.adk import find_wheel, require_docs
from bench.frame import Options, require
from bench.product import new_index, open_product
from bench.retrieval.quality import build
from bench.source_code.code_search import Query as Asking
from bench.source_code.code_search import Repository, chosen, mean, ndcg
from bench.variants import deps_of, profile_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.deps import Deps
from pincite.evals.analysis.statistics import interval
from pincite.evals.analysis.summary import scores as scores_of
from pincite.evals.golden.beir import read_beir
from pincite.evals.golden.questions import read_golden
from pincite.evals.report.tables import table
from pincite.evals.run.runner import measured, open_subject, run_golden
from pincite.ingestion.options import IndexOptions
from pincite.model import Candidate, Query, Question, Scope
from pincite.profile import Profile
from pincite.search import search
from pincite.search_steps.collection_facts import CollectionFacts
from pincite.search_steps.weights import term_weights
from pincite.stages.rank_code import RankCodeConfig, rank_code
from pincite.support.fields import replace
from pincite.trace import Trace

_QUICK_QUERIES = 20
_SHOWN = 10

Judge = Callable[[Sequence[Candidate]], float]


@dataclass(frozen=True, slots=True)
class Variant:
    """A ranking with other weights, or over fewer candidates."""

    changes: Mapping[str, float] = field(default_factory=dict)
    pool: int = 0


_NAMES = dict.fromkeys(("covered", "asked", "folder", "same", "placed"), 0.0)
_DEFINITIONS = dict.fromkeys(("defines", "mentions", "overlap"), 0.0)
VARIANTS: Final[Mapping[str, Variant]] = {
    "the whole ranking": Variant({"enabled": False}),
    "`further`": Variant({"further": 1.0}),
    "`coherence`": Variant({"coherence": 0.0}),
    "`coherent_from`": Variant({"coherent_from": 0.0}),
    "`dominant`": Variant({"dominant": 1.0}),
    "coherence by meaning alone": Variant({"coherent_dense": 1.0}),
    "coherence by words alone": Variant({"coherent_dense": 0.0}),
    "all names": Variant(_NAMES),
    **{f"`{name}`": Variant({name: 0.0}) for name in _NAMES},
    "all definitions": Variant(_DEFINITIONS),
    **{f"`{name}`": Variant({name: 0.0}) for name in _DEFINITIONS},
    "`copied`": Variant({"copied": 0.0}),
    "`terms`": Variant({"terms": 0.0}),
    "`defined_first`": Variant({"defined_first": 0}),
    **{f"`{name}`": Variant({name: 1.0}) for name in ("tests", "prose", "minor", "bare", "mixed")},
    "`words_power`": Variant({"words_power": 1.0}),
    "`words_again`": Variant({"words_again": 0.0}),
    "the source's name as any word": Variant({"source_named": True}),
    "`bodies_first`": Variant({"bodies_first": False}),
    "50 candidates": Variant(pool=50),
    "24 candidates": Variant(pool=24),
}


@dataclass(frozen=True, slots=True)
class Change:
    """A mean less that of the ranking as shipped, and where 95 % of the resampled ones lie."""

    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AblationFigures:
    """By set: the mean as shipped, the number of questions, and the change of each variant."""

    shipped: dict[str, float]
    questions: dict[str, int]
    changes: dict[str, dict[str, Change]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what stood before the ranking, and the worth of an order."""

    query: Query
    candidates: tuple[Candidate, ...]
    deps: Deps
    judge: Judge
    rarity: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def value(self, config: RankCodeConfig, pool: int) -> float:
        """What the first results are worth."""
        candidates = self.candidates[: pool or None]
        facts = CollectionFacts.of(self.deps.collections, Scope())
        order = rank_code(
            self.query,
            candidates,
            self.deps.terms,
            config,
            facts.code,
            facts.partial,
            self.rarity,
        )
        return self.judge(order[:_SHOWN])


async def run(options: Options) -> AblationFigures:
    """Measure the three sets. Raises SkippedError naming what is missing."""
    figures = AblationFigures({}, {}, {})
    place = options.cache / "ablation"
    repositories = chosen(options, place / "repositories")
    for name in ("lexical", "hybrid"):
        asked = [
            question
            for one in repositories
            for question in await _repository(one, place / name / one.name, name, options)
        ]
        take(f"code-search {name}", lambda v, asked=asked: replay(asked, v), figures)  # type: ignore[misc]
    asked = await _cosqa(options)
    take("cosqa-dev", lambda v: replay(asked, v), figures)
    if not options.quick:
        take("adk-dev", (await _adk(options, place / "adk")).__getitem__, figures)
    return figures


def take(name: str, measure: Callable[[str], list[float]], figures: AblationFigures) -> None:
    """Take in one set. `measure` gives the worth of each question in the variant of a label; that
    of "" is the ranking as shipped."""
    shipped = measure("")
    figures.shipped[name] = mean(shipped)
    figures.questions[name] = len(shipped)
    figures.changes[name] = {}
    for label in VARIANTS:
        differences = [a - b for a, b in zip(measure(label), shipped, strict=True)]
        change = Change(mean(differences), *interval(differences))
        figures.changes[name][label] = change
    print(f"  {name}: {figures.shipped[name]:.4f} of {len(shipped)} questions", flush=True)


def replay(asked: Sequence[Asked], label: str) -> list[float]:
    """What each question is worth in a variant."""
    variant = VARIANTS[label] if label else Variant()
    config = replace(RankCodeConfig(), **variant.changes)
    return [one.value(config, variant.pool) for one in asked]


async def _repository(one: Repository, root: Path, name: str, options: Options) -> list[Asked]:
    profile = measured(Profile()).showing(_SHOWN)
    async with open_product(root, options) as engine:
        await engine.index(
            [one.root], options=IndexOptions(lexical=name == "lexical", name=one.name)
        )
        deps = await engine.deps(Scope())
        return [await before(query.text, deps, profile, files_of(query)) for query in one.queries]


def files_of(query: Asking) -> Judge:
    """nDCG@10 of the files that answer a question."""
    return lambda order: ndcg(dict.fromkeys(one.chunk.path for one in order), query.targets)


async def _cosqa(options: Options) -> list[Asked]:
    collection = read_beir(options.folder("cosqa-dev", "a collection in the BEIR layout"))
    if options.quick:
        collection = collection.first(_QUICK_QUERIES)
    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    profile = profile_of("default", results=_SHOWN, same_text=False)
    try:
        async with new_index() as index:
            spec = await build(index, collection, cached)
            deps = deps_of("default", spec, index, cached, code=True)
            return [
                await before(text, deps, profile, _judged(collection.judgements[key]))
                for key, text in collection.queries.items()
            ]
    finally:
        cached.close()
        encoder.close()


def _judged(gains: Mapping[str, int]) -> Judge:
    """nDCG@10 with linear gains, as `pincite.evals.analysis.measures` has it, of one question."""
    best = sorted(gains.values(), reverse=True)[:_SHOWN]

    def worth(order: Sequence[Candidate]) -> float:
        ideal = _discounted(best)
        found = [gains.get(one.chunk.path, 0) for one in order[:_SHOWN]]
        return _discounted(found) / ideal if ideal else 0.0

    return worth


def _discounted(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


async def before(text: str, deps: Deps, profile: Profile, judge: Judge) -> Asked:
    """Ask, and keep what the ranking was given."""
    trace = Trace(time.perf_counter)
    await search(Question(text), deps, profile, trace)
    known: dict[str, Any] = {step.stage: step.value for step in trace.steps}
    rarity = term_weights(deps, text, known["retrieve"].rankings, apart=False)
    return Asked(known["prepare"], known["smooth"], deps, judge, rarity)


async def _adk(options: Options, root: Path) -> dict[str, list[float]]:
    golden = read_golden(require(options.golden / "adk-dev.jsonl", "one question per line"))
    docs = require_docs(options)
    values: dict[str, list[float]] = {}
    kept = root.parent / "wheel"  # a source keeps its place, so that it can be indexed again
    kept.mkdir(parents=True, exist_ok=True)
    async with open_product(root, options) as engine:
        await engine.index([docs])
        await engine.index([find_wheel(options, kept)])
        subject = await open_subject(engine, golden, Scope())
        for label, variant in {"": Variant(), **VARIANTS}.items():
            if label and not variant.changes:  # no more than 24 candidates are loaded there
                values[label] = values[""]
                continue
            profile = measured(Profile())
            config = replace(profile.rank_code, **variant.changes)
            profile = replace(profile, rank_code=config)
            taken = await run_golden(subject, golden, profile, label)
            by_question = scores_of(taken, ("nDCG@12",))
            values[label] = [one["nDCG@12"] for one in by_question.values()]
    return values


def ablation(raw: Any) -> str:
    """The means as shipped, and what leaving out each part changes in them; parts that are newer
    than the figures have no row."""
    figures = msgspec.convert(raw, AblationFigures, str_keys=True)
    sets = list(figures.shipped)
    said = ", ".join(f"{name} {figures.questions[name]}" for name in sets)
    shipped = ("as shipped", *(f"**{figures.shipped[name]:.4f}**" for name in sets))
    rows = [shipped]
    for label in VARIANTS:
        if any(label not in figures.changes[name] for name in sets):
            continue
        changes = [figures.changes[name][label] for name in sets]
        rows.append((label, *(_said(one) for one in changes)))
    return f"Questions: {said}.\n\n{table(('left out', *sets), rows)}"


def _said(one: Change) -> str:
    if not any((one.difference, one.low, one.high)):
        return "0"
    return f"{one.difference:+.4f} ({one.low:+.3f} to {one.high:+.3f})"
