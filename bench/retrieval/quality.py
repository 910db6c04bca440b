"""Retrieval quality on ten public collections, through the product's own query path.

Every document of a collection is one chunk (title, newline, text), encoded, weighed, stored and
searched as the product does it, in this process. Documents without any text are not indexed, as
the product has no chunk for them. Equal texts are not merged: the collections judge each of them.

- nDCG@10, Recall@100, MRR@10: means over all judged queries, by `ir-measures` (linear gains; a
  document is relevant from gain 1). nDCG@10 and MRR@10 of `default` are those of the profile as
  shipped; its Recall@100 is taken with 100 candidates loaded and shown.
- `reference` columns: a plain BM25 of the collections' keepers, see `references.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.frame import Options
from bench.product import new_index
from bench.retrieval.references import REFERENCES, Reference
from bench.retrieval.spans import SpanFigures, measure_spans
from bench.variants import VARIANTS, Variant, ask, deps_of, profile_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.evals.analysis.measures import evaluate, parse
from pincite.evals.golden.beir import Collection, read_beir
from pincite.evals.golden.corpora import index_corpus
from pincite.index.local import LocalIndex
from pincite.model import CollectionSpec
from pincite.ports import DenseEncoder

_DEEP = 100
_QUICK = ("anthropic-docs", "xquad-zh")
_QUICK_QUERIES = 40
#: Collections of code, which the product recognises by their files.
CODE_SETS = ("cosqa-dev", "mbpp-code")

LEXICAL_SLACK = 0.01  #: the lexical side may be so much below the reference on any set
DEFAULT_SLACK = 0.015  #: the default may be so much below the better of its sides on any set


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over the queries of one collection, 0..1."""

    ndcg_10: float
    recall_100: float
    mrr_10: float


@dataclass(frozen=True, slots=True)
class SetFigures:
    """One collection. `language` is what the product guessed, `blank` documents had no text."""

    name: str
    documents: int
    queries: int
    language: str
    blank: int
    reference: Reference | None
    scores: dict[str, Scores]

    @property
    def lexical_holds(self) -> bool:
        """Is the lexical side no worse than the reference less the slack?"""
        reference = self.reference.ndcg_10 if self.reference else 0.0
        return self.scores["lexical"].ndcg_10 >= reference - LEXICAL_SLACK

    @property
    def default_holds(self) -> bool:
        """Is the default no worse than the better of its sides less the slack?"""
        better = max(self.scores[side].ndcg_10 for side in ("lexical", "dense"))
        return self.scores["default"].ndcg_10 >= better - DEFAULT_SLACK


@dataclass(frozen=True, slots=True)
class QualityFigures:
    """All collections, and the means of each variant over them."""

    sets: tuple[SetFigures, ...]
    means: dict[str, Scores]
    missing: tuple[str, ...] = ()
    spans: SpanFigures | None = None

    @property
    def default_holds(self) -> bool:
        """Is the default better than either of its sides in the mean?"""
        sides = max(self.means[side].ndcg_10 for side in ("lexical", "dense"))
        return self.means["default"].ndcg_10 > sides


async def run(options: Options) -> QualityFigures:
    """Measure all collections that are there. Raises SkippedError if none is."""
    parse("nDCG@10")
    options.folder("", "a folder with one sub-folder per collection")
    present = [name for name in REFERENCES if (options.data / name).is_dir()]
    missing = tuple(name for name in REFERENCES if name not in present)
    for name in missing:
        print(f"  quality: {options.data / name} is missing and left out")
    if not present:
        options.folder(next(iter(REFERENCES)), "one of ten collections in the BEIR layout")
    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    figures = []
    try:
        for name in _QUICK if options.quick else present:
            collection = read_beir(options.data / name)
            if options.quick:
                collection = collection.first(_QUICK_QUERIES)
            figures.append(await measure(collection, cached))
            print(f"  {name}: {_line(figures[-1])}")
        spans = None
        if "chunking-eval" in present:
            spans = await measure_spans(options.data / "chunking-eval", cached, encoder, options)
    finally:
        cached.close()
        encoder.close()
    return QualityFigures(tuple(figures), _means(figures), missing, spans)


async def measure(
    collection: Collection, encoder: DenseEncoder, variants: Sequence[Variant] = VARIANTS
) -> SetFigures:
    """Index one collection in a temporary folder and ask all of its queries in these variants."""
    blank = sum(not text.strip() for text in collection.documents.values())
    async with new_index() as index:
        spec = await build(index, collection, encoder)
        scores = {
            str(variant): await _scores(variant, spec, index, encoder, collection)
            for variant in variants
        }
    return SetFigures(
        name=collection.name,
        documents=len(collection.documents),
        queries=len(collection.queries),
        language=spec.language,
        blank=blank,
        reference=REFERENCES.get(collection.name),
        scores=scores,
    )


async def build(
    index: LocalIndex, collection: Collection, encoder: DenseEncoder | None
) -> CollectionSpec:
    """One chunk per document. The stemming language of code is English, as in the product."""
    code = collection.name in CODE_SETS
    return await index_corpus(
        index,
        collection.name,
        collection.documents,
        encoder,
        language="english" if code else "auto",
        source_type="code" if code else "docs",
    )


async def _scores(
    variant: Variant,
    spec: CollectionSpec,
    index: LocalIndex,
    encoder: DenseEncoder,
    collection: Collection,
) -> Scores:
    deps = deps_of(variant, spec, index, encoder, code=spec.name in CODE_SETS)

    async def rank(results: int) -> dict[str, list[str]]:
        profile = profile_of(variant, results=results, same_text=False)
        return {
            key: [item.path for item in (await ask(text, deps, profile)).evidence]
            for key, text in collection.queries.items()
        }

    deep = await rank(_DEEP)
    top = await rank(10) if variant == "default" else deep
    judged = collection.judgements
    at_10 = evaluate(("nDCG@10", "RR@10"), judged, top)
    at_100 = evaluate(("R@100",), judged, deep)
    return Scores(at_10["nDCG@10"], at_100["R@100"], at_10["RR@10"])


def _means(figures: Sequence[SetFigures]) -> dict[str, Scores]:
    """Every collection counts the same."""
    count = max(1, len(figures))
    return {
        variant: Scores(
            *(
                sum(getattr(one.scores[variant], field) for one in figures) / count
                for field in ("ndcg_10", "recall_100", "mrr_10")
            )
        )
        for variant in VARIANTS
    }


def _line(figures: SetFigures) -> str:
    parts = [f"{variant} {one.ndcg_10:.3f}" for variant, one in figures.scores.items()]
    marks = ("" if figures.lexical_holds else " LEXICAL BELOW REFERENCE") + (
        "" if figures.default_holds else " DEFAULT BELOW A SIDE"
    )
    return f"{', '.join(parts)}{marks}"
