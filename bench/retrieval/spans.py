"""Chunking: how much of what answers a question do the chunks of the product bring, and at what
price?

The documents of `chunking-eval` are written to files and go through the real write path; every
question has one or more character spans of one document that answer it.

- span recall@k: the share of a question's referenced characters that lie in one of the first k
  chunks, mean over the questions.
- tokens@k: word pieces of the texts of the first k chunks together, mean over the questions.
- precision@k: the share of the characters of the first k chunks that are referenced, mean over
  the questions.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.frame import Options, require
from bench.product import temporary_folder
from bench.variants import Variant, ask, deps_of, profile_of
from pincite.catalog.file import open_catalog
from pincite.chunkers import ChunkerConfig
from pincite.evals.golden.beir import read_rows
from pincite.evals.golden.targets import every_chunk
from pincite.index.local import LocalIndex
from pincite.ingest import ingest
from pincite.ingestion.deps import IngestDeps
from pincite.model import Chunk, CollectionSpec
from pincite.ports import DenseEncoder
from pincite.providers.bundled.minilm import MiniLmEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.sources import Selection, SourceLimits, open_source
from pincite.stores.qdrant_edge.store import EdgeStore

_LAYOUT = "documents.jsonl (_id, text) and span_queries.jsonl (text, corpus_id, references)"
_SPAN_VARIANTS: tuple[Variant, ...] = ("lexical", "dense", "weighted_sum", "default")
_DEPTHS = (5, 10)
_QUICK_QUERIES = 40

Spans = Sequence[tuple[int, int]]  #: characters, half open


@dataclass(frozen=True, slots=True)
class SpanScores:
    """By depth: shares in 0..1, and word pieces."""

    recall: dict[int, float]
    precision: dict[int, float]
    tokens: dict[int, float]


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """`chunk_tokens` is the mean number of word pieces of a chunk."""

    documents: int
    chunks: int
    chunk_tokens: float
    queries: int
    scores: dict[str, SpanScores]


async def measure_spans(
    folder: Path, encoder: DenseEncoder, counter: MiniLmEncoder, options: Options
) -> SpanFigures:
    """Index the documents and ask all questions. Raises SkippedError naming what is missing."""
    documents = [row for _, row in read_rows(require(folder / "documents.jsonl", _LAYOUT))]
    questions = [row for _, row in read_rows(require(folder / "span_queries.jsonl", _LAYOUT))]
    if options.quick:
        questions = questions[:_QUICK_QUERIES]
    with temporary_folder() as work:
        by_id = {row["_id"]: row["text"] for row in documents}
        async with index_texts(by_id, work, encoder) as (spec, index):
            chunks = {chunk.id: chunk async for chunk in every_chunk(index, "main")}
            counts = counter.count_tokens([chunk.text for chunk in chunks.values()])
            tokens = dict(zip(chunks, (count - 2 for count in counts), strict=True))
            scores = {}
            for variant in _SPAN_VARIANTS:
                deps = deps_of(variant, spec, index, encoder)
                profile = profile_of(variant, results=max(_DEPTHS))
                ranked = []
                for row in questions:
                    pack = await ask(row["text"], deps, profile)
                    ranked.append([chunks[item.chunk_id] for item in pack.evidence])
                scores[str(variant)] = score_spans(questions, ranked, tokens)
    return SpanFigures(
        documents=len(documents),
        chunks=len(chunks),
        chunk_tokens=round(sum(tokens.values()) / max(1, len(tokens)), 1),
        queries=len(questions),
        scores=scores,
    )


@asynccontextmanager
async def index_texts(
    texts: Mapping[str, str], work: Path, encoder: DenseEncoder
) -> AsyncIterator[tuple[CollectionSpec, LocalIndex]]:
    """The texts as files of their names, indexed by the real write path in the folder `work`."""
    folder = work / "texts"
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.txt").write_bytes(text.encode())
    store = EdgeStore(work / "store")
    index = LocalIndex(store, open_catalog(work), store)
    try:
        yield await _index(folder, index, encoder), index
    finally:
        await index.close()


async def _index(texts: Path, index: LocalIndex, encoder: DenseEncoder) -> CollectionSpec:
    sparse = Bm25Encoder("english")
    chunker = ChunkerConfig()
    spec = CollectionSpec(
        "main", sparse.fingerprint, chunker.fingerprint, encoder.fingerprint, encoder.dimensions
    )
    await index.create(spec)
    opened = open_source(texts, limits=SourceLimits())
    try:
        await ingest(opened, Selection(), spec, IngestDeps(index, sparse, encoder))
    finally:
        opened.close()
    return next(info.spec for info in await index.collections())


def score_spans(
    questions: Sequence[dict[str, Any]],
    ranked: Sequence[Sequence[Chunk]],
    tokens: dict[str, int],
) -> SpanScores:
    """Means over the questions, see the module's docstring."""
    recall, precision, price = (dict.fromkeys(_DEPTHS, 0.0) for _ in range(3))
    for question, chunks in zip(questions, ranked, strict=True):
        wanted = characters(
            (one["start_index"], one["end_index"]) for one in question["references"]
        )
        for depth in _DEPTHS:
            best = chunks[:depth]
            of_document = [c for c in best if c.path == f"{question['corpus_id']}.txt"]
            found = characters((chunk.start, chunk.end) for chunk in of_document)
            size = sum(chunk.end - chunk.start for chunk in best)
            recall[depth] += len(wanted & found) / len(wanted)
            precision[depth] += len(wanted & found) / size if size else 0.0
            price[depth] += sum(tokens[chunk.id] for chunk in best)
    count = max(1, len(questions))
    return SpanScores(
        *({k: round(v / count, 4) for k, v in by.items()} for by in (recall, precision, price))
    )


def characters(spans: Iterable[tuple[int, int]]) -> set[int]:
    """The characters of all spans together."""
    return {place for start, end in spans for place in range(start, end)}
