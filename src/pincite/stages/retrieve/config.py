"""Settings of retrieval: its mode, and the number of hits of each side."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from pincite.support.fields import replace
from pincite.support.ranges import require_one_of, require_range

EngineFusion = Literal["none", "rrf", "dbsf"]
SearchMode = Literal["hybrid", "vector", "keyword"]
KeywordSearch = Literal["bm25", "filter"]
_LIMITS = ("dense_limit", "sparse_limit", "code_limit", "hnsw_ef", "engine_k", "engine_limit")
_KNOWN = {"mode": get_args(SearchMode), "keyword": get_args(KeywordSearch)}


class RetrieveConfig(msgspec.Struct, frozen=True):
    """The number of hits per side and collection, the store's parameters, and the time limit.

    nDCG@10 over ten collections with limits of 60, 50, 40, 30: .7550 .7551 .7543 .7550, over five
    pairs of them .6262 .6267 .6269 .6261, all within noise. The work of the store and of all later
    stages is proportional to the limits. R@20 needs twice the results: .9033 with 40, .9019 with 30
    (docs/decisions/0004).

    `code_limit`: the minimum hits of each side for a collection that is at least half code, unless
    the search leaves code out.
    `symbol_limit`: the hits of each side, for each name that the question writes like code, among
    the chunks that define it; 0 for none (docs/decisions/0020).

    `mode`: both sides, only the dense one, or only the lexical one. `keyword`: the lexical side
    ranks by `bm25`, or is a `filter`: chunks with all words of the question score 1. `per_result`:
    the limits as a multiple of the requested results; 0 leaves them, with at least
    `least_per_result` times the results. `widened`: the factor for the limits when a kind of source
    is searched again. `identifier_weight`: the additional weight of the question's identifiers on
    the sparse side.

    `engine_fusion`: let the store fuse both sides, with `engine_k`, and return the best
    `engine_limit`. This saves a request, but the store breaks ties at random.
    """

    dense_limit: int = 30
    sparse_limit: int = 30
    hnsw_ef: int = 128
    exact: bool = False
    timeout_s: float = 10.0
    widened: float = 1.5
    identifier_weight: float = 0.0
    engine_fusion: EngineFusion = "none"
    engine_k: int = 60
    engine_limit: int = 60
    mode: SearchMode = "hybrid"
    keyword: KeywordSearch = "bm25"
    per_result: int = 0
    least_per_result: int = 2
    code_limit: int = 100
    symbol_limit: int = 10

    def deeper(self) -> RetrieveConfig:
        """Return the settings for a collection with at least `code_limit` hits of each side."""
        dense, sparse = (max(n, self.code_limit) for n in (self.dense_limit, self.sparse_limit))
        return replace(self, dense_limit=dense, sparse_limit=sparse)

    def __post_init__(self) -> None:
        require_range(self, "retrieve", *_LIMITS, "widened", "least_per_result", least=1)
        require_range(self, "retrieve", "identifier_weight", "per_result", "symbol_limit", least=0)
        require_range(self, "retrieve", "timeout_s", above=0)
        require_one_of(self, "retrieve", **_KNOWN)
