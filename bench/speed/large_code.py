"""Speed of keyword search in 100,000 chunks of real code, in the embedded store.

The repositories of `code-search-dev` and 5,000 files of Home Assistant are one collection. The
questions about the repositories are asked for ten results with the profile as shipped, once in
their order and then again. Nearly all of the hundred candidates of a question are different texts.

- index: seconds of a keyword index of the 5,000 files, from nothing, as `AsyncPincite.index` gives
  it. The daemon starts with it.

- search: milliseconds from the question to the pack, as `AsyncPincite.search` gives it, the hop to
  the daemon included. `first`: each question is new to this daemon. `again`: it was asked before.
- processor time: what the daemon spends on a search, a mean. Unlike the times above it does not
  grow when other programs share the machine. It is counted in steps of 10 ms, over all questions.
- stages: medians of the first round, as the packs have them.
- whole files: the same index, whose catalog has lost the ids of chunks, as one that an earlier
  version has made. Then the text around a result comes from all chunks of its file.

The questions begin when all documents have outlines (`docs/decisions/0089`).

Both are taken in turn, three times, each with a new daemon. Packs of both are compared.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from bench.frame import Options
from bench.product import open_product, temporary_folder
from bench.source_code.code_search import Query, chosen
from bench.speed.latency import medians_of
from bench.speed.many_files import FILES, many_files
from bench.times import Times, cpu_s, times
from pincite.catalog.file import FILES as CATALOG_FILES
from pincite.evals.analysis.statistics import mean
from pincite.ingestion.options import IndexOptions
from pincite.model import EvidencePack

_ROUNDS: Final = 3
_SHOWN: Final = 10
_OUTLINES_S: Final = 600.0
_WAYS: Final = "around results", "whole files"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read. Milliseconds."""

    first: Times
    again: Times
    first_daemon_cpu: float
    again_daemon_cpu: float
    stages_p50: dict[str, float]


@dataclass(frozen=True, slots=True)
class LargeCodeFigures:
    """Both ways by name; `differing` questions had another pack. `index_s` is the time for the
    first `indexed` files, with `indexed_chunks`."""

    chunks: int
    questions: int
    indexed: int
    indexed_chunks: int
    index_s: float
    differing: int
    ways: dict[str, Reading]


@dataclass(slots=True)
class _Taken:
    first: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    first_cpu: list[float] = field(default_factory=list)
    again_cpu: list[float] = field(default_factory=list)
    stages: list[dict[str, float]] = field(default_factory=list)
    packs: list[bytes] = field(default_factory=list)


async def run(options: Options) -> LargeCodeFigures:
    """Index the copies, then ask. Raises SkippedError naming what is missing."""
    with temporary_folder() as work:
        repositories = chosen(options, work / "repositories")
        queries = [query for one in repositories for query in one.queries]
        root = work / "around results"
        files = many_files(options.cache, work / "files")
        async with open_product(root, options) as engine:
            started_s = time.perf_counter()
            (run,) = await engine.index([files], options=IndexOptions(lexical=True))
            index_s = time.perf_counter() - started_s
            print(f"  {run.chunks} chunks of {FILES} files in {index_s:.1f} s", flush=True)
            for one in repositories:
                await engine.index([one.root], options=IndexOptions(lexical=True, name=one.name))
            (info,) = await engine.client().collections()
            outlines_s = await _outlined(root / CATALOG_FILES[0])
        print(f"  {info.chunks} chunks in all, outlines {outlines_s:.0f} s", flush=True)
        other = work / "whole files"
        shutil.copytree(root, other)
        _forget_ids(other / CATALOG_FILES[0])
        taken = {name: _Taken() for name in _WAYS}
        for number in range(1 if options.quick else _ROUNDS):
            for name, into in taken.items():
                await _ask(work / name, options, queries, into)
                print(f"  round {number + 1}, {name}: {times(into.first).p50} ms", flush=True)
        pairs = zip(*(one.packs for one in taken.values()), strict=True)
        return LargeCodeFigures(
            info.chunks,
            len(queries),
            FILES,
            run.chunks,
            round(index_s, 1),
            sum(one != other for one, other in pairs),
            {name: _figures(one) for name, one in taken.items()},
        )


async def _outlined(catalog: Path) -> float:
    """Wait until the daemon has made the outlines of all documents, as it does while nobody asks.
    Return the seconds."""
    started_s = time.perf_counter()
    missing = (
        "SELECT count(*) FROM documents LEFT JOIN outlines USING (collection, revision)"
        " WHERE body IS NULL"
    )
    async with asyncio.timeout(_OUTLINES_S):
        with closing(sqlite3.connect(catalog)) as database:
            while database.execute(missing).fetchone()[0]:  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.2)
    return time.perf_counter() - started_s


def _forget_ids(catalog: Path) -> None:
    with closing(sqlite3.connect(catalog)) as database:
        database.execute("UPDATE documents SET chunk_ids = x''")
        database.commit()


async def _ask(root: Path, options: Options, queries: list[Query], into: _Taken) -> None:
    async with open_product(root, options) as engine:
        profile = engine.settings.profile.showing(_SHOWN)
        await engine.search("what is opened here", profile=profile)
        pid = (await engine.client().hello()).pid
        into.packs.clear()
        for walls, cpu in ((into.first, into.first_cpu), (into.again, into.again_cpu)):
            before_s = cpu_s(pid)
            for query in queries:
                started_s = time.perf_counter()
                pack = await engine.search(query.text, profile=profile)
                walls.append((time.perf_counter() - started_s) * 1000)
                if walls is into.first:
                    into.stages.append(dict(pack.timings_ms))
                    into.packs.append(_without_times(pack))
            cpu.append(1000 * (cpu_s(pid) - before_s) / len(queries))


def _without_times(pack: EvidencePack) -> bytes:
    return msgspec.json.encode([pack.evidence, pack.verdict])


def _figures(taken: _Taken) -> Reading:
    return Reading(
        times(taken.first),
        times(taken.again),
        round(mean(taken.first_cpu), 2),
        round(mean(taken.again_cpu), 2),
        medians_of(taken.stages),
    )
