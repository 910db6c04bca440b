"""A hybrid search as calls of the engine."""

from __future__ import annotations

from collections.abc import Sequence

import qdrant_edge as edge

from pincite.model import CollectionSpec, Hit, Ranking, SignalKind
from pincite.ports import SearchRequest
from pincite.stores.payload import DENSE, SPARSE
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.shard import Shard


def search(shard: Shard, spec: CollectionSpec, request: SearchRequest) -> tuple[Ranking, ...]:
    """As `Store.search`, for a request that has been checked."""
    name, dense, sparse = spec.name, request.dense, request.sparse
    filter_ = translate.to_filter(request.filter, shard.hidden)
    dense_query = sparse_query = None
    if dense is not None and spec.dense is not None:
        dense_query = edge.Query.Nearest(dense, using=DENSE)
    if sparse is not None and sparse.indices:
        sparse_query = edge.Query.Nearest(translate.to_sparse(sparse), using=SPARSE)
    if request.fusion != "none":
        return (_fused(shard, name, request, dense_query, sparse_query, filter_),)
    params = _params(request)
    dense_hits = _nearest(shard, dense_query, request.dense_limit, filter_, params)
    sparse_hits = _nearest(shard, sparse_query, request.sparse_limit, filter_)
    rankings = []
    if dense is not None:
        tail = _tail(shard, dense_query, dense_hits, sparse_hits) if request.complete else []
        hits = (*dense_hits, *tail)
        rankings.append(Ranking(name, "dense", "cosine", hits, len(dense_hits)))
    if sparse is not None:
        kind: SignalKind = "bm25" if spec.idf else "dot"
        tail = _tail(shard, sparse_query, sparse_hits, dense_hits) if request.complete else []
        hits = (*sparse_hits, *tail)
        rankings.append(Ranking(name, "sparse", kind, hits, len(sparse_hits)))
    return tuple(rankings)


def _params(request: SearchRequest) -> edge.SearchParams:
    return edge.SearchParams(hnsw_ef=request.hnsw_ef, exact=request.exact)


def _nearest(
    shard: Shard,
    query: edge.Query | None,
    limit: int,
    filter_: edge.Filter | None,
    params: edge.SearchParams | None = None,
) -> list[Hit]:
    if query is None:
        return []
    request = edge.QueryRequest(limit=limit, query=query, filter=filter_, params=params)
    return translate.to_hits(shard.ask(lambda s: s.query(request)))


def _tail(
    shard: Shard, query: edge.Query | None, own: Sequence[Hit], other: Sequence[Hit]
) -> list[Hit]:
    """What one side thinks of the hits that only the other side found."""
    missing = {hit.id for hit in other} - {hit.id for hit in own}
    if query is None or not missing:
        return []
    ids = edge.HasIdCondition(missing)
    return _nearest(shard, query, len(missing), edge.Filter(must=[ids]))


def _fused(
    shard: Shard,
    name: str,
    request: SearchRequest,
    dense: edge.Query | None,
    sparse: edge.Query | None,
    filter_: edge.Filter | None,
) -> Ranking:
    """Both branches in one call. The engine reads filters and parameters of a prefetch only, and
    counts ranks from 0, so that its k is one more than ours."""
    branches = (
        (dense, request.dense_limit, _params(request)),
        (sparse, request.sparse_limit, None),
    )
    prefetches = [
        edge.Prefetch(limit=limit, query=query, filter=filter_, params=params)
        for query, limit, params in branches
        if query is not None
    ]
    fusion = (
        edge.Fusion.Rrf(k=request.fusion_k + 1) if request.fusion == "rrf" else edge.Fusion.Dbsf()
    )
    hits: list[Hit] = []
    if prefetches:
        asked = edge.QueryRequest(limit=request.fusion_limit, query=fusion, prefetches=prefetches)
        hits = translate.to_hits(shard.ask(lambda s: s.query(asked)))
    return Ranking(
        name, "fused", "dbsf" if request.fusion == "dbsf" else "rrf", tuple(hits), len(hits)
    )
