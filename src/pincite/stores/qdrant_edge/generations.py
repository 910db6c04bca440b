"""The folder of a collection: generations of Qdrant Edge's shard, one of them current.

    <root>/state.json          which generation is current, and how far it is from optimal
    <root>/g000001/            Qdrant Edge's files

A generation is replaced as a whole, by one rename of `state.json`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Event

import msgspec

from pincite.stores.qdrant_edge.layout import EdgeLayout
from pincite.support.capabilities import sync_path

STATE = "state.json"
FIRST = "g000001"
_VECTORS = "matrix.dat"
#: What Qdrant Edge drops from the page cache when it opens a generation, and needs for searches.
_DROPPED = ("vector_index-*/inverted_index.dat", "store/page_*.dat", "payload_storage/page_*.dat")
#: Large files that Qdrant Edge never opens to write (as strace shows): vectors, words, the graph.
ONLY_READ = ("matrix.dat", "inverted_index.dat", "links_compressed.bin", "graph.bin")
_READ_AHEAD_BYTES = 4 * 1024 * 1024 * 1024  # two million chunks
_READ_BYTES = 1024 * 1024


class State(msgspec.Struct):
    """`written` and `deleted` count points since the generation was optimised. `dimensions` is 0
    while there are no dense vectors. `layout` is the one that it was optimised with. `idf` says
    whether Qdrant Edge multiplies with the IDF, None in a state of a version that did not say."""

    generation: str = FIRST
    dimensions: int = 0
    written: int = 0
    deleted: int = 0
    layout: EdgeLayout = EdgeLayout()
    idf: bool | None = None


def read_state(root: Path) -> State | None:
    """None where no generation has been finished. Raises msgspec.DecodeError, OSError."""
    try:
        return msgspec.json.decode((root / STATE).read_bytes(), type=State)
    except FileNotFoundError:
        return None


def write_state(root: Path, state: State) -> None:
    """Replace the state as a whole; it survives a loss of power."""
    fresh = root / f"{STATE}.new"
    with fresh.open("wb") as file:
        file.write(msgspec.json.encode(state))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(root / STATE)
    sync(root)


def next_generation(current: str) -> str:
    """The name that follows."""
    return f"g{int(current[1:]) + 1:06d}"


def sweep(root: Path, current: str) -> None:
    """Remove generations that a crash has left behind."""
    for leftover in root.glob("g*"):
        if leftover.name != current:
            shutil.rmtree(leftover, ignore_errors=True)


def sync_log(generation: Path) -> None:
    """Make every operation so far survive a loss of power: Qdrant Edge writes each into its log
    first, and applies them again after a crash."""
    log = generation / "wal"
    done = set[str]()
    while waiting := sorted(path for path in log.iterdir() if path.name not in done):
        for path in waiting:
            done.add(path.name)
            with suppress(FileNotFoundError):  # it has got another name, and comes with the next
                sync(path)
    sync(log)


def sync_files(generation: Path) -> None:
    """Write what is in memory of all files, so that Qdrant Edge has little to wait for when it
    flushes: it keeps Python's lock meanwhile."""
    for path in generation.rglob("*"):
        with suppress(FileNotFoundError):  # the engine names and removes files at any time
            if path.is_file():
                sync(path)


def prepare_to_close(generation: Path) -> None:
    """Write what Qdrant Edge would write when it closes a generation that has been replaced, while
    nobody is answered. What cannot be written does not matter: it is removed next."""
    with suppress(OSError):
        sync_files(generation)


def sync(path: Path) -> None:
    """Make a file, or the names in a folder, survive a loss of power."""
    sync_path(path)


def files_to_open(generation: Path, *, vectors: bool) -> list[Path]:
    """What Qdrant Edge reads when it opens a generation. It keeps Python's lock meanwhile: 280 ms
    with 100,000 chunks, 100 where these are in the page cache. It reads `vectors` only where they
    are not to stay on disk."""
    return [
        path
        for path in generation.rglob("*")
        if path.is_file()
        and (vectors or path.name != _VECTORS)
        and not any(map(path.match, _DROPPED))
    ]


def files_to_search(generation: Path) -> list[Path]:
    """Words and texts. Qdrant Edge maps them, drops what is cached of them when it opens them, and
    then waits for the disk at each one: 30 chunks take 1.2 ms, read ahead 0.35."""
    return [path for pattern in _DROPPED for path in generation.glob(f"segments/**/{pattern}")]


def read_ahead(paths: Iterable[Path], stopped: Event) -> None:
    """Bring files into the page cache, in their order, until `stopped` or until it is enough."""
    left = _READ_AHEAD_BYTES
    for path in paths:
        with suppress(FileNotFoundError), path.open("rb", buffering=0) as file:
            while left > 0 and not stopped.is_set() and (read := file.read(_READ_BYTES)):
                left -= len(read)


def space_taken(root: Path) -> int:
    """Bytes on disk. Qdrant Edge's files have holes, so blocks are counted."""
    taken = 0
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                taken += os.lstat(f"{folder}/{name}").st_blocks * 512
            except FileNotFoundError:
                continue  # Qdrant Edge replaced it meanwhile
    return taken
