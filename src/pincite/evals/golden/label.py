"""Judge the results of searches, so that a golden set grows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from pincite.deps import Deps
from pincite.evals.golden.questions import Expected, GoldenQuery
from pincite.evals.golden.targets import Key, counts_for, named_path
from pincite.evals.run.observe import rankings_of
from pincite.model import Chunk, Question, Scope
from pincite.profile import Profile
from pincite.search import search
from pincite.support.fields import replace
from pincite.trace import Trace


@dataclass(frozen=True, slots=True)
class Passage:
    """A pooled chunk, with the rankings that contain it and its ranks in them."""

    chunk: Chunk
    found_by: tuple[tuple[str, int], ...]


async def pool(
    query: GoldenQuery, deps: Deps, profile: Profile, scope: Scope, depth: int
) -> tuple[Passage, ...]:
    """Pool the first `depth` of every ranking of a search: both sides, the fused one, the final
    one. Chunks that are judged, or count for a judged item, are left out. Best rank first, as in
    TREC pooling."""
    trace = Trace(time.perf_counter)
    await search(Question(query.text, scope, query.mode), deps, profile, trace)
    named: dict[Key, dict[str, int]] = {}
    for stage, lists in rankings_of(trace).items():
        for ranked in lists:
            for rank, key in enumerate(ranked[:depth], start=1):
                named.setdefault(key, {}).setdefault(stage, rank)
    chunks = await _load(deps, list(named))
    passages = [
        Passage(chunk, tuple(named[key].items()))
        for key, chunk in chunks.items()
        if not any(counts_for(chunk, item) for item in query.expected)
    ]
    passages.sort(key=lambda one: (min(rank for _, rank in one.found_by), one.chunk.id))
    return tuple(passages)


async def _load(deps: Deps, keys: Sequence[Key]) -> dict[Key, Chunk]:
    chunks: dict[Key, Chunk] = {}
    for collection in deps.collections:
        name = collection.spec.name
        ids = [chunk_id for owner, chunk_id in keys if owner == name]
        for stored in await collection.index.load(name, ids) if ids else ():
            chunks[name, stored.chunk.id] = stored.chunk
    return chunks


def judge(query: GoldenQuery, chunk: Chunk, grade: int) -> GoldenQuery:
    """Return the question with one more judgement. It has the lines of the chunk, because chunk ids
    change."""
    item = Expected(
        path=named_path(chunk),
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        grade=grade,
        source_type=chunk.source_type,
        repo=chunk.repo,
    )
    return replace(query, expected=(*query.expected, item))


def next_id(queries: Sequence[GoldenQuery]) -> str:
    """Return an id that no question has."""
    taken = {query.id for query in queries}
    number = len(taken) + 1
    while f"q{number:03}" in taken:
        number += 1
    return f"q{number:03}"
