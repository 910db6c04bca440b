"""Every store with the same chunks, through our whole store layer (`Store.search`).

100,000 chunks x 384 dimensions and 30 to 120 words (`--chunks` for others), from `synthetic.py`,
written a document of 20 chunks at a time and flushed every 2 s, as the daemon does. Each store is
written by one process and searched by another, fresh one, so that memory is the store's.

- write: `stage` and `publish` of all documents and the flush at the end. Making data and terms
  does not count; a server's share of the work does, but not its memory.
- optimise: only Qdrant Edge has something to do; it is done in a child process.
- memory: by how much the searching process grew, from before the store was opened until after the
  last search. For stores that end with their process: by how much from its start, writing included.
- first: the first hybrid search after opening, which is where a store reads what it keeps.
- dense, sparse, hybrid: the request that the profile as shipped makes, hybrid with the scores of
  each side for what the other one found. fused: hybrid, with RRF in the store. 1 %: behind a filter
  on a field that lets one chunk in a hundred pass.
- recall@10 of dense search against exact arithmetic on the same vectors.

There are limits, so that the subject ends by itself: on writing, on each kind of search (fewer
queries then, at least three; their number is in the figures), and on each process. A store that was
not done writing is searched with what it has, and its row says so.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

import msgspec

from bench.frame import Options
from bench.product import temporary_folder
from bench.storage.store_job import IN_MEMORY, Done, Job, Kind, Step, do
from pincite.support.fields import replace

_KINDS: tuple[Kind, ...] = ("edge", "sqlite", "chroma", "memory", "qdrant", "qdrant-local")
#: The engine of `qdrant-client`'s local mode looks at every point in Python.
_MOST: dict[Kind, int] = {"qdrant-local": 5_000}
_NEEDS: dict[Kind, str] = {"chroma": "chromadb", "qdrant-local": "qdrant_client"}


class StoreRow(msgspec.Struct):
    """One store. `chunks` is what it was to hold; what it did not do is in `notes`."""

    kind: Kind
    chunks: int
    done: Done
    notes: list[str]


class StoreFigures(msgspec.Struct):
    """All stores."""

    chunks: int
    queries: int
    write_limit_s: float
    search_limit_s: float
    rows: list[StoreRow]


async def run(options: Options) -> StoreFigures:
    """Each store in turn."""
    chunks = options.chunks or (2_000 if options.quick else 100_000)
    queries = 20 if options.quick else 200
    write_s, search_s = (60.0, 2.0) if options.quick else (900.0, 20.0)
    rows = []
    for kind in _KINDS:
        size = min(chunks, _MOST.get(kind, chunks))
        print(f"  {kind}", flush=True)
        with temporary_folder() as root:
            paths = str(root / "store"), str(root / "truth.json")
            rows.append(await measure(Job(kind, (), *paths, size, queries, write_s, search_s)))
        for note in rows[-1].notes:
            print(f"  {kind}: {note}", flush=True)
    return StoreFigures(chunks, queries, write_s, search_s, rows)


async def measure(job: Job) -> StoreRow:
    """One store, each of its steps in a process; what it did not do is noted."""
    row = StoreRow(job.kind, job.chunks, Done(), [])
    if lacking := _lacking(job.kind):
        row.notes.append(lacking)
        return row
    for steps in _steps(job.kind):
        part = await do(replace(job, steps=steps), 3 * job.limit_s)
        row.done.filled = part.filled or row.done.filled
        row.done.built = part.built or row.done.built
        row.done.asked = part.asked or row.done.asked
        if part.note:
            row.notes.append(part.note)
            break
    filled = row.done.filled
    if filled is not None and filled.chunks < job.chunks:
        row.notes.append(
            f"writing stopped after {job.limit_s:.0f} s at {filled.chunks:,} of {job.chunks:,}"
            " chunks, and these were searched"
        )
    return row


def _steps(kind: Kind) -> list[tuple[Step, ...]]:
    """What each process of a store does."""
    if kind in IN_MEMORY:
        return [("fill", "ask")]
    return [("fill",), ("build",), ("ask",)] if kind == "edge" else [("fill",), ("ask",)]


def _lacking(kind: Kind) -> str:
    if kind == "qdrant" and not os.environ.get("QDRANT_URL"):
        return "not measured: QDRANT_URL does not name a server"
    package = _NEEDS.get(kind)
    if package and find_spec(package) is None:
        return f"not measured: {package} is not installed"
    return ""
