"""Create an empty shard, in memory if the system has a folder there.

Qdrant Edge syncs all files of a shard at each step of its creation: about 70 calls of fsync and 140
of msync, 100 ms on a disk. In memory this takes 20 ms, and to copy and open the files takes 30.
The copy is not synced: `generations.sync_files` does this before the first flush.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import qdrant_edge as edge

from pincite.errors import StoreError
from pincite.stores.payload import DENSE
from pincite.stores.qdrant_edge.errors import translated
from pincite.stores.qdrant_edge.layout import shard_config
from pincite.stores.qdrant_edge.optimise import copy_sparse
from pincite.stores.qdrant_edge.translate import INDEXED_FIELDS
from pincite.stores.room import free_bytes
from pincite.support.capabilities import is_own, memory_folder

_PREFIX: Final = "pincite-shard-"
_NEEDED_BYTES: Final = 64 * 1024 * 1024  # an empty shard takes 8 MB of memory
_LEFTOVER_S: Final = 600.0  # age of a folder that a killed process has left
log = logging.getLogger("pincite.stores.qdrant_edge")


def create_shard(path: Path, *, idf: bool, dimensions: int = 0) -> edge.EdgeShard:
    """Create an empty shard in a new folder, with dense vectors if `dimensions` is not 0. Until the
    files are synced, a power failure may damage it."""
    memory = memory_folder()
    if memory is not None and _is_worthwhile(memory, path):
        try:
            with translated(path.parent.name, "create"):
                return _create_by_way_of(memory, path, idf, dimensions)
        except StoreError as error:  # whatever it is, the disk does not need that folder
            log.info("%s is created on its disk, not in %s: %s", path, memory, error)
            shutil.rmtree(path, ignore_errors=True)
    return _create(path, idf, dimensions)


def load_shard(path: Path, *, idf: bool) -> edge.EdgeShard:
    """Open a shard that was created with this `idf`."""
    return edge.EdgeShard.load(str(path), shard_config(idf=idf))


def index_of(name: str) -> edge.UpdateOperation:
    """Return the operation that creates the index of one of our fields, mapped from disk."""
    mapped = edge.KeywordIndexParams(memory=edge.Memory.Cold)
    return edge.UpdateOperation.create_field_index(name, mapped)


def add_dense(dimensions: int) -> edge.UpdateOperation:
    """Return the operation that gives a shard dense vectors."""
    return edge.UpdateOperation.create_dense_vector(DENSE, dimensions, edge.Distance.Cosine)


def _is_worthwhile(memory: Path, path: Path) -> bool:
    elsewhere = memory.stat().st_dev != path.parent.stat().st_dev
    return elsewhere and free_bytes(memory) >= _NEEDED_BYTES


def _create_by_way_of(memory: Path, path: Path, idf: bool, dimensions: int) -> edge.EdgeShard:
    _remove_leftovers(memory)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=memory) as folder:
        made = Path(folder) / path.name
        _create(made, idf, dimensions).close()
        shutil.copytree(made, path, copy_function=copy_sparse)
    return load_shard(path, idf=idf)


def _create(path: Path, idf: bool, dimensions: int) -> edge.EdgeShard:
    path.mkdir()
    shard = edge.EdgeShard.create(str(path), shard_config(idf=idf))
    for name in INDEXED_FIELDS:
        shard.update(index_of(name))
    if dimensions:
        shard.update(add_dense(dimensions))
    shard.flush()
    return shard


def _remove_leftovers(memory: Path) -> None:
    for folder in memory.glob(f"{_PREFIX}*"):
        with suppress(FileNotFoundError):
            status = folder.lstat()
            if is_own(status) and status.st_mtime < time.time() - _LEFTOVER_S:
                shutil.rmtree(folder, ignore_errors=True)
