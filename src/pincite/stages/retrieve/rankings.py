"""Search one collection, and combine its rankings before they are fused with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pincite.model import Hit, Ranking
from pincite.ports import Searchable, SearchRequest, Text
from pincite.support.concurrency import gather
from pincite.support.fields import replace
from pincite.trace import exchange


async def ask(collection: Searchable, request: SearchRequest) -> tuple[Ranking, ...]:
    """Search as `Readable.search` does, and report the exchange to listeners."""
    name = collection.spec.name
    with exchange(collection.store, name, asked=lambda: _told(request)) as reply:
        found = await collection.index.search(name, request)
        reply.answered = lambda: {
            ranking.signal: [[hit.id, round(hit.score, 6)] for hit in ranking.hits]
            for ranking in found
        }
    return found


def _told(request: SearchRequest) -> dict[str, Any]:
    """Return all fields of a request for the report; of its vectors, only the sizes."""
    shown = {
        name: getattr(request, name)
        for name in ("dense_limit", "sparse_limit", "hnsw_ef", "exact", "fusion")
    }
    if request.fusion != "none":
        shown |= {"fusion_k": request.fusion_k, "fusion_limit": request.fusion_limit}
    dense = 0 if request.dense is None else len(request.dense)
    terms = 0 if request.sparse is None else len(request.sparse.indices)
    sizes = {"dimensions": dense, "terms": terms}
    return {**shown, **sizes, "filter": msgspec.to_builtins(request.filter)}


async def with_all_words(
    collection: Searchable, request: SearchRequest, text: str
) -> tuple[Ranking, ...]:
    """Search without fusion, with the lexical side as a filter: the chunks with every word of
    `text`, each with a score of 1, ordered by id. They are at most `sparse_limit`, those that BM25
    ranks highest."""
    sides = [
        replace(request, sparse=None, fusion="none"),
        replace(request.only(Text("text", text)), dense=None, fusion="none"),
    ]
    asked = [side for side in sides if side.dense is not None or side.sparse is not None]
    found = await gather([ask(collection, side) for side in asked])
    return tuple(
        _uniform(ranking) if ranking.signal == "sparse" else ranking
        for rankings in found
        for ranking in rankings
    )


def _uniform(ranking: Ranking) -> Ranking:
    hits = sorted(hit.id for hit in ranking.hits[: ranking.depth])
    return replace(ranking, kind="share", hits=tuple(Hit(key, 1.0) for key in hits))


def merge_wordings(rankings: Sequence[Ranking]) -> tuple[Ranking, ...]:
    """Combine the rankings of one signal and wording: the union of their hits, each once."""
    groups: dict[tuple[str, str, int], list[Ranking]] = {}
    for ranking in rankings:
        groups.setdefault((ranking.signal, ranking.kind, ranking.wording), []).append(ranking)
    return tuple(of[0] if len(of) == 1 else _union(of) for of in groups.values())


def _union(rankings: Sequence[Ranking]) -> Ranking:
    found = {hit.id: hit for ranking in rankings for hit in ranking.hits[: ranking.depth]}
    asked = {hit.id: hit for ranking in rankings for hit in ranking.hits if hit.id not in found}

    def ordered(hits: Mapping[str, Hit]) -> list[Hit]:
        return sorted(hits.values(), key=lambda hit: (-hit.score, hit.id))

    return replace(rankings[0], hits=(*ordered(found), *ordered(asked)), depth=len(found))
