"""A piece of work on one store in a process of its own, so that memory and time are the store's."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Literal

import msgspec

from bench.frame import ROOT
from bench.times import Times
from pincite.stores.qdrant_edge.layout import EdgeLayout

Kind = Literal["edge", "sqlite", "chroma", "memory", "qdrant", "qdrant-local"]
Step = Literal["fill", "build", "ask"]
#: These end with their process: all steps go into one.
IN_MEMORY: tuple[Kind, ...] = ("memory", "qdrant-local")


class Job(msgspec.Struct, frozen=True):
    """What a worker is to do. The store is below `folder`; queries and what exact search finds go
    through `truth`, a file that `fill` writes. `limit_s` is for writing (0: none), `ask_s` for each
    kind of search."""

    kind: Kind
    steps: tuple[Step, ...]
    folder: str
    truth: str
    chunks: int
    queries: int
    limit_s: float = 0.0
    ask_s: float = 20.0
    layout: EdgeLayout = EdgeLayout()
    every_ms: float = 100.0


class Filled(msgspec.Struct, frozen=True):
    """Seconds in which `chunks` were written, a document of 20 at a time, and flushed every 2 s.
    Megabytes; `peak_mb` is that of the whole process, which also makes the data."""

    chunks: int
    write_s: float
    disk_mb: float
    peak_mb: float


class Built(msgspec.Struct, frozen=True):
    """Optimising: seconds, hybrid searches before it, and what one waits that is due every
    `every_ms` meanwhile. `child_peak_mb` is the memory of the process that does it."""

    seconds: float
    before: Times
    every_ms: float
    during: Times
    disk_mb: float
    peak_disk_mb: float
    child_peak_mb: float


class Asked(msgspec.Struct, frozen=True):
    """Searches of an open store by their kind. `rss_mb` and `private_mb` are what the process grew
    by when the store was opened and searched. Recall@10 is that of dense search against exact
    arithmetic, over `judged` queries; None where nothing passes the filter."""

    open_s: float
    first_ms: float
    rss_mb: float
    private_mb: float
    searches: dict[str, Times]
    judged: int
    recall: float | None
    recall_filtered: float | None


class Done(msgspec.Struct):
    """What a worker reports, and where it stopped."""

    filled: Filled | None = None
    built: Built | None = None
    asked: Asked | None = None
    note: str = ""


async def do(job: Job, hard_s: float | None = None) -> Done:
    """Run the job. One that takes longer than `hard_s` is killed, and its note says so; one that
    fails says how."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.storage.store_worker", msgspec.json.encode(job).decode()),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env=dict(os.environ),
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), hard_s)
    except TimeoutError:
        return Done(note=f"{' and '.join(job.steps)} stopped after {hard_s:.0f} s")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    lines = output.splitlines()
    if process.returncode or not lines:
        return Done(note=f"{' and '.join(job.steps)} failed with exit code {process.returncode}")
    return msgspec.json.decode(lines[-1], type=Done)
