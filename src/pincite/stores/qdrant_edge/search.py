"""Run a hybrid search as calls of Qdrant Edge."""

from __future__ import annotations

from uuid import UUID

import qdrant_edge as edge

from pincite.model import CollectionSpec, Hit, Ranking, SignalKind
from pincite.ports import SearchRequest
from pincite.stores.payload import DENSE, SPARSE
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.layout import search_params, unquantised
from pincite.stores.qdrant_edge.shard import Shard
from pincite.stores.qdrant_edge.translate import NOTHING, ScoredIds


def search(shard: Shard, spec: CollectionSpec, request: SearchRequest) -> tuple[Ranking, ...]:
    """Search as `Store.search` does, for a validated request."""
    name, dense, sparse = spec.name, request.dense, request.sparse
    filter_ = translate.to_filter(request.filter, shard.hidden)
    dense_query = sparse_query = None
    if dense is not None and spec.dense is not None:
        dense_query = edge.Query.Nearest(dense.tolist(), using=DENSE)  # arrays take twice as long
    if sparse is not None and sparse.indices:
        sparse_query = edge.Query.Nearest(translate.to_sparse(sparse), using=SPARSE)
    if request.fusion != "none":
        return (_fused(shard, name, request, dense_query, sparse_query, filter_),)
    params = _params(shard, request)
    by_dense = _nearest(shard, dense_query, request.dense_limit, filter_, params)
    by_sparse = _nearest(shard, sparse_query, request.sparse_limit, filter_)
    dense_tail = sparse_tail = NOTHING
    if request.complete:
        own, other = set(by_dense.ids), set(by_sparse.ids)
        dense_tail = _among(shard, dense_query, other - own)
        sparse_tail = _among(shard, sparse_query, own - other)
    rankings = []
    if dense is not None:
        hits = (*by_dense.hits(), *dense_tail.hits())
        rankings.append(Ranking(name, "dense", "cosine", hits, len(by_dense.ids)))
    if sparse is not None:
        kind: SignalKind = "bm25" if spec.idf else "dot"
        hits = (*by_sparse.hits(), *sparse_tail.hits())
        rankings.append(Ranking(name, "sparse", kind, hits, len(by_sparse.ids)))
    return tuple(rankings)


def _params(shard: Shard, request: SearchRequest) -> edge.SearchParams:
    return search_params(shard.layout, request.hnsw_ef, request.exact)


def _nearest(
    shard: Shard,
    query: edge.Query | None,
    limit: int,
    filter_: edge.Filter | None,
    params: edge.SearchParams | None = None,
) -> ScoredIds:
    if query is None:
        return NOTHING
    return shard.ask(lambda s: _query(s, query, limit, filter_, params))


def _among(shard: Shard, query: edge.Query | None, ids: set[UUID]) -> ScoredIds:
    """Return one side's scores of the hits that only the other side found."""
    if query is None or not ids:
        return NOTHING
    return shard.ask(
        lambda s: _query(
            s, query, len(ids), edge.Filter(must=[edge.HasIdCondition(ids)]), unquantised()
        )
    )


def _query(
    opened: edge.EdgeShard,
    query: edge.Query,
    limit: int,
    filter_: edge.Filter | None,
    params: edge.SearchParams | None,
) -> ScoredIds:
    request = edge.QueryRequest(limit=limit, query=query, filter=filter_, params=params)
    return ScoredIds.of(opened.query(request))


def _fused(
    shard: Shard,
    name: str,
    request: SearchRequest,
    dense: edge.Query | None,
    sparse: edge.Query | None,
    filter_: edge.Filter | None,
) -> Ranking:
    """Run both branches in one call. Qdrant Edge reads only filters and parameters of a prefetch,
    and counts ranks from 0, so its k is one more than ours."""
    branches = (
        (dense, request.dense_limit, _params(shard, request)),
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
        hits = shard.ask(lambda s: ScoredIds.of(s.query(asked))).hits()
    return Ranking(
        name, "fused", "dbsf" if request.fusion == "dbsf" else "rrf", tuple(hits), len(hits)
    )
