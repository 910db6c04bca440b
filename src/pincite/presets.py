"""Named profiles. Nothing in the code asks which one runs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pincite.model import Corpus
from pincite.profile import Profile
from pincite.stages.coverage import CoverageConfig
from pincite.stages.fuse import FuseConfig
from pincite.stages.load import LoadConfig
from pincite.stages.merge import MergeConfig
from pincite.stages.pack import PackConfig
from pincite.stages.prepare import PrepareConfig
from pincite.stages.rerank import RerankConfig
from pincite.stages.retrieve import RetrieveConfig
from pincite.stages.select import SelectConfig
from pincite.stages.smooth import SmoothConfig

GENERAL, EVIDENCE, MULTI_MODEL = "general", "evidence", "multi-model"

#: For coding agents: documentation and code side by side, deep pools for a reranker, both kinds in
#: what is shown. The limits are those of the specification it follows, the fusion is what measured
#: best over documentation and code of one framework (docs/decisions/0011). Without a reranker 40 to
#: 180 candidates give the same results on adk-dev.
_EVIDENCE = Profile(
    corpus=Corpus(topics="guide concepts example"),  # guess, unmeasured
    prepare=PrepareConfig(
        expansions={
            "*": (
                "{code} official usage: {query}",
                "{corpus} {topics}: {query}",
                "In code: {identifiers} {query}",
            )
        }
    ),
    retrieve=RetrieveConfig(dense_limit=80, sparse_limit=120, hnsw_ef=256),
    fuse=FuseConfig(method="weighted_dbsf", apart=True),
    load=LoadConfig(pool=180, share=0.5, alone=1 / 3, vectors=False),
    smooth=SmoothConfig(weight=0.0),
    rerank=RerankConfig(pool=180),
    cover=CoverageConfig(candidates=30),  # as deep as a kind that is short is looked for
    select=SelectConfig(results=12, docs=3, code=3),
    pack=PackConfig(need_url=True),
)

#: For a base with a member for each model: the factors of the specification it follows. Every
#: member gives 3 times the results, for which each side is asked for 4 times as many; both sides
#: are fused by RRF, and the members are, too.
_MULTI_MODEL = Profile(
    retrieve=RetrieveConfig(dense_limit=144, sparse_limit=144, per_result=12),
    fuse=FuseConfig(method="rrf"),
    across=MergeConfig(method="rrf", depth=36, per_result=3),
    load=LoadConfig(pool=36, alone=1.0),
    smooth=SmoothConfig(weight=0.0),
    select=SelectConfig(results=12),
)

#: `general` is what measures best over ten collections (docs/decisions/0004).
PRESETS: Mapping[str, Profile] = MappingProxyType(
    {GENERAL: Profile(), EVIDENCE: _EVIDENCE, MULTI_MODEL: _MULTI_MODEL}
)
