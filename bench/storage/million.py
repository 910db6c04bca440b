"""A million chunks in the embedded engine, with its vectors as they are and quantised.

1,000,000 chunks x 384 dimensions (`--chunks` for others) from `synthetic.py`: 5,000 clusters of
sizes by Zipf's law, each with 16 directions of its own and noise in all, so that the nearest
vectors of a query lie close together and recall means something. They are written once, by the
product's store; each phase then optimises a copy in processes of its own:

- plain: vectors as they are. scalar: int8 beside them. binary: one bit a dimension beside them.
  disk: scalar, and the vectors themselves are read from disk.
- build: `Store.optimise`, which copies the collection and builds the graph in a child process at
  the lowest priority, and then opens the result.
- meanwhile: how long a hybrid search waits that is due every 100 ms, or every three times what a
  search takes before the graph is there if that is more; from when it was due.
- after: a fresh process that opens the store. Its memory is by how much it grew; private memory is
  not backed by files. Recall@10 of dense search against exact arithmetic on the vectors.

What has been measured is kept beside the collection in the cache, so that a run that was cut off
goes on with what is missing; `--phase` takes single ones anew. Without it, and with both usual
phases there, everything begins again. The collection is removed once they are. 1,000,000 chunks
need about 20 GB of disk meanwhile.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Final

import msgspec

from bench.frame import Options, SkippedError
from bench.storage.store_job import Asked, Built, Filled, Job, do
from pincite.stores.qdrant_edge.layout import EdgeLayout
from pincite.stores.qdrant_edge.optimise import copy_sparse
from pincite.support.fields import replace

LAYOUTS: Final = {
    "plain": EdgeLayout(),
    "scalar": EdgeLayout("scalar"),
    "binary": EdgeLayout("binary"),
    "disk": EdgeLayout("scalar", on_disk=True),
}
_USUAL: Final = ("plain", "scalar")
_BYTES_A_CHUNK = 20_000  # collection, copy, what is built beside it and has to be free for that
_QUERIES = 200
_HARD_S = 4 * 3600.0  # for one process


class Phase(msgspec.Struct, frozen=True):
    """One layout."""

    built: Built
    asked: Asked


class MillionFigures(msgspec.Struct, frozen=True):
    """The collection, and each layout by name."""

    chunks: int
    filled: Filled
    phases: dict[str, Phase]


async def run(options: Options) -> MillionFigures:
    """Write the collection unless it is there, then measure the phases."""
    chunks = options.chunks or (8_000 if options.quick else 1_000_000)
    work = options.cache / f"million-{chunks}"
    wanted = options.phases or tuple(name for name in _USUAL if not _kept(work, name).exists())
    if not wanted:
        shutil.rmtree(work)
        wanted = _USUAL
    await asyncio.to_thread(_require_space, work, chunks)
    filled = await _fill(work, chunks)
    for name in wanted:
        print(f"  {name}", flush=True)
        phase = await _measure(work, chunks, LAYOUTS[name])
        _kept(work, name).write_bytes(msgspec.json.encode(phase))
    phases = {
        name: msgspec.json.decode(_kept(work, name).read_bytes(), type=Phase)
        for name in LAYOUTS
        if _kept(work, name).exists()
    }
    if all(name in phases for name in _USUAL):
        shutil.rmtree(work / "store", ignore_errors=True)
    return MillionFigures(chunks, filled, phases)


def _kept(work: Path, name: str) -> Path:
    return work / f"{name}.json"


def _require_space(work: Path, chunks: int) -> None:
    work.mkdir(parents=True, exist_ok=True)
    free, needed = shutil.disk_usage(work).free, chunks * _BYTES_A_CHUNK
    if free < needed:
        raise SkippedError(
            f"{free / 1e9:.0f} GB are free at {work}, and {needed / 1e9:.0f} GB are needed"
        )


async def _fill(work: Path, chunks: int) -> Filled:
    kept = _kept(work, "filled")
    if kept.exists() and (work / "store").exists():
        return msgspec.json.decode(kept.read_bytes(), type=Filled)
    shutil.rmtree(work / "store", ignore_errors=True)
    done = await do(
        Job("edge", ("fill",), str(work / "store"), _truth(work), chunks, _QUERIES), _HARD_S
    )
    if done.filled is None:
        raise RuntimeError(done.note)
    kept.write_bytes(msgspec.json.encode(done.filled))
    return done.filled


async def _measure(work: Path, chunks: int, layout: EdgeLayout) -> Phase:
    copy = work / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    try:
        await asyncio.to_thread(shutil.copytree, work / "store", copy, copy_function=copy_sparse)
        job = Job("edge", ("build",), str(copy), _truth(work), chunks, _QUERIES, layout=layout)
        built = await do(job, _HARD_S)
        if built.built is None:
            raise RuntimeError(built.note)
        print(f"  built in {built.built.seconds:.0f} s", flush=True)
        asked = await do(replace(job, steps=("ask",)), _HARD_S)
        if asked.asked is None:
            raise RuntimeError(asked.note)
    finally:
        shutil.rmtree(copy, ignore_errors=True)
    return Phase(built.built, asked.asked)


def _truth(work: Path) -> str:
    return str(work / "truth.json")
