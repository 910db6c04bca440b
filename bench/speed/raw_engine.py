"""The engine by itself: the calls that a search needs, with the product's parameters and none of
its code around them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from uuid import UUID

import qdrant_edge as edge

from bench.synthetic import Query
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.stores.payload import DENSE, SPARSE
from pincite.stores.qdrant_edge.generations import files_to_search, read_ahead
from pincite.stores.qdrant_edge.layout import USUAL, search_params, shard_config, unquantised


def time_engine(collection: Path, queries: Sequence[Query]) -> list[float]:
    """Milliseconds of the engine's calls for each query: both branches, the scores of each
    side for what the other one found, and the best chunks with their texts."""
    folder = _shard_folder(collection)
    shard = edge.EdgeShard.load(str(folder), shard_config(idf=False))
    read_ahead(files_to_search(folder), Event())
    encoder = Bm25Encoder()
    profile = Profile()
    try:
        warm = queries[: len(queries) // 4]
        times = []
        for query in (*warm, *queries):
            sparse = encoder.encode_query(query.text)
            vector = edge.SparseVector(list(sparse.indices), list(sparse.values))
            times.append(
                _time_one(
                    shard,
                    edge.Query.Nearest(query.vector, using=DENSE),
                    edge.Query.Nearest(vector, using=SPARSE),
                    profile,
                )
            )
    finally:
        shard.close()
    return times[len(warm) :]


def _time_one(
    shard: edge.EdgeShard, dense: edge.Query, sparse: edge.Query, profile: Profile
) -> float:
    config = profile.retrieve
    params = search_params(USUAL, config.hnsw_ef, config.exact)
    requests = (
        edge.QueryRequest(limit=config.dense_limit, query=dense, params=params),
        edge.QueryRequest(limit=config.sparse_limit, query=sparse),
    )
    spent_s = 0.0
    found: list[list[UUID]] = []
    for request in requests:
        started_s = time.perf_counter()
        points = shard.query(request)
        spent_s += time.perf_counter() - started_s
        found.append([point.id for point in points])
    for query, own, other in ((dense, *found), (sparse, *reversed(found))):
        missing = set(other) - set(own)
        if missing:
            among = edge.Filter(must=[edge.HasIdCondition(missing)])
            request = edge.QueryRequest(
                limit=len(missing), query=query, filter=among, params=unquantised()
            )
            started_s = time.perf_counter()
            shard.query(request)
            spent_s += time.perf_counter() - started_s
    best = [*dict.fromkeys(one for pair in zip(*found, strict=False) for one in pair)]
    started_s = time.perf_counter()
    shard.retrieve(best[: profile.candidates(reranked=False)], True, False)
    return (spent_s + time.perf_counter() - started_s) * 1000


def _shard_folder(collection: Path) -> Path:
    """Where the engine keeps its files: the one folder below that has segments."""
    return max(found.parent for found in collection.rglob("segments") if found.is_dir())
