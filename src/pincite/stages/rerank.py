"""A second opinion on the best candidates, where a reranker is configured."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from pincite.errors import ConfigError, PinciteError
from pincite.model import Chunk, Notice, Pool, Query, Signal
from pincite.ports import Reranker


@dataclass(frozen=True, slots=True)
class RerankConfig:
    """How many of the best are judged, and within what time."""

    pool: int = 60
    timeout_s: float = 20.0

    def __post_init__(self) -> None:
        if self.pool < 1 or self.timeout_s <= 0:
            raise ConfigError("rerank.pool must be at least 1 and rerank.timeout_s positive")


async def rerank(query: Query, pool: Pool, reranker: Reranker | None, config: RerankConfig) -> Pool:
    """The pool with the signal `reranked` on its best, these ahead of the others.

    Without a reranker the pool passes unchanged; when it fails or is late, too, with the notice
    `rerank_unavailable`.
    """
    judged = pool.candidates[: config.pool]
    if reranker is None or not judged:
        return pool
    try:
        async with asyncio.timeout(config.timeout_s):
            scores = await reranker.rerank(query.text, [document(c.chunk) for c in judged])
    except (PinciteError, TimeoutError) as error:
        reason = str(error) or f"no answer within {config.timeout_s:g} s"
        notice = Notice("rerank_unavailable", f"the order is that before reranking: {reason}")
        return replace(pool, notices=(*pool.notices, notice))
    kind = reranker.kind
    scored = [judged[one.index].with_signal(Signal("reranked", kind, one.score)) for one in scores]
    named = {one.index for one in scores}
    unnamed = [c for place, c in enumerate(judged) if place not in named]
    ordered = sorted(scored, key=lambda c: c.rank_key)
    return replace(pool, candidates=(*ordered, *unnamed, *pool.candidates[config.pool :]))


def document(chunk: Chunk) -> str:
    """A chunk as a reranker reads it: where it stands, then the text."""
    lines = [
        f"SOURCE: {chunk.source_type}",
        f"REPO: {chunk.repo}",
        f"REF: {chunk.ref}",
        f"LOC: {chunk.url}" if chunk.url else f"PATH: {chunk.path}",
        f"LINES: {chunk.start_line}-{chunk.end_line}",
    ]
    if chunk.headings:
        lines.append(f"IN: {' > '.join(chunk.headings)}")
    return "\n".join((*lines, "", chunk.plain or chunk.text))
