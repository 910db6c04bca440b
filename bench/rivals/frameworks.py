"""The keyword retrievers of LlamaIndex and LangChain beside Pincite, on public collections.

Every document is one text, so nothing depends on chunking. The retrievers have their defaults,
which need no key and no model. Pincite is asked by words, and as shipped with its bundled model.

- nDCG@10: mean over the judged queries, as in `quality`.
- query: milliseconds in the process, median. Pincite's include the encoding of the query, its
  verdict and the packing of passages; the retrievers return texts.
- index: seconds from texts in memory. For Pincite with the model it is not given, as vectors of
  documents are kept from earlier runs. Pincite's index is on the disk, the others' in memory.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.frame import Options, SkippedError
from bench.product import new_index
from bench.retrieval.quality import build
from bench.variants import Variant, ask, deps_of, profile_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.evals.analysis.measures import evaluate
from pincite.evals.analysis.statistics import median
from pincite.evals.golden.beir import LAYOUT, Collection, read_beir
from pincite.evals.report.tables import table
from pincite.ports import DenseEncoder

_SETS: Final = ("scifact-train", "cranfield", "anthropic-docs", "xquad-en")
_WORKER: Final = Path(__file__).with_name("framework_worker.py")
_VARIANTS: Final[Mapping[Variant, str]] = {
    "lexical": "Pincite, keywords only",
    "default": "Pincite",
}
_RESULTS: Final = 10
_QUICK_QUERIES: Final = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """One system on one collection, see the module's docstring."""

    ndcg_10: float
    query_p50_ms: float
    index_s: float | None


@dataclass(frozen=True, slots=True)
class FrameworkFigures:
    """Outcomes by system and collection; `sizes` are documents and queries."""

    versions: dict[str, str]
    sizes: dict[str, tuple[int, int]]
    systems: dict[str, dict[str, Outcome]]


async def run(options: Options) -> FrameworkFigures:
    """Raises SkippedError where the frameworks or the data are missing."""
    if options.frameworks is None:
        raise SkippedError(
            "no --frameworks: name a Python that has llama-index-retrievers-bm25,"
            " langchain-community and rank-bm25"
        )
    versions: dict[str, str] = {}
    sizes: dict[str, tuple[int, int]] = {}
    systems: dict[str, dict[str, Outcome]] = {}
    encoder = open_product_encoder(options.models)
    cached = CachedEncoder(encoder, options.cache)
    try:
        for name in _SETS[-1:] if options.quick else _SETS:
            collection = read_beir(options.folder(name, LAYOUT))
            if options.quick:
                collection = collection.first(_QUICK_QUERIES)
            sizes[name] = (len(collection.documents), len(collection.queries))
            rivals = await _rivals(options.frameworks, collection)
            for system, (version, outcome) in rivals.items():
                versions[system] = version
                systems.setdefault(system, {})[name] = outcome
            for variant, system in _VARIANTS.items():
                outcome = await _ours(collection, variant, cached)
                systems.setdefault(system, {})[name] = outcome
            for system, by_set in systems.items():
                print(f"  {name}, {system}: {by_set[name]}", flush=True)
    finally:
        cached.close()
        encoder.close()
    return FrameworkFigures(versions, sizes, systems)


async def _rivals(python: Path, collection: Collection) -> dict[str, tuple[str, Outcome]]:
    process = await asyncio.create_subprocess_exec(
        *(str(python), str(_WORKER)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    job = {
        "documents": _texts(collection),
        "queries": collection.queries,
        "results": _RESULTS,
    }
    printed, _ = await process.communicate(json.dumps(job).encode() + b"\n")
    outcomes = {}
    for line in printed.decode().splitlines():
        said = json.loads(line)
        if "missing" in said:
            raise SkippedError(f"{python} lacks {said['name']}: {said['missing']}")
        found = _outcome(collection, said["found"], list(said["query_ms"].values()))
        outcomes[said["name"]] = (
            said["version"],
            Outcome(*found, round(said["index_s"], 2)),
        )
    if not outcomes:
        raise SkippedError(f"{python} {_WORKER.name} ended with {process.returncode}")
    return outcomes


def _texts(collection: Collection) -> dict[str, str]:
    return {name: text for name, text in collection.documents.items() if text.strip()}


async def _ours(collection: Collection, variant: Variant, encoder: DenseEncoder) -> Outcome:
    async with new_index() as index:
        started_s = time.perf_counter()
        words = variant == "lexical"
        spec = await build(index, collection, None if words else encoder)
        index_s = round(time.perf_counter() - started_s, 2) if words else None
        deps = deps_of(variant, spec, index, encoder, code=False)
        profile = profile_of(variant, results=_RESULTS, same_text=False)
        await ask(next(iter(collection.queries.values())), deps, profile)
        found, query_ms = {}, []
        for name, question in collection.queries.items():
            started_s = time.perf_counter()
            pack = await ask(question, deps, profile)
            query_ms.append((time.perf_counter() - started_s) * 1000)
            found[name] = [item.path for item in pack.evidence]
    return Outcome(*_outcome(collection, found, query_ms), index_s)


def _outcome(
    collection: Collection, found: Mapping[str, list[str]], query_ms: list[float]
) -> tuple[float, float]:
    values = evaluate(("nDCG@10",), collection.judgements, found)
    return round(values["nDCG@10"], 4), round(median(query_ms), 2)


def frameworks(raw: Any) -> str:
    """A row for each system: nDCG@10 of each collection, then times of the largest one."""
    figures = msgspec.convert(raw, FrameworkFigures)
    largest = max(figures.sizes, key=lambda name: figures.sizes[name][0])
    head = ("nDCG@10", *figures.sizes, "mean", "query p50, ms", "index, s")
    rows = []
    for system, by_set in figures.systems.items():
        values = [by_set[name].ndcg_10 for name in figures.sizes]
        timed = by_set[largest]
        rows.append(
            (
                f"{system} {figures.versions.get(system, '')}".strip(),
                *(f"{value:.3f}" for value in values),
                f"{sum(values) / len(values):.3f}",
                f"{timed.query_p50_ms:.1f}",
                "" if timed.index_s is None else f"{timed.index_s:.1f}",
            )
        )
    sizes = ", ".join(
        f"{name} {documents:,} documents and {queries:,} questions"
        for name, (documents, queries) in figures.sizes.items()
    )
    return f"{table(head, rows)}\n\nTimes are those of {largest}. {sizes}."
