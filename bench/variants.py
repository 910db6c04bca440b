"""The query path in its variants: one side alone, each fusion, and the profile as shipped."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final, Literal

from bench.vectors import NoWords
from pincite.deps import Deps
from pincite.evals.run.runner import measured
from pincite.model import CollectionSpec, EvidencePack, Question
from pincite.ports import DenseEncoder, Index, Searchable
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.search import search
from pincite.stages.fuse import FuseMethod
from pincite.support.fields import replace
from pincite.trace import Trace

Variant = Literal["lexical", "dense", "rrf", "weighted_rrf", "dbsf", "weighted_sum", "default"]

#: `default` is the profile as shipped; the fusions are that profile with another fusion and
#: without smoothing; `lexical` and `dense` have one branch only.
VARIANTS: Final[tuple[Variant, ...]] = (
    *("lexical", "dense", "rrf", "weighted_rrf", "dbsf", "weighted_sum", "default"),
)
_METHODS: Final[dict[Variant, FuseMethod]] = {
    "rrf": "rrf",
    "weighted_rrf": "weighted_rrf",
    "dbsf": "dbsf",
}


def profile_of(
    variant: Variant, *, results: int, pool: int = 0, same_text: bool = True, keep: bool = True
) -> Profile:
    """`results` are shown; `pool` candidates are loaded (0: as many as the default loads, but no
    fewer than are shown). `same_text` and `keep` are `dedup.same_text` and `select.on_none`."""
    shipped = measured(Profile()).showing(results)
    profile = replace(
        shipped,
        load=replace(shipped.load, pool=max(pool or shipped.load.pool, results)),
        dedup=replace(shipped.dedup, same_text=same_text),
        select=replace(shipped.select, on_none="keep" if keep else "drop"),
    )
    if variant == "default":
        return profile
    return replace(
        profile,
        fuse=replace(shipped.fuse, method=_METHODS.get(variant, "weighted_sum")),
        smooth=replace(shipped.smooth, weight=0.0),
    )


def deps_of(
    variant: Variant,
    spec: CollectionSpec,
    index: Index,
    dense: DenseEncoder | None,
    *,
    code: bool = False,
) -> Deps:
    """What the engine would search this collection with, less one side where that is asked."""
    sparse = Bm25Encoder(spec.language)
    collection = Searchable(
        spec,
        index,
        NoWords(sparse) if variant == "dense" else sparse,
        None if variant == "lexical" else dense,
        code=code,
    )
    return Deps((collection,), informative_terms(spec.language), guess_language)


async def ask(text: str, deps: Deps, profile: Profile) -> EvidencePack:
    """One search on the product's own query path."""
    return await search(Question(text), deps, profile, Trace(time.perf_counter))


async def ask_all(texts: Iterable[str], deps: Deps, profile: Profile) -> list[EvidencePack]:
    """One search after the other."""
    return [await ask(text, deps, profile) for text in texts]
