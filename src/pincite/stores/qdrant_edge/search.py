"""A hybrid search as calls of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

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
    dense_points = _nearest(shard, dense_query, request.dense_limit, filter_, _params(request))
    sparse_points = _nearest(shard, sparse_query, request.sparse_limit, filter_)
    dense_tail: Sequence[edge.ScoredPoint] = ()
    sparse_tail: Sequence[edge.ScoredPoint] = ()
    if request.complete:
        ids = {point.id for point in dense_points}, {point.id for point in sparse_points}
        dense_tail = _among(shard, dense_query, ids[1] - ids[0])
        sparse_tail = _among(shard, sparse_query, ids[0] - ids[1])
    rankings = []
    if dense is not None:
        hits = (*translate.to_hits(dense_points), *translate.to_hits(dense_tail))
        rankings.append(Ranking(name, "dense", "cosine", hits, len(dense_points)))
    if sparse is not None:
        kind: SignalKind = "bm25" if spec.idf else "dot"
        hits = (*translate.to_hits(sparse_points), *translate.to_hits(sparse_tail))
        rankings.append(Ranking(name, "sparse", kind, hits, len(sparse_points)))
    return tuple(rankings)


def _params(request: SearchRequest) -> edge.SearchParams:
    return edge.SearchParams(hnsw_ef=request.hnsw_ef, exact=request.exact)


def _nearest(
    shard: Shard,
    query: edge.Query | None,
    limit: int,
    filter_: edge.Filter | None,
    params: edge.SearchParams | None = None,
) -> Sequence[edge.ScoredPoint]:
    if query is None:
        return ()
    request = edge.QueryRequest(limit=limit, query=query, filter=filter_, params=params)
    return shard.ask(lambda s: s.query(request))


def _among(shard: Shard, query: edge.Query | None, ids: set[UUID]) -> Sequence[edge.ScoredPoint]:
    """What one side thinks of the hits that only the other side found."""
    if query is None or not ids:
        return ()
    return _nearest(shard, query, len(ids), edge.Filter(must=[edge.HasIdCondition(ids)]))


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
