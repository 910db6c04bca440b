"""The two models that come along, on texts of several languages and on the ten collections:
`python -m bench.retrieval.multilingual DATA [NAME...]`. It prints tables in Markdown.

The second table asks in one language over documents in another: the questions of XQuAD are the same
in all of its languages.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.retrieval.quality import Scores, measure
from bench.retrieval.references import REFERENCES
from bench.variants import VARIANTS
from bench.vectors import CachedEncoder, open_product_encoder
from pincite.evals.golden.beir import Collection, read_beir
from pincite.ports import DenseEncoder
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.known_models import MULTILINGUAL_E5_SMALL
from pincite.providers.bundled.minilm import MiniLmEncoder
from pincite.settings.load import load_settings
from pincite.support.fields import replace

ACROSS = (("xquad-de", "xquad-en"), ("xquad-zh", "xquad-en"), ("xquad-en", "xquad-de"))
USUAL, SECOND = "all-MiniLM-L6-v2", MULTILINGUAL_E5_SMALL.name


@dataclass(frozen=True, slots=True)
class Row:
    """A collection by both models, by variant."""

    name: str
    usual: dict[str, Scores]
    second: dict[str, Scores]


async def compare(
    collections: Sequence[Collection], usual: DenseEncoder, second: DenseEncoder
) -> list[Row]:
    """Each collection by both models."""
    rows = []
    for one in collections:
        began = time.monotonic()
        scores = [(await measure(one, encoder)).scores for encoder in (usual, second)]
        rows.append(Row(one.name, *scores))
        print(f"  {one.name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    return rows


def across(data: Path, asked: str, held: str) -> Collection:
    """The questions of one language, and the documents and judgements of another."""
    questions, documents = read_beir(data / asked), read_beir(data / held)
    shared = {key: text for key, text in questions.queries.items() if key in documents.queries}
    name = f"{asked}-over-{held}"
    return replace(documents, name=name, queries=shared)


def table(rows: Sequence[Row]) -> str:
    """nDCG@10 of each variant."""
    lines = [
        f"| collection | lexical | dense {USUAL} | dense {SECOND} | default | with the second |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        values = [
            row.usual["lexical"],
            *(row.usual["dense"], row.second["dense"]),
            *(row.usual["default"], row.second["default"]),
        ]
        lines.append(f"| {row.name} | {' | '.join(f'{v.ndcg_10:.3f}' for v in values)} |")
    return "\n".join(lines)


async def main(data: Path, names: Sequence[str]) -> None:
    assert {"lexical", "dense", "default"} <= set(VARIANTS)
    settings = load_settings(os.environ, Path.cwd())
    models = settings.models
    usual = open_product_encoder(models)
    second = MiniLmEncoder(fetch(SECOND, models))
    cache = models.parent / "bench"
    encoders = CachedEncoder(usual, cache), CachedEncoder(second, cache)
    try:
        print(table(await compare([read_beir(data / name) for name in names], *encoders)))
        print()
        print(table(await compare([across(data, *pair) for pair in ACROSS], *encoders)))
    finally:
        for encoder in (*encoders, usual, second):
            encoder.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:] or tuple(REFERENCES)))
