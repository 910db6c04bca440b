"""Engine shards are opened, created and copied."""

from __future__ import annotations

import asyncio
from pathlib import Path

import qdrant_edge as edge

from pincite.stores.payload import DENSE
from pincite.stores.qdrant_edge import generations
from pincite.stores.qdrant_edge.generations import State
from pincite.stores.qdrant_edge.layout import shard_config
from pincite.stores.qdrant_edge.translate import INDEXED_FIELDS

_STEP = 128  # points copied at a time: some milliseconds of engine time


def open_shard(root: Path, *, idf: bool) -> tuple[State, edge.EdgeShard]:
    """The current generation below `root`, or the first. What is there already says itself whether
    the engine multiplies with the IDF; what earlier versions made is as `idf` says."""
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
    """Open a shard that was created so."""
    return edge.EdgeShard.load(str(path), shard_config(idf=idf))


def create_shard(path: Path, *, idf: bool, dimensions: int = 0) -> edge.EdgeShard:
    """An empty shard in a new folder, with dense vectors if they have dimensions."""
    path.mkdir()
    shard = edge.EdgeShard.create(str(path), shard_config(idf=idf))
    for name in INDEXED_FIELDS:
        mapped = edge.KeywordIndexParams(memory=edge.Memory.Cold)
        shard.update(edge.UpdateOperation.create_field_index(name, mapped))
    if dimensions:
        shard.update(add_dense(dimensions))
    shard.flush()
    return shard


def add_dense(dimensions: int) -> edge.UpdateOperation:
    """What gives a shard dense vectors."""
    return edge.UpdateOperation.create_dense_vector(DENSE, dimensions, edge.Distance.Cosine)


async def copy_points(source: edge.EdgeShard, target: edge.EdgeShard) -> None:
    """Copy all points as they are. Others get their turn between two steps; nobody may write to the
    source."""
    after = None
    while True:
        request = edge.ScrollRequest(offset=after, limit=_STEP, with_payload=True, with_vector=True)
        records, after = source.scroll(request)
        if points := [edge.Point(one.id, one.vector, one.payload) for one in records]:
            target.update(edge.UpdateOperation.upsert_points(points))
        if after is None:
            return
        await asyncio.sleep(0)
