"""The query path: from a question to an evidence pack. Nothing else knows the order of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pincite.model import EvidencePack, Plan, Query, Scope
from pincite.ports import Reranker, Searchable
from pincite.profile import Profile
from pincite.stages.blend import blend
from pincite.stages.coverage import cover
from pincite.stages.dedup import dedup
from pincite.stages.fuse import dense_weight, fuse
from pincite.stages.gate import gate
from pincite.stages.load import load
from pincite.stages.pack import pack
from pincite.stages.prepare import prepare
from pincite.stages.rerank import rerank
from pincite.stages.retrieve import Retrieved, retrieve
from pincite.stages.select import select
from pincite.stages.smooth import smooth
from pincite.trace import Trace


@dataclass(frozen=True, slots=True)
class Deps:
    """What a search needs besides its profile. `terms` are the informative words of a text."""

    collections: Sequence[Searchable]
    terms: Callable[[str], frozenset[str]]
    language_of: Callable[[str], str]
    reranker: Reranker | None = None


async def search(
    text: str, deps: Deps, profile: Profile, scope: Scope, trace: Trace
) -> EvidencePack:
    """Find, judge and cite. Raises UsageError for an empty query, and what retrieval raises when
    no collection answers."""
    trace.begin()
    query = trace.tap("prepare", prepare(text, profile.prepare))
    found = trace.tap("retrieve", await retrieve(query, deps.collections, scope, profile.retrieve))
    weights = _dense_weights(query, deps, profile, scope)
    fused = trace.tap("fuse", fuse(found.rankings, profile.fuse, weights))
    loaded = trace.tap("load", await load(fused, deps.collections, profile.load))
    unique = trace.tap("dedup", dedup(loaded, profile.dedup))
    smoothed = trace.tap("smooth", smooth(unique.candidates, profile.smooth))
    pool = replace(unique, candidates=smoothed)
    judged = trace.tap("rerank", await rerank(query, pool, deps.reranker, profile.rerank))
    blended = trace.tap("blend", blend(judged, profile.blend))
    foreign = _foreign(deps)
    covered = trace.tap(
        "cover", cover(query.text, blended.candidates, deps.terms, profile.cover, foreign)
    )
    gated = trace.tap("gate", gate(covered, profile.gate))
    chosen = trace.tap("select", select(gated, profile.select))
    plan = _plan(found, deps, profile)
    notices = (*found.notices, *blended.notices)
    result = trace.tap("pack", pack(query, chosen, gated, plan, notices, profile.pack))
    return replace(result, timings_ms=trace.timings_ms())


def _dense_weights(query: Query, deps: Deps, profile: Profile, scope: Scope) -> dict[str, float]:
    """How far to trust the dense side of each collection with this query."""
    language = deps.language_of(query.text)
    return {
        one.spec.name: dense_weight(
            language,
            one.spec.language,
            one.dense.languages,
            profile.fuse,
            code=one.code or scope.source_types == ("code",),
            names=bool(query.identifiers),
        )
        for one in deps.collections
        if one.dense is not None
    }


def _foreign(deps: Deps) -> frozenset[str]:
    """The collections whose language their dense model does not know."""
    return frozenset(
        one.spec.name
        for one in deps.collections
        if one.dense is not None
        and one.dense.languages
        and one.spec.language not in one.dense.languages
    )


def _plan(found: Retrieved, deps: Deps, profile: Profile) -> Plan:
    config = profile.retrieve
    dense = {ranking.collection for ranking in found.rankings if ranking.signal == "dense"}
    rungs = sorted({one.rung for one in deps.collections if one.spec.name in dense})
    return Plan(
        collections=found.collections,
        rung="+".join(rungs) or "lexical",
        fusion=profile.fuse.method,
        limits={
            "dense": config.dense_limit,
            "sparse": config.sparse_limit,
            "pool": profile.load.pool,
            "results": profile.select.results,
        },
        search_params={"hnsw_ef": config.hnsw_ef, "exact": config.exact},
        counts=found.counts,
    )
