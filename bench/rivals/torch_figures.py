"""The product's encoder against sentence-transformers on torch: speed and quality."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.frame import Options
from bench.retrieval.quality import measure
from bench.rivals.torch_encoder import TorchEncoder
from bench.vectors import CachedEncoder
from pincite.evals.analysis.statistics import median
from pincite.evals.golden.beir import LAYOUT, read_beir
from pincite.providers.bundled.minilm import MiniLmEncoder

_BATCHES, _QUALITY_SETS = (8, 32), ("cranfield", "cosqa-dev")


@dataclass(frozen=True, slots=True)
class TorchFigures:
    """Tokens per second by batch size, and the median of the blocks' ratios."""

    versions: str
    tokens_per_s: dict[int, float]
    encoder_tokens_per_s: float
    ratio: float
    quality: dict[str, tuple[float, float]]  # nDCG@10 by set: the product's, torch's


async def against(
    rival: TorchEncoder,
    encoder: MiniLmEncoder,
    texts: Sequence[str],
    tokens: int,
    options: Options,
) -> TorchFigures:
    """Blocks in turn: ours, then each of torch's batch sizes. The texts have so many tokens."""
    rival.encode(texts[:64], _BATCHES[0])
    encoder.embed_many(texts[:64])
    ours: list[float] = []
    theirs: dict[int, list[float]] = {batch: [] for batch in _BATCHES}
    for _ in range(1 if options.quick else 5):
        started_s = time.perf_counter()
        encoder.embed_many(texts)
        ours.append(tokens / (time.perf_counter() - started_s))
        for batch in _BATCHES:
            theirs[batch].append(tokens / rival.encode(texts, batch))
    best = [max(block) for block in zip(*theirs.values(), strict=True)]
    figures = {batch: round(median(found), 0) for batch, found in theirs.items()}
    ratio = round(median([a / b for a, b in zip(ours, best, strict=True)]), 2)
    print(f"  {rival.versions}: {figures} tokens/s; encoder / torch {ratio}", flush=True)
    quality = {}
    for name in () if options.quick else _QUALITY_SETS:
        quality[name] = await _quality(name, encoder, rival, options)
        print(f"  {name}: nDCG@10 {quality[name]}", flush=True)
    return TorchFigures(rival.versions, figures, round(median(ours), 0), ratio, quality)


async def _quality(
    name: str, encoder: MiniLmEncoder, rival: TorchEncoder, options: Options
) -> tuple[float, float]:
    collection = read_beir(options.folder(name, LAYOUT))
    values = []
    for one in (encoder, rival):
        cached = CachedEncoder(one, options.cache)
        figures = await measure(collection, cached, ("dense",))
        cached.close()
        values.append(round(figures.scores["dense"].ndcg_10, 4))
    return values[0], values[1]
