"""The sets that the subject `local` is measured on, each as a subject with its questions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from bench.adk import require_docs
from bench.frame import Options, require
from bench.product import open_product
from bench.retrieval.evaluation import indexed
from bench.vectors import CachedEncoder
from pincite.evals.analysis.measures import by_ranks
from pincite.evals.golden.beir import read_beir
from pincite.evals.golden.questions import GoldenSet, read_golden
from pincite.evals.golden.targets import Key
from pincite.evals.run.runner import Subject, measured, open_subject
from pincite.model import EvidencePack, Scope
from pincite.profile import Profile
from pincite.support.fields import replace

PUBLIC: Final = ("cranfield", "cisi", "scifact-train", "cosqa-dev", "anthropic-docs")
MEASURES: Final = ("nDCG@10", "R@20")
_QUICK_QUERIES: Final = 20
_QUESTIONS: Final = 60  # of each set, evenly spread over it
_RESAMPLES: Final = 10_000

T = TypeVar("T")
#: The value of each measure by question.
Values = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class AskedSet:
    """A subject and its questions that have an answer."""

    name: str
    subject: Subject
    golden: GoldenSet

    def expected(self, query: str) -> Mapping[Key, tuple[int, ...]]:
        """Which items each chunk counts for."""
        return self.subject.targets.items.get(query, {})

    def values(self, rankings: Mapping[str, Sequence[Key]]) -> Values:
        """The measures of lists of chunks, best first."""
        grades, ranks = {}, {}
        for query in self.golden.queries:
            places = {key: n for n, key in enumerate(rankings.get(query.id, ()), start=1)}
            best = [0] * len(query.expected)
            for key, items in self.expected(query.id).items():
                for item in items if key in places else ():
                    best[item] = min(places[key], best[item] or places[key])
            grades[query.id] = [item.grade for item in query.expected]
            ranks[query.id] = best
        return by_ranks(MEASURES, grades, ranks)


@asynccontextmanager
async def opened_sets(options: Options, encoder: CachedEncoder) -> AsyncIterator[list[AskedSet]]:
    """All sets, indexed in temporary folders. Raises SkippedError."""
    async with AsyncExitStack() as stack:
        found = []
        for name in PUBLIC[:2] if options.quick else PUBLIC:
            collection = read_beir(options.folder(name, "a collection in the BEIR layout"))
            if options.quick:
                collection = collection.first(_QUICK_QUERIES)
            subject, golden = await stack.enter_async_context(indexed(collection, encoder))
            golden = GoldenSet(golden.name, spread(golden.queries, _QUESTIONS))
            found.append(AskedSet(name, subject, golden))
            print(f"  {name}: {len(golden.queries)} questions", flush=True)
        if not options.quick:
            found.append(await stack.enter_async_context(_adk(options)))
        yield found


@asynccontextmanager
async def _adk(options: Options) -> AsyncIterator[AskedSet]:
    """Documentation of a framework, through the product's own write path; the questions that it
    answers. The index stays in the cache."""
    golden = read_golden(require(options.golden / "adk-dev.jsonl", "one question per line"))
    docs = [
        replace(one, expected=expected)
        for one in golden.queries
        if (expected := tuple(item for item in one.expected if item.path.startswith("docs/")))
    ]
    kept = GoldenSet(golden.name, spread(docs, _QUESTIONS))
    async with open_product(options.cache / "local-adk", options) as engine:
        await engine.index([require_docs(options)])
        yield AskedSet("adk-dev", await open_subject(engine, kept, Scope()), kept)


def deep(profile: Profile, results: int = 20) -> Profile:
    """The profile as evaluations ask with it, showing so many, the nearest where none is good; no
    text is merged with an equal one, as the sets judge each."""
    one = measured(profile).showing(results)
    return replace(
        one,
        dedup=replace(one.dedup, same_text=False),
        select=replace(one.select, on_none="keep"),
        again=replace(one.again, few=0),
    )


def keys_of(pack: EvidencePack) -> list[Key]:
    """The chunks that are shown, best first."""
    return [(item.collection, item.chunk_id) for item in pack.evidence]


def difference(ours: Sequence[Values], theirs: Sequence[Values], measure: str) -> tuple[float, ...]:
    """The mean over sets of the mean differences over questions, and its 95 % interval: questions
    are drawn with replacement within each set (seed 0)."""
    rng = np.random.default_rng(0)
    means, points = np.zeros(_RESAMPLES), []
    for mine, other in zip(ours, theirs, strict=True):
        rows = np.array([mine[query][measure] - other[query][measure] for query in mine])
        drawn = rng.integers(0, len(rows), (_RESAMPLES, len(rows)))
        means += rows[drawn].mean(axis=1) / len(ours)
        points.append(rows.mean())
    low, high = np.quantile(means, (0.025, 0.975))
    return tuple(round(float(value), 4) for value in (np.mean(points), low, high))


def mean_of(values: Values, measure: str) -> float:
    """Over the questions."""
    return round(sum(one[measure] for one in values.values()) / max(1, len(values)), 4)


def spread(some: Sequence[T], most: int) -> tuple[T, ...]:
    """At most so many, evenly spread."""
    step = max(1.0, len(some) / most)
    return tuple(some[int(place * step)] for place in range(min(most, len(some))))
