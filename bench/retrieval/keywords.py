"""Words ranked by SQLite's FTS5, against Pincite's own BM25, in the same store.

The ten collections of `quality`, one chunk for each document, in the store of kind `sqlite`. An
index is written once for each collection; what is compared opens the same file, so that chunks,
vectors and all else are equal.

- lexical: the order in which the index gives what the words find, 100 of it; nDCG@10 and R@100 are
  means over all judged queries.
- default: the profile as shipped, with the bundled model, nDCG@10 of 10 results; with ours and
  with FTS5's best, `porter`, on the sets of `_HYBRID`.
- better, worse: in how many sets the lexical nDCG@10 is above or below ours, with the mean
  difference over all queries and its 95 % interval (paired bootstrap over queries, 1,000 draws).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from bench.frame import Options
from bench.product import temporary_folder
from bench.retrieval.quality import CODE_SETS, build
from bench.retrieval.references import REFERENCES
from bench.variants import ask, deps_of, profile_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.catalog.file import open_catalog
from pincite.evals.analysis.measures import evaluate
from pincite.evals.golden.beir import Collection, read_beir
from pincite.index.local import LocalIndex
from pincite.model import CollectionSpec
from pincite.ports import DenseEncoder, SearchRequest
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.stores.sqlite.fts import FtsConfig
from pincite.stores.sqlite.store import SqliteStore

_DEEP: Final = 100
_HYBRID: Final = ("anthropic-docs", "cosqa-dev", "cranfield", "xquad-zh")
_DRAWS: Final = 1_000
_QUICK: Final = ("anthropic-docs", "xquad-zh")
_QUICK_QUERIES: Final = 40
#: Who ranks by words: ours, and FTS5 with each of its tokenizers.
ENGINES: Final[Mapping[str, FtsConfig | None]] = {
    "ours": None,
    "porter": FtsConfig("porter"),
    "unicode61": FtsConfig("unicode61"),
    "trigram": FtsConfig("trigram"),
}


@dataclass(frozen=True, slots=True)
class Ranked:
    """One set with one engine. `default` is 0 where it was not measured; `per_query` is the lexical
    nDCG@10 of each query."""

    lexical: float
    lexical_recall: float
    default: float
    per_query: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Lexical nDCG@10 less ours, over all queries of all sets."""

    better: int
    worse: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class KeywordFigures:
    """All sets by name, each engine by name."""

    sets: dict[str, dict[str, Ranked]]
    differences: dict[str, Difference]


async def run(options: Options) -> KeywordFigures:
    """Measure all collections that are there. Raises SkippedError if none is."""
    present = [name for name in REFERENCES if (options.data / name).is_dir()]
    if not present:
        options.folder(next(iter(REFERENCES)), "one of ten collections in the BEIR layout")
    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    sets = {}
    try:
        for name in _QUICK if options.quick else present:
            collection = read_beir(options.data / name)
            if options.quick:
                collection = collection.first(_QUICK_QUERIES)
            sets[name] = await _measure(collection, cached)
            print(f"  {name}: {_line(sets[name])}", flush=True)
    finally:
        cached.close()
        encoder.close()
    others = [name for name in ENGINES if name != "ours"]
    return KeywordFigures(sets, {name: _difference(sets, name) for name in others})


async def _measure(collection: Collection, encoder: DenseEncoder) -> dict[str, Ranked]:
    with temporary_folder() as folder:
        index = await _opened(folder, None)
        spec = await build(index, collection, encoder if collection.name in _HYBRID else None)
        await index.close()
        found = {}
        for name, words in ENGINES.items():
            index = await _opened(folder, words)
            try:
                hybrid = collection.name in _HYBRID and name in ("ours", "porter")
                dense = encoder if hybrid else None
                found[name] = await _ranked(spec, index, dense, collection)
            finally:
                await index.close()
        return found


async def _opened(folder: Path, words: FtsConfig | None) -> LocalIndex:
    store = SqliteStore(folder / "points.db", words)
    index = LocalIndex(store, open_catalog(folder), store)
    await index.open()
    return index


async def _ranked(
    spec: CollectionSpec,
    index: LocalIndex,
    dense: DenseEncoder | None,
    collection: Collection,
) -> Ranked:
    encoder = Bm25Encoder(spec.language)
    lexical = {}
    for key, text in collection.queries.items():
        request = SearchRequest(sparse=encoder.encode_query(text), sparse_limit=_DEEP, words=text)
        (ranking,) = await index.search(spec.name, request)
        lexical[key] = await _paths(index, spec, [hit.id for hit in ranking.hits])
    judged = collection.judgements
    words = evaluate(("nDCG@10", "R@100"), judged, lexical)
    each = (
        evaluate(("nDCG@10",), {key: judged[key]}, {key: lexical[key]})["nDCG@10"]
        for key in sorted(judged)
        if key in lexical
    )
    default = 0.0
    if dense is not None:
        deps = deps_of("default", spec, index, dense, code=spec.name in CODE_SETS)
        profile = profile_of("default", results=10, same_text=False)
        shown = {
            key: [item.path for item in (await ask(text, deps, profile)).evidence]
            for key, text in collection.queries.items()
        }
        default = evaluate(("nDCG@10",), judged, shown)["nDCG@10"]
    return Ranked(words["nDCG@10"], words["R@100"], default, tuple(each))


async def _paths(index: LocalIndex, spec: CollectionSpec, ids: list[str]) -> list[str]:
    return [one.chunk.path for one in await index.load(spec.name, ids)]


def _difference(sets: Mapping[str, Mapping[str, Ranked]], name: str) -> Difference:
    """Each set counts the same; queries are drawn anew within each."""
    gaps = [
        np.array(one[name].per_query) - np.array(one["ours"].per_query) for one in sets.values()
    ]
    seeded = np.random.default_rng(0)
    means = [
        float(np.mean([seeded.choice(gap, len(gap)).mean() for gap in gaps])) for _ in range(_DRAWS)
    ]
    low, high = np.quantile(means, (0.025, 0.975)).tolist()
    signs = [one[name].lexical - one["ours"].lexical for one in sets.values()]
    return Difference(
        sum(sign > 0 for sign in signs),
        sum(sign < 0 for sign in signs),
        float(np.mean([gap.mean() for gap in gaps])),
        low,
        high,
    )


def _line(found: Mapping[str, Ranked]) -> str:
    return ", ".join(f"{name} {one.lexical:.3f} ({one.default:.3f})" for name, one in found.items())
