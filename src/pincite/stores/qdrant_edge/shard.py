"""One collection on disk: its open current generation, and the next one in preparation.

Qdrant Edge keeps Python's lock during a call. Searches and writes take milliseconds, but a flush
waits for the disk, and optimising takes seconds to minutes. So durability comes from syncing the
log of Qdrant Edge in a thread, and a child process optimises a copy while this one continues.
Writes made meanwhile are also kept in a journal and applied to the copy, which then becomes
current.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import TypeVar

import qdrant_edge as edge

from pincite.errors import DiskFull, StoreError
from pincite.model import AttributeType
from pincite.stores.payload import ALIASED
from pincite.stores.qdrant_edge import generations
from pincite.stores.qdrant_edge.engine_shard import (
    add_dense,
    copy_points,
    create_shard,
    index_of,
    load_shard,
    open_shard,
    translated,
)
from pincite.stores.qdrant_edge.generations import State
from pincite.stores.qdrant_edge.layout import EdgeLayout
from pincite.stores.qdrant_edge.optimise import optimising_child
from pincite.stores.qdrant_edge.translate import INDEXED_FIELDS, to_indexes
from pincite.stores.room import FINISHING_BYTES, SPARE_BYTES
from pincite.support.concurrency import run_to_completion
from pincite.support.fields import replace

T = TypeVar("T")

#: Space needed besides the spare room to open, to remove, and to finish started work.
_FINISHING = FINISHING_BYTES - SPARE_BYTES
#: Optimising pays from this share of points that were written or removed since the last time.
WORTHWHILE_SHARE = 0.1  # guess, unmeasured
_GRAPH_BYTES = 10_000 * 1024  # of vectors; with fewer, Qdrant Edge builds no graph
_JOURNAL_STEP = 8  # operations applied to a copy before searches get a turn
#: The pause between two steps that block everything: requests received meanwhile go first. One
#: round of the event loop is not enough to read a request from its socket and answer it.
_TURN_S = 0.005
_JOURNAL_POINTS = 50_000  # about 150 MB; with more the copy is abandoned  # guess, unmeasured
#: Above this, Qdrant Edge flushes, which empties its log. No request is answered meanwhile: for
#: half a second with 256 MB, for 80 to 160 ms with 64 MB, for 40 to 90 if files are synced before.
_LOG_BYTES = 64 * 1024 * 1024


class Shard:
    """An open shard. Only one process at a time may hold it."""

    def __init__(
        self,
        root: Path,
        free_bytes: Callable[[Path], int],
        *,
        idf: bool = True,
        layout: EdgeLayout = EdgeLayout(),
    ) -> None:
        """Open the current generation, or create the first, with or without Qdrant Edge's IDF.
        `layout` applies to future generations. Raises StoreError, DiskFull."""
        self.root = root
        self.hidden: set[str] = set()  #: revisions that searches do not see
        self.writing = asyncio.Lock()  # the caller of `apply` holds it
        self.state = object()  #: replaced by every write
        self._free_bytes = free_bytes
        self._wanted = layout
        self._journal: list[edge.UpdateOperation] | None = None
        self._journal_points = 0
        self._optimising: asyncio.Task[None] | None = None
        self._reading: Thread | None = None
        self._closing = Event()
        root.mkdir(parents=True, exist_ok=True)
        self.require_space(_FINISHING)
        self._state, self._shard = self.guard("open", lambda: open_shard(root, idf=idf))
        #: Whether points may wait under aliases. Their index exists from the first such point on.
        self.has_aliases = ALIASED in self.ask(lambda s: s.info().payload_schema)

    def read_ahead(self) -> None:
        """Start reading words and texts into memory, in a thread. Searches need not wait."""
        needed = generations.files_to_search(self.root / self._state.generation)
        self._reading = Thread(target=generations.read_ahead, args=(needed, self._closing))
        self._reading.start()

    def set_dimensions(self, dimensions: int) -> None:
        """Add dense vectors to a shard without any."""
        if dimensions and not self._state.dimensions:
            self.apply(add_dense(dimensions))
            self._state.dimensions = dimensions
            self.guard("write to", lambda: generations.write_state(self.root, self._state))

    def set_attributes(self, attributes: Mapping[str, AttributeType]) -> None:
        """Create the missing payload indexes of attributes, and those of our own fields that a
        shard of an earlier version lacks."""
        schema = self.ask(lambda s: {k: v.data_type for k, v in s.info().payload_schema.items()})
        own = [index_of(name) for name in INDEXED_FIELDS if name not in schema]
        for operation in (*own, *to_indexes(attributes, schema)):
            self.apply(operation)

    def allow_aliases(self) -> None:
        """Create the index of points that wait under aliases. Most collections never need one."""
        if not self.has_aliases:
            self.apply(index_of(ALIASED))
            self.has_aliases = True

    async def set_idf(self, *, idf: bool, attributes: Mapping[str, AttributeType] = {}) -> None:
        """Turn Qdrant Edge's IDF on or off. It cannot change that in place, so all points are
        copied into a new generation with indexes of `attributes`; searches continue meanwhile."""
        if idf == self._state.idf:
            return
        await self._stop_optimising()
        async with self.writing:
            self.require_space(2 * generations.space_taken(self.root))
            path = self.root / generations.next_generation(self._state.generation)
            state = State(path.name, self.dimensions, self.count(), idf=idf)
            with translated(self.root.name, "copy"):
                fresh = create_shard(path, idf=idf, dimensions=state.dimensions)
                try:
                    aliases = [index_of(ALIASED)] if self.has_aliases else []
                    for operation in (*aliases, *to_indexes(attributes, {})):
                        fresh.update(operation)
                    await copy_points(self._shard, fresh)
                    self._require_whole(fresh)
                    fresh.flush()
                    generations.write_state(self.root, state)
                    path = self.root / self._state.generation
                    fresh, self._shard, self._state = self._shard, fresh, state
                finally:
                    fresh.close()  # the old one, or the failed copy
                    shutil.rmtree(path, ignore_errors=True)

    @property
    def dimensions(self) -> int:
        """Return the length of the dense vectors, 0 if there are none."""
        return self._state.dimensions

    @property
    def layout(self) -> EdgeLayout:
        """Return the layout of the current generation."""
        return self._state.layout

    @property
    def optimising(self) -> bool:
        """Return whether a child process is running."""
        return self._optimising is not None

    def guard(self, verb: str, call: Callable[[], T]) -> T:
        """Run one call of Qdrant Edge and translate its errors: StoreError, EnginePanicked."""
        with translated(self.root.name, verb):
            return call()

    def require_space(self, needed: int) -> None:
        """Raise DiskFull unless `needed` bytes can be written with some to spare."""
        free = self._free_bytes(self.root)
        if free < needed + SPARE_BYTES:
            raise DiskFull(
                f"{free / 1e6:.0f} MB are free at {self.root}, but safe writing needs"
                f" {(needed + SPARE_BYTES) / 1e6:.0f} MB; earlier writes are complete",
                hint="make room on that disk, then run the same command again",
            )

    def apply(self, operation: edge.UpdateOperation, *, written: int = 0, deleted: int = 0) -> None:
        """Apply one operation. After the return it survives a killed process."""
        self.require_space(_FINISHING)
        self.state = object()
        self.guard("write to", lambda: self._shard.update(operation))
        self._state.written += written
        self._state.deleted += deleted
        if self._journal is not None:
            self._journal.append(operation)
            self._journal_points += written + deleted
            if self._journal_points > _JOURNAL_POINTS and self._optimising is not None:
                self._optimising.cancel()

    def ask(self, call: Callable[[edge.EdgeShard], T]) -> T:
        """Run one read on Qdrant Edge. Its objects create a value anew at every access, so `call`
        must read each wanted value once."""
        return self.guard("search", lambda: call(self._shard))

    def count(self, filter_: edge.Filter | None = None) -> int:
        """Return the exact number of points, staged ones included."""
        return int(self.ask(lambda s: s.count(edge.CountRequest(exact=True, filter=filter_))))

    async def flush(self) -> None:
        """Return when everything written so far survives a power failure."""
        async with self.writing:
            path = self.root / self._state.generation
            if generations.space_taken(path / "wal") > _LOG_BYTES:
                await run_to_completion(
                    asyncio.to_thread(self.guard, "flush", lambda: generations.sync_files(path))
                )
                self.guard("flush", self._shard.flush)
            await run_to_completion(
                asyncio.to_thread(self.guard, "flush", lambda: self._sync(path))
            )

    def _sync(self, path: Path) -> None:
        generations.sync_log(path)
        generations.write_state(self.root, self._state)

    async def close(self) -> None:
        """Flush and release the files."""
        self._closing.set()
        await self._stop_optimising()
        if self._reading is not None:
            await asyncio.to_thread(self._reading.join)
        async with self.writing:  # a flush may be running, which also writes the state
            try:
                self.guard("flush", self._shard.flush)
                self.guard("flush", lambda: generations.write_state(self.root, self._state))
            finally:
                self.guard("close", self._shard.close)

    def worth_optimising(self) -> bool:
        """Return whether many points are outside the graph, or removed but still counted by IDF, or
        whether vectors have another layout than they should."""
        points, state = self.count(), self._state
        few = WORTHWHILE_SHARE * points
        graph = points * state.dimensions * 4 >= _GRAPH_BYTES
        stale = state.written > few or state.layout != self._wanted
        return state.deleted > few or (graph and stale)

    async def optimise(self) -> bool:
        """Optimise a copy in a child process and make it current. Return False if that was stopped,
        or if it is already running. Raises StoreError, DiskFull."""
        if self._optimising is not None:
            return False
        self.require_space(3 * generations.space_taken(self.root))
        task = self._optimising = asyncio.create_task(self._make_next())
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            await self._stop_optimising()
            raise
        finally:
            self._optimising = None
        if task.cancelled():
            return False
        task.result()
        return True

    async def _stop_optimising(self) -> None:
        task = self._optimising
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _make_next(self) -> None:
        before = self._state.generation
        after = generations.next_generation(before)
        started = replace(self._state)
        try:
            folders = self.root / before, self.root / after
            async with optimising_child(*folders, self.dimensions, self._wanted) as child:
                await child.ready()
                async with self.writing:
                    self._journal, self._journal_points = [], 0
                    started = replace(self._state)
                    await child.copy()
                await child.end()
            await self._adopt(after, started)
        finally:
            self._journal = None
            stale = before if self._state.generation == after else after
            await run_to_completion(
                asyncio.to_thread(shutil.rmtree, self.root / stale, ignore_errors=True)
            )

    async def _adopt(self, generation: str, started: State) -> None:
        path = self.root / generation
        await self._read_ahead(generations.files_to_open(path, vectors=not self._wanted.on_disk))
        fresh = self.guard("load", lambda: load_shard(path, idf=bool(started.idf)))
        try:
            await asyncio.sleep(_TURN_S)
            while self._journal and len(self._journal) > _JOURNAL_STEP:
                self._replay(fresh, _JOURNAL_STEP)
                await asyncio.sleep(_TURN_S)
            await asyncio.to_thread(generations.sync_log, path)
            await self._read_ahead(generations.files_to_search(path))
            async with self.writing:  # and nothing below yields to other tasks
                self._replay(fresh, _JOURNAL_STEP + len(self._journal or ()))
                self._require_whole(fresh)
                state = State(
                    generation=generation,
                    dimensions=self._state.dimensions,
                    written=self._state.written - started.written,
                    deleted=self._state.deleted - started.deleted,
                    layout=self._wanted,
                    idf=started.idf,
                )
                self.guard("sync", lambda: generations.sync_log(path))
                self.guard("sync", lambda: generations.write_state(self.root, state))
                fresh, self._shard, self._state = self._shard, fresh, state
                self._journal = None
            old = self.root / started.generation
            await run_to_completion(asyncio.to_thread(generations.prepare_to_close, old))
        finally:
            await asyncio.sleep(_TURN_S)
            self.guard("close", fresh.close)  # the old one, or the failed copy

    def _require_whole(self, copy: edge.EdgeShard) -> None:
        counted = self.guard("count", lambda: copy.count(edge.CountRequest(exact=True)))
        if counted != self.count():
            raise StoreError(
                f"the copy of collection {self.root.name!r} has {counted} points instead of"
                f" {self.count()}; it was discarded"
            )

    async def _read_ahead(self, paths: list[Path]) -> None:
        await asyncio.to_thread(generations.read_ahead, paths, self._closing)

    def _replay(self, fresh: edge.EdgeShard, most: int) -> None:
        journal = self._journal if self._journal is not None else []
        step = journal[:most]
        del journal[:most]
        for operation in step:
            self.guard("write to", partial(fresh.update, operation))
