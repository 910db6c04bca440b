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

from bench.beir import Collection, read_collection
from bench.frame import Options
from bench.measures import evaluate, parse
from bench.product import temporary_folder
from bench.references import REFERENCES, Reference
from bench.spans import SpanFigures, measure_spans
from bench.variants import VARIANTS, Variant, ask, deps_of, profile_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import chunk_id
from pincite.index import LocalIndex
from pincite.model import Chunk, CollectionSpec, DocumentRecord, Point, SourceType
from pincite.ports import DenseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder, round_average
from pincite.providers.sparse.language import guess_language, stemmer_for
from pincite.stores.qdrant_edge.store import EdgeStore

_DEEP = 100
_QUICK = ("anthropic-docs", "xquad-zh")
_QUICK_QUERIES = 40
#: Collections of code, which the product recognises by their files.
CODE_SETS = ("cosqa-dev", "mbpp-code")
_SAMPLE = (40, 4_000)  # documents and characters that the product guesses the language from

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
            collection = read_collection(options.data / name)
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
    texts = {key: text for key, text in collection.documents.items() if text.strip()}
    with temporary_folder() as folder:
        store = EdgeStore(folder / "store")
        index = LocalIndex(store, SqliteCatalog(folder / "catalog.db"), store)
        try:
            spec = await build(index, collection.name, texts, encoder)
            scores = {
                str(variant): await _scores(variant, spec, index, encoder, collection)
                for variant in variants
            }
        finally:
            await index.close()
    return SetFigures(
        name=collection.name,
        documents=len(collection.documents),
        queries=len(collection.queries),
        language=spec.language,
        blank=len(collection.documents) - len(texts),
        reference=REFERENCES.get(collection.name),
        scores=scores,
    )


async def build(
    index: LocalIndex, name: str, texts: dict[str, str], encoder: DenseEncoder
) -> CollectionSpec:
    """One chunk per text. The path of a chunk is the id of its document."""
    code = name in CODE_SETS
    language = "english" if code else _language(tuple(texts.values()))
    sparse = Bm25Encoder(language)
    lengths = [sparse.encode_document(text, 1.0)[1] for text in texts.values()]
    spec = CollectionSpec(
        name=name,
        sparse=sparse.fingerprint,
        chunker="whole documents",
        dense=encoder.fingerprint,
        dimensions=encoder.dimensions,
        language=language,
        average_length=round_average(max(1.0, sum(lengths) / len(lengths))),
    )
    matrix = await encoder.embed_documents(tuple(texts.values()))
    points = []
    for (key, text), vector in zip(texts.items(), matrix, strict=True):
        weights, length = sparse.encode_document(text, spec.average_length)
        points.append(
            Point(_chunk(name, key, text, "code" if code else "docs"), weights, length, vector)
        )
    await index.create(spec)
    record = DocumentRecord(
        source=name,
        path="corpus",
        revision="0" * 32,
        content_hash="none",
        ref="bench",
        size=0,
        mtime_ns=0,
        chunks=len(points),
        tokens=sum(lengths),
        source_type="code" if code else "docs",
    )
    await index.replace(name, record, points)
    return spec


def _language(texts: Sequence[str]) -> str:
    """Guessed from as large a sample as the product takes."""
    documents, chars = _SAMPLE
    sample = texts[:: max(1, len(texts) // documents)]
    return stemmer_for(guess_language("\n".join(text[:chars] for text in sample)))


def _chunk(name: str, key: str, text: str, source_type: SourceType) -> Chunk:
    return Chunk(
        id=chunk_id(name, key, "", 0, len(text)),
        repo=name,
        ref="bench",
        path=key,
        source_type=source_type,
        language="text",
        start=0,
        end=len(text),
        start_line=1,
        end_line=text.count("\n") + 1,
        text=text,
        content_hash="none",
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
