"""What a collection in the middle of a change of its model costs: some documents with one model,
the rest with another. `python -m bench.retrieval.models DATA NAME...`

The second model is the first half of the numbers of the bundled one: another space, with cosines of
another spread, and somewhat weaker. Documents are dealt out by a hash of their id.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from bench.product import new_index
from bench.variants import ask, profile_of
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.deps import Deps
from pincite.evals.analysis.measures import evaluate
from pincite.evals.golden.beir import Collection, read_beir
from pincite.evals.golden.corpora import index_corpus
from pincite.evals.run.runner import measured
from pincite.model import Matrix, Vector
from pincite.ports import DenseEncoder, Searchable
from pincite.presets import MULTI_MODEL, PRESETS
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.settings.load import load_settings
from pincite.stages.merge import MergeConfig
from pincite.support.fields import replace

RESULTS = 10
QUERIES = 200  # of each collection at most
SHARES = (0.1, 0.5)  # of the documents that have the second model


@dataclass(frozen=True, slots=True)
class Half:
    """The first half of another encoder's numbers, at length 1."""

    whole: DenseEncoder

    @property
    def fingerprint(self) -> str:
        return f"half of {self.whole.fingerprint}"

    @property
    def dimensions(self) -> int:
        return self.whole.dimensions // 2

    @property
    def languages(self) -> frozenset[str]:
        return self.whole.languages

    async def embed_query(self, text: str) -> Vector:
        row: Vector = self._cut(np.stack([await self.whole.embed_query(text)]))[0]
        return row

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return self._cut(await self.whole.embed_documents(texts))

    def _cut(self, rows: Matrix) -> Matrix:
        half: Matrix = rows[:, : self.dimensions]
        of_one: Matrix = half / np.linalg.norm(half, axis=1, keepdims=True)
        return of_one


def profiles() -> dict[str, Profile]:
    """The ways to put two members together."""
    general = profile_of("default", results=RESULTS, same_text=False)
    preset = measured(PRESETS[MULTI_MODEL]).showing(RESULTS)
    return {
        "on one scale": general,
        "apart": replace(general, fuse=replace(general.fuse, apart=True)),
        "by rank": replace(general, across=MergeConfig(method="rrf")),
        "multi-model": replace(preset, select=replace(preset.select, on_none="keep")),
    }


async def measure(collection: Collection, whole: DenseEncoder, share: float) -> dict[str, float]:
    """nDCG@10 of each way; with a share of 0 or 1 of one model alone."""
    parts = _dealt(collection.documents, share)
    async with new_index() as index:
        members: list[Searchable] = []
        for name, dense, texts in zip("ab", (whole, Half(whole)), parts, strict=True):
            if texts:
                language = "auto" if not members else members[0].spec.language
                spec = await index_corpus(index, name, texts, dense, language=language)
                sparse = Bm25Encoder(spec.language)
                members.append(Searchable(spec, index, sparse, dense))
        terms = informative_terms(members[0].spec.language)
        deps = Deps(members, terms, guess_language)
        chosen = profiles() if len(members) > 1 else {"": profiles()["on one scale"]}
        return {name: await _ndcg(collection, deps, each) for name, each in chosen.items()}


def _dealt(documents: Mapping[str, str], share: float) -> tuple[dict[str, str], dict[str, str]]:
    first: dict[str, str] = {}
    second: dict[str, str] = {}
    for key, text in documents.items():
        place = int.from_bytes(blake2b(key.encode(), digest_size=4).digest(), "big") / 2**32
        (second if place < share else first)[key] = text
    return first, second


async def _ndcg(collection: Collection, deps: Deps, profile: Profile) -> float:
    run = {
        key: [item.path for item in (await ask(text, deps, profile)).evidence]
        for key, text in collection.queries.items()
    }
    return evaluate(("nDCG@10",), collection.judgements, run)["nDCG@10"]


async def main(data: Path, names: Sequence[str]) -> None:
    """Print a table."""
    settings = load_settings(os.environ, Path.cwd())
    encoder = open_product_encoder(settings.models)
    cached = CachedEncoder(encoder, settings.models.parent / "bench")
    try:
        for name in names:
            collection = read_beir(data / name).first(QUERIES)
            for share in (0.0, *SHARES, 1.0):
                found = await measure(collection, cached, share)
                line = ", ".join(f"{way} {value:.3f}".strip() for way, value in found.items())
                print(f"{name}, {share:.0%} with the second model: {line}", flush=True)
    finally:
        cached.close()
        encoder.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
