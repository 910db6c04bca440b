"""What asking a provider costs this process: processor time per text, with the server elsewhere.

The contract server runs in a process of its own; the time is that of this one alone (planning,
requests, answers, checks), so neither the server's work nor waiting for it is in it. Most of it is
numbers in JSON, which is why packed floats are asked for where a vendor has them.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bench.frame import Options
from bench.product import temporary_folder
from pincite.providers.batching import Limits, plan
from pincite.providers.dense.cached import cached
from pincite.providers.dense.vector_cache import VectorCache
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.registry import Registry
from pincite.providers.secret import Secret
from pincite.providers.tokens import estimate_tokens

MODELS = (
    "voyage:voyage-4",
    "openai:text-embedding-3-small",
    "cohere:embed-v4.0",
    "jina:jina-embeddings-v3",
    "ollama:embeddinggemma",
    "vllm:Qwen/Qwen3-Embedding-0.6B",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """One model: its vectors' size, requests for all texts, and microseconds of processor time
    and of the clock per text."""

    model: str
    dimensions: int
    requests: int
    own_us: float
    wall_us: float


@dataclass(frozen=True, slots=True)
class ProviderFigures:
    """All models over the same texts; planning, and the cache with 1,024 dimensions, per text."""

    texts: int
    characters: int
    asked: list[Asked]
    plan_us: float
    cache_put_us: float
    cache_hit_us: float


async def run(options: Options) -> ProviderFigures:
    """Every model in turn."""
    texts = make_texts(500 if options.quick else 10_000)
    with server() as urls:
        asked = [await ask(model, urls, texts) for model in MODELS]
        put_us, hit_us = await through_cache(urls, texts)
    started_s = time.process_time()
    plan([estimate_tokens(text) for text in texts], Limits(1_000, 320_000))
    plan_us = (time.process_time() - started_s) / len(texts) * 1e6
    characters = sum(map(len, texts)) // len(texts)
    return ProviderFigures(len(texts), characters, asked, plan_us, put_us, hit_us)


async def ask(model: str, urls: dict[str, str], texts: Sequence[str]) -> Asked:
    """One model, after a first request."""
    encoder = await _registry(model, urls).open("dense", model)
    await encoder.embed_documents(texts[:1])
    wall_s, own_s = time.monotonic(), time.process_time()
    rows = await encoder.embed_documents(texts)
    own_s, wall_s = time.process_time() - own_s, time.monotonic() - wall_s
    requests = len(plan([estimate_tokens(t) + 10 for t in texts], encoder.limits))
    await encoder.close()
    per_text = 1e6 / len(texts)
    print(f"  {model}: {own_s * per_text:.0f} us a text", flush=True)
    return Asked(model, rows.shape[1], requests, own_s * per_text, wall_s * per_text)


async def through_cache(urls: dict[str, str], texts: Sequence[str]) -> tuple[float, float]:
    """Microseconds of processor time per text: more when they are new, and when all are known."""
    model = MODELS[0]
    encoder = await _registry(model, urls).open("dense", model)
    with temporary_folder() as folder:
        cache = VectorCache(folder / "cache.db", 10**9)
        took = []
        for one in (encoder, cached(encoder, cache), cached(encoder, cache)):
            started_s = time.process_time()
            await one.embed_documents(texts)
            took.append((time.process_time() - started_s) / len(texts) * 1e6)
        cache.close()
    await encoder.close()
    return took[1] - took[0], took[2]


def make_texts(count: int) -> list[str]:
    """Different texts of about a hundred words, as chunks have them."""
    chance = random.Random(1)
    words = [f"word{n}" for n in range(2_000)]
    return [" ".join(chance.choices(words, k=100)) for _ in range(count)]


@contextmanager
def server() -> Iterator[dict[str, str]]:
    """A contract server in a process of its own: vendor -> address."""
    command = (sys.executable, "-m", "pincite.testing.contract_server", "--port", "0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield dict(_addresses(process))
        finally:
            process.terminate()


def _addresses(process: subprocess.Popen[str]) -> Iterator[tuple[str, str]]:
    assert process.stdout is not None
    vendor = ""
    for line in process.stdout:
        if line.startswith("[providers."):
            vendor = line.strip()[len("[providers.") : -1]
        elif line.startswith("url"):
            yield vendor, line.split('"')[1]
        elif line.startswith("# end"):
            return


def _registry(model: str, urls: dict[str, str]) -> Registry:
    vendor = model.partition(":")[0]
    return Registry({vendor: ProviderOptions(url=urls[vendor])}, lambda _: Secret("any"))
