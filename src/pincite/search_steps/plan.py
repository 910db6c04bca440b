"""The plan of a search: the record, in its pack, of how it was done."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Plan
from pincite.search_steps.run import Run
from pincite.stages.expand import Expanded
from pincite.stages.rerank import instruction_hash
from pincite.stages.retrieve import Retrieved


def plan_of(run: Run, expanded: Expanded, found: Retrieved, passes: Sequence[str]) -> Plan:
    """Return the collections, limits, models and passes of the search."""
    query, deps, profile = run.query, run.deps, run.profile
    config = profile.retrieve
    rungs = sorted({one.rung for one in deps.collections if one.spec.name in found.dense})
    return Plan(
        collections=found.collections,
        rung="+".join(rungs) or "lexical",
        fusion=profile.fusion,
        limits={
            "dense": config.dense_limit,
            "sparse": config.sparse_limit,
            "pool": profile.load.pool,
            "results": profile.select.results,
        },
        search_params={"hnsw_ef": config.hnsw_ef, "exact": config.exact},
        counts=found.counts,
        mode=query.mode,
        passes=tuple(passes),
        reranker=run.reranker_fingerprint,
        instruction=instruction_hash(query, deps.reranker, profile.rerank),
        expansion="skipped" if expanded.skipped else expanded.by,
        subqueries=expanded.lines,
    )
