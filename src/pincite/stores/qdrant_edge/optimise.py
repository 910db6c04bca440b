"""The child process that optimises a copy of a shard: `python -m ... SOURCE TARGET`.

Prints `copied` as soon as the source may be written to again, and ends with 0 when the copy is
optimised, flushed and closed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import qdrant_edge as edge

_NICENESS = 5  # searches and the encoder go first


def copy_sparse(source: Path, target: Path) -> None:
    """Copy a file with its holes: the engine preallocates 64 MB of which little is used."""
    with source.open("rb") as reader, target.open("wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        writer.truncate(size)
        position = 0
        while position < size:
            try:
                start = os.lseek(reader.fileno(), position, os.SEEK_DATA)
            except OSError:  # no data behind this position
                break
            end = os.lseek(reader.fileno(), start, os.SEEK_HOLE)
            os.lseek(reader.fileno(), start, os.SEEK_SET)
            os.lseek(writer.fileno(), start, os.SEEK_SET)
            while start < end:
                start += os.sendfile(writer.fileno(), reader.fileno(), None, end - start)
            position = end


def copy_tree(source: Path, target: Path) -> None:
    """Copy all files below a folder."""
    target.mkdir()
    for item in sorted(source.iterdir()):
        (copy_tree if item.is_dir() else copy_sparse)(item, target / item.name)


def main(source: str, target: str) -> None:
    """Copy, optimise, flush, close."""
    os.nice(_NICENESS)
    copy_tree(Path(source), Path(target))
    print("copied", flush=True)
    shard = edge.EdgeShard.load(target)
    shard.optimize()
    shard.flush()
    shard.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
