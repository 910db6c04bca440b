"""Quality while a collection is being encoded: a part of its chunks has vectors, the rest not yet.

Five public collections as in `quality.py`, each indexed with vectors for 0, 10, 50, 90 and 100 % of
its documents, chosen by a hash of their text, and asked all of its questions: nDCG@10 of the
profile as shipped, and of the lexical side alone. `unaware` is the same fusion without the rule for
what has no vector: such a chunk gets nothing from the dense side, whose weight is as always.

`code-search-dev` is asked by files as in `source_code/code_search.py`, repository by repository:
its chunks are cut by the product, and those with a vector are chosen one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import msgspec

from bench.frame import Options
from bench.product import new_index, temporary_folder
from bench.retrieval.quality import CODE_SETS, build
from bench.source_code.code_search import QUICK, Repository, ndcg, read
from bench.variants import Variant, ask, deps_of, profile_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.chunkers import ChunkerConfig
from pincite.evals.analysis.measures import evaluate
from pincite.evals.golden.beir import Collection, read_beir
from pincite.evals.report.tables import table
from pincite.index.local import LocalIndex
from pincite.ingest import ingest_all
from pincite.ingestion.deps import IngestDeps
from pincite.model import CollectionSpec
from pincite.ports import DenseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.sources import Selection, SourceLimits, open_source
from pincite.support.fields import replace

SETS = ("anthropic-docs", "cranfield", "cosqa-dev", "mbpp-code", "xquad-en")
CODE = "code-search-dev"
SHARES = (0.0, 0.1, 0.5, 0.9, 1.0)
_QUICK_QUERIES = 40
_NO_LIMIT = 10**12  # words and vectors are written together


@dataclass(frozen=True, slots=True)
class PartialFigures:
    """nDCG@10 by collection: of words alone, and by share of the documents that have vectors."""

    lexical: dict[str, float]
    default: dict[str, dict[float, float]]
    unaware: dict[str, dict[float, float]]


class SomeVectors:
    """Another encoder, less the vectors of all documents but a share."""

    def __init__(self, encoder: DenseEncoder, share: float) -> None:
        self._encoder = encoder
        self._share = share
        self.fingerprint = encoder.fingerprint
        self.dimensions = encoder.dimensions
        self.languages = encoder.languages

    async def embed_query(self, text: str) -> Any:
        """As the other."""
        return await self._encoder.embed_query(text)

    async def embed_documents(self, texts: Sequence[str]) -> Any:
        """A row or None for each text."""
        rows = await self._encoder.embed_documents(texts)
        return [row if self._chosen(text) else None for row, text in zip(rows, texts, strict=True)]

    def _chosen(self, text: str) -> bool:
        digest = blake2b(text.encode(errors="surrogatepass"), digest_size=4).digest()
        return int.from_bytes(digest) < self._share * 2**32


async def run(options: Options) -> PartialFigures:
    """Measure the collections that are there. Raises SkippedError if one is not."""
    figures = PartialFigures({}, {}, {})
    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    try:
        for name in SETS[:1] if options.quick else SETS:
            collection = read_beir(options.folder(name, "a collection in the BEIR layout"))
            if options.quick:
                collection = collection.first(_QUICK_QUERIES)
            figures.default[name], figures.unaware[name] = {}, {}
            for share in SHARES:
                await _measure(collection, SomeVectors(cached, share), share, figures)
            by_share = ", ".join(f"{k:.0%} {v:.3f}" for k, v in figures.default[name].items())
            print(f"  {name}: lexical {figures.lexical[name]:.3f}, {by_share}", flush=True)
        await _code(options, cached, figures)
    finally:
        cached.close()
        encoder.close()
    return figures


async def _measure(
    collection: Collection, encoder: Any, share: float, figures: PartialFigures
) -> None:
    name = collection.name
    async with new_index() as index:
        spec = await build(index, collection, encoder)
        asked = (spec, index, encoder, collection)
        if share == 0:
            figures.lexical[name] = await _ndcg("lexical", 1.0, *asked)
        figures.default[name][share] = await _ndcg("default", share, *asked)
        figures.unaware[name][share] = await _ndcg("default", 1.0, *asked)


async def _code(options: Options, encoder: Any, figures: PartialFigures) -> None:
    """All questions about repositories count the same."""
    data = options.folder(CODE, "repos.json, queries.jsonl and NAME.tar.xz")
    lexical: list[float] = []
    default: dict[float, list[float]] = {share: [] for share in SHARES}
    unaware: dict[float, list[float]] = {share: [] for share in SHARES}
    with temporary_folder() as work:
        for one in read(data, work):
            if options.quick and one.name not in QUICK:
                continue
            for share in SHARES:
                some = SomeVectors(encoder, share)
                async with new_index() as index:
                    spec = await _index(one, index, some)
                    asked = (spec, index, some, one)
                    if share == 0:
                        lexical += await _files("lexical", 1.0, *asked)
                    default[share] += await _files("default", share, *asked)
                    unaware[share] += await _files("default", 1.0, *asked)
            print(f"  {CODE}: {one.name}", flush=True)
    figures.lexical[CODE] = _mean(lexical)
    figures.default[CODE] = {share: _mean(values) for share, values in default.items()}
    figures.unaware[CODE] = {share: _mean(values) for share, values in unaware.items()}


async def _index(one: Repository, index: LocalIndex, dense: Any) -> CollectionSpec:
    """A repository as the product cuts it, with the vectors that this encoder gives."""
    sparse, chunker = Bm25Encoder("english"), ChunkerConfig()
    made_by = (dense.fingerprint, dense.dimensions)
    spec = CollectionSpec(one.name, sparse.fingerprint, chunker.fingerprint, *made_by)
    await index.create(spec)
    with open_source(one.root, name=one.name, limits=SourceLimits()) as opened:
        deps = IngestDeps(index, sparse, dense, chunker, much_bytes=_NO_LIMIT)
        await ingest_all([(opened, Selection())], spec, deps)
    return next(i.spec for i in await index.collections())


async def _files(
    variant: Variant,
    embedded: float,
    spec: CollectionSpec,
    index: LocalIndex,
    encoder: Any,
    repository: Repository,
) -> list[float]:
    deps = deps_of(variant, spec, index, encoder, code=True)
    known = tuple(replace(one, embedded=embedded) for one in deps.collections)
    deps = replace(deps, collections=known)
    profile = profile_of("default", results=10)
    values = []
    for query in repository.queries:
        pack = await ask(query.text, deps, profile)
        values.append(ndcg(dict.fromkeys(item.path for item in pack.evidence), query.targets))
    return values


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / max(1, len(values))


async def _ndcg(
    variant: Variant,
    embedded: float,
    spec: CollectionSpec,
    index: LocalIndex,
    encoder: Any,
    collection: Collection,
) -> float:
    deps = deps_of(variant, spec, index, encoder, code=spec.name in CODE_SETS)
    known = tuple(replace(one, embedded=embedded) for one in deps.collections)
    deps = replace(deps, collections=known)
    profile = profile_of(variant, results=10, same_text=False)
    found = {
        key: [item.path for item in (await ask(text, deps, profile)).evidence]
        for key, text in collection.queries.items()
    }
    return float(evaluate(("nDCG@10",), collection.judgements, found)["nDCG@10"])


def partial(raw: Any) -> str:
    """nDCG@10 by the share of documents that have vectors, with and without the rule."""
    figures = msgspec.convert(raw, PartialFigures, str_keys=True)
    rows = []
    for name, lexical in figures.lexical.items():
        for label, given in (("", figures.default), ("without the rule", figures.unaware)):
            by_share = [f"{given[name][share]:.3f}" for share in SHARES]
            rows.append((f"... {label}" if label else name, f"{lexical:.3f}", *by_share))
    return table(("set", "lexical", *(f"{share:.0%}" for share in SHARES)), rows)
