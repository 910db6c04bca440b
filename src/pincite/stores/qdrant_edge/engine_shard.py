"""A shard as Qdrant Edge has it: open, create and copy it, and translate errors of its calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import qdrant_edge as edge

from pincite.errors import EnginePanicked, PinciteError, StoreError
from pincite.stores.payload import DENSE
from pincite.stores.qdrant_edge import generations
from pincite.stores.qdrant_edge.generations import State
from pincite.stores.qdrant_edge.layout import shard_config
from pincite.stores.qdrant_edge.translate import INDEXED_FIELDS

_COPY_STEP = 128  # points copied at a time: a few milliseconds in Qdrant Edge


@contextmanager
def translated(collection: str, verb: str) -> Iterator[None]:
    """Translate errors of Qdrant Edge's calls to StoreError or EnginePanicked."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, asyncio.CancelledError, PinciteError):
        raise
    except BaseException as error:
        failed = StoreError if isinstance(error, Exception) else EnginePanicked
        raise failed(
            f"the engine could not {verb} collection {collection!r}: {error}",
            hint=f"pincite collections rebuild {collection}",
        ) from error


def open_shard(root: Path, *, idf: bool) -> tuple[State, edge.EdgeShard]:
    """Open the current generation below `root`, or create the first. An existing state records
    whether Qdrant Edge multiplies with the IDF; `idf` applies to states of earlier versions."""
    state = generations.read_state(root)
    generations.sweep(root, state.generation if state else "")
    if state is not None:
        state.idf = idf if state.idf is None else state.idf
        return state, load_shard(root / state.generation, idf=state.idf)
    state = State(idf=idf)
    shard = create_shard(root / state.generation, idf=idf)
    generations.write_state(root, state)
    return state, shard


def load_shard(path: Path, *, idf: bool) -> edge.EdgeShard:
    """Open a shard that was created with this `idf`."""
    return edge.EdgeShard.load(str(path), shard_config(idf=idf))


def create_shard(path: Path, *, idf: bool, dimensions: int = 0) -> edge.EdgeShard:
    """Create an empty shard in a new folder, with dense vectors if `dimensions` is not 0."""
    path.mkdir()
    shard = edge.EdgeShard.create(str(path), shard_config(idf=idf))
    for name in INDEXED_FIELDS:
        shard.update(index_of(name))
    if dimensions:
        shard.update(add_dense(dimensions))
    shard.flush()
    return shard


def index_of(name: str) -> edge.UpdateOperation:
    """Return the operation that creates the index of one of our fields, mapped from disk."""
    mapped = edge.KeywordIndexParams(memory=edge.Memory.Cold)
    return edge.UpdateOperation.create_field_index(name, mapped)


def add_dense(dimensions: int) -> edge.UpdateOperation:
    """Return the operation that gives a shard dense vectors."""
    return edge.UpdateOperation.create_dense_vector(DENSE, dimensions, edge.Distance.Cosine)


async def copy_points(source: edge.EdgeShard, target: edge.EdgeShard) -> None:
    """Copy all points unchanged. Other tasks run between two steps; none may write to the
    source."""
    after = None
    while True:
        request = edge.ScrollRequest(
            offset=after, limit=_COPY_STEP, with_payload=True, with_vector=True
        )
        records, after = source.scroll(request)
        if points := [edge.Point(one.id, one.vector, one.payload) for one in records]:
            target.update(edge.UpdateOperation.upsert_points(points))
        if after is None:
            return
        await asyncio.sleep(0)
