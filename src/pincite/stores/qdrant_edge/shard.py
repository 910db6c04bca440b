"""One collection on disk: generations of an engine shard, one of them current.

    <root>/state.json          which generation is current, and how many points it has lost since
    <root>/g000001/            the engine's files

Optimising freezes the interpreter for seconds to minutes, for the engine keeps Python's lock. So a
child process optimises a copy while this one goes on; what is written meanwhile is also kept in a
journal, applied to the copy at the end, and then the copy becomes current by one rename.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import qdrant_edge as edge

from pincite.errors import DiskFull, StoreError
from pincite.model import CollectionSpec
from pincite.stores.qdrant_edge.translate import DENSE, INDEXED_FIELDS, SPARSE

T = TypeVar("T")

#: Free space that every write leaves untouched: a full disk kills the process by SIGBUS.
SPARE_BYTES = 128 * 1024 * 1024
#: Optimising pays from this share of points that are not indexed or were deleted.
WORTHWHILE_SHARE = 0.1  # guess, unmeasured
_JOURNAL_STEP = 8  # operations applied to a copy before searches get their turn


class Shard:
    """An open shard. One process at a time may hold it."""

    def __init__(self, root: Path, spec: CollectionSpec) -> None:
        """Open the current generation, or create the first. Raises StoreError, DiskFull."""
        self.root = root
        self.hidden: set[str] = set()
        self.optimising = False
        self._journal: list[edge.UpdateOperation] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        root.mkdir(parents=True, exist_ok=True)
        self._state = self._read_state()
        self._shard = self._open(spec)
        self.has_dense = spec.dense is not None
        self._sweep()

    @property
    def _path(self) -> Path:
        return self.root / str(self._state["generation"])

    def _read_state(self) -> dict[str, Any]:
        try:
            return dict(json.loads((self.root / "state.json").read_text()))
        except FileNotFoundError:
            return {"generation": "g000001", "deleted": 0, "dense": False}

    def _write_state(self) -> None:
        fresh = self.root / "state.json.new"
        with fresh.open("w") as file:
            json.dump(self._state, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.root / "state.json")

    def _open(self, spec: CollectionSpec) -> edge.EdgeShard:
        self.require_space(0)
        if (self.root / "state.json").exists():
            shard = self.guard("open", lambda: edge.EdgeShard.load(str(self._path)))
        else:
            shutil.rmtree(self._path, ignore_errors=True)
            self._path.mkdir()
            config = edge.EdgeConfig(
                vectors={},
                sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
            )
            shard = self.guard("create", lambda: edge.EdgeShard.create(str(self._path), config))
            for name in INDEXED_FIELDS:
                index = edge.UpdateOperation.create_field_index(
                    name, edge.PayloadSchemaType.Keyword
                )
                shard.update(index)
            shard.flush()
            self._write_state()
        if spec.dense is not None and not self._state["dense"]:
            create = edge.UpdateOperation.create_dense_vector(
                DENSE, spec.dimensions, edge.Distance.Cosine
            )
            self.guard("add dense vectors to", lambda: shard.update(create))
            self._state["dense"] = True
            self._write_state()
        return shard

    def _sweep(self) -> None:
        for leftover in self.root.glob("g*"):
            if leftover != self._path:
                shutil.rmtree(leftover, ignore_errors=True)

    def guard(self, verb: str, call: Callable[[], T]) -> T:
        """Run one engine call and translate what it raises. Its panics are no Exceptions."""
        try:
            return call()
        except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
            raise
        except BaseException as error:
            raise StoreError(
                f"the engine could not {verb} collection {self.root.name!r}: {error}",
                hint=f"pincite collections rebuild {self.root.name}",
            ) from error

    def require_space(self, needed: int) -> None:
        """Raise DiskFull unless `needed` bytes can be written with some to spare."""
        free = shutil.disk_usage(self.root).free
        if free < needed + SPARE_BYTES:
            raise DiskFull(
                f"{free / 1e6:.0f} MB are free at {self.root}, and"
                f" {(needed + SPARE_BYTES) / 1e6:.0f} MB are needed to write safely;"
                " nothing was written",
                hint="make room on that disk, then run the same command again",
            )

    async def update(self, operation: edge.UpdateOperation, *, deletes: int = 0) -> None:
        """Apply one operation. It survives a killed process when this returns."""
        await self._writable.wait()
        self.guard("write to", lambda: self._shard.update(operation))
        self._state["deleted"] += deletes
        if self._journal is not None:
            self._journal.append(operation)

    def ask(self, call: Callable[[edge.EdgeShard], T]) -> T:
        """Run one read on the engine."""
        return self.guard("search", lambda: call(self._shard))

    def count(self, filter_: edge.Filter | None = None) -> int:
        """How many points there are, exactly, staged ones included."""
        return int(self.ask(lambda s: s.count(edge.CountRequest(exact=True, filter=filter_))))

    def flush(self) -> None:
        """Make everything written so far survive a loss of power."""
        self.guard("flush", self._shard.flush)
        self._write_state()

    def close(self) -> None:
        """Flush and let go of the files."""
        self.flush()
        self.guard("close", self._shard.close)

    def bytes(self) -> int:
        """Space taken on disk. The engine's files have holes, so blocks are counted."""
        return sum(f.stat().st_blocks * 512 for f in self.root.rglob("*") if f.is_file())

    def worth_optimising(self) -> bool:
        """Are enough points outside the vector index, or deleted and still counted by IDF?"""
        info = self.ask(lambda s: s.info())
        indexed = info.indexed_vectors_count if self.has_dense else info.points_count
        stale = max(0, info.points_count - indexed) + int(self._state["deleted"])
        return stale > WORTHWHILE_SHARE * max(1, info.points_count) and (
            int(self._state["deleted"]) > 0 or info.points_count >= self._index_threshold()
        )

    def _index_threshold(self) -> int:
        return 6_600  # the engine builds no graph below 10,000 KB of 384-dimensional vectors

    async def optimise(self) -> None:
        """Optimise a copy in a child process and make it current. Searches go on."""
        self.require_space(3 * self.bytes())
        self.optimising = True
        current = str(self._state["generation"])
        fresh = f"g{int(current[1:]) + 1:06d}"
        target = self.root / fresh
        shutil.rmtree(target, ignore_errors=True)
        try:
            await self._optimise_copy(target)
            await self._adopt(fresh)
        finally:
            self._journal = None
            self._writable.set()
            self.optimising = False
            stale = target if self._state["generation"] == current else self.root / current
            await asyncio.to_thread(shutil.rmtree, stale, ignore_errors=True)

    async def _optimise_copy(self, target: Path) -> None:
        self._writable.clear()
        self.flush()
        self._journal = []
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "pincite.stores.qdrant_edge.optimise"),
            *(str(self._path), str(target)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            if child.stdout is not None:
                await child.stdout.readline()  # the copy is made
            self._writable.set()
            _, errors = await child.communicate()
        except BaseException:
            child.kill()
            raise
        if child.returncode != 0:
            raise StoreError(
                f"optimising collection {self.root.name!r} failed with exit code"
                f" {child.returncode}: {errors.decode(errors='replace').strip()[-500:]}",
                hint="pincite status",
            )

    async def _adopt(self, generation: str) -> None:
        path = str(self.root / generation)
        fresh = self.guard("load", lambda: edge.EdgeShard.load(path))
        while self._journal:
            step, self._journal[:_JOURNAL_STEP] = self._journal[:_JOURNAL_STEP], []
            for operation in step:
                self.guard("write to", partial(fresh.update, operation))
            await asyncio.sleep(0)
        fresh.flush()
        old, self._shard = self._shard, fresh
        self._state |= {"generation": generation, "deleted": 0}
        self._write_state()
        self.guard("close", old.close)
