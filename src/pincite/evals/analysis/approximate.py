"""Compare exact and approximate dense search, to find the chunks that the latter misses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.errors import UsageError
from pincite.evals.golden.questions import GoldenQuery
from pincite.evals.run.runner import Progressed, Subject
from pincite.model import Query, Question, Ranking
from pincite.model.citation import place_of
from pincite.profile import Profile
from pincite.search_steps.collection_facts import CollectionFacts
from pincite.stages.prepare import prepare
from pincite.stages.retrieve import RetrieveConfig, retrieve
from pincite.support.fields import replace


@dataclass(frozen=True, slots=True)
class Missed:
    """A chunk that exact search ranks among the first and approximate search does not find.
    `expected` is true if it counts for an expected item."""

    query_id: str
    collection: str
    chunk_id: str
    rank: int
    score: float
    place: str
    expected: bool


@dataclass(frozen=True, slots=True)
class AnnReport:
    """The result of the check. `recall` is the mean share of the exact first `depth` that
    approximate search finds, `worst` the lowest share of one question."""

    questions: int
    depth: int
    hnsw_ef: int
    recall: float
    worst: float
    missed: tuple[Missed, ...]


async def check_ann(
    subject: Subject,
    queries: Sequence[GoldenQuery],
    profile: Profile,
    *,
    depth: int = 50,
    sample: int = 50,
    seed: int = 0,
    progress: Progressed = lambda *_: None,
) -> AnnReport:
    """Search a sample of the questions in both ways. Ties at the end do not count as missed. Raises
    UsageError for a depth or a sample below 1, and if the index or the profile has no dense search.
    """
    for name, value in (("depth", depth), ("sample", sample)):
        if value < 1:
            raise UsageError(f"the {name} is {value}; it must be at least 1")
    if not any(one.dense for one in subject.deps.collections):
        raise UsageError(
            "the searched collections have no vectors, so there is no dense search to check",
            hint="pincite eval ann is for collections that were indexed without --lexical",
        )
    chosen = list(queries)
    if len(chosen) > sample:
        chosen = random.Random(seed).sample(chosen, sample)
    config = replace(profile.retrieve, dense_limit=max(depth, profile.retrieve.dense_limit))
    missed: list[Missed] = []
    shares: list[float] = []
    for done, query in enumerate(chosen, start=1):
        prepared = prepare(Question(query.text, subject.scope), profile.prepare)
        exact = await _dense(prepared, subject, replace(config, exact=True))
        near = await _dense(prepared, subject, replace(config, exact=False))
        wanted = found = 0
        if not exact:
            raise UsageError(
                "no dense search was made",
                hint="check retrieve.mode: pincite config show retrieve",
            )
        for truth, guess in zip(exact, near, strict=True):
            lost = _lost(truth, guess, depth)
            wanted += min(depth, truth.depth)
            found += min(depth, truth.depth) - len(lost)
            missed += await _describe(query, subject, truth, lost)
        shares.append(found / wanted if wanted else 1.0)
        progress(done, len(chosen))
    return AnnReport(
        questions=len(chosen),
        depth=depth,
        hnsw_ef=config.hnsw_ef,
        recall=sum(shares) / len(shares) if shares else 1.0,
        worst=min(shares, default=1.0),
        missed=tuple(missed),
    )


async def _dense(query: Query, subject: Subject, config: RetrieveConfig) -> list[Ranking]:
    collections, scope = subject.deps.collections, subject.scope
    facts = CollectionFacts.of(collections, scope)
    asked = (query, collections, scope, config)
    found = await retrieve(*asked, deep=facts.deep)
    return [ranking for ranking in found.rankings if ranking.signal == "dense"]


def _lost(truth: Ranking, guess: Ranking, depth: int) -> list[int]:
    """Return the ranks, from 0, of exact hits that approximate search lacks."""
    known = {hit.id for hit in guess.hits[: guess.depth]}
    first = truth.hits[: min(depth, truth.depth)]
    edge = first[-1].score if first else 0.0
    return [
        rank for rank, hit in enumerate(first) if hit.id not in known and hit.score > edge + 1e-6
    ]


async def _describe(
    query: GoldenQuery, subject: Subject, truth: Ranking, lost: Sequence[int]
) -> list[Missed]:
    if not lost:
        return []
    collection = next(c for c in subject.deps.collections if c.spec.name == truth.collection)
    ids = [truth.hits[rank].id for rank in lost]
    loaded = {one.chunk.id: one.chunk for one in await collection.index.load(truth.collection, ids)}
    targets = subject.targets.items.get(query.id, {})
    return [
        Missed(
            query_id=query.id,
            collection=truth.collection,
            chunk_id=truth.hits[rank].id,
            rank=rank + 1,
            score=truth.hits[rank].score,
            place=place_of(chunk) if chunk else "",
            expected=(truth.collection, truth.hits[rank].id) in targets,
        )
        for rank in lost
        for chunk in (loaded.get(truth.hits[rank].id),)
    ]
