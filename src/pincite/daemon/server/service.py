"""The service of a daemon: the index of one folder, and the encoder of queries, in one process."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

from pincite import version
from pincite.catalog.file import open_catalog
from pincite.catalog.place import catalog_of
from pincite.daemon.refresh.freshness import Condition, Freshness, Trouble, Wish
from pincite.daemon.server.encoder import bundled_name, embed_as
from pincite.daemon.server.idle_memory import memory_mb, trim
from pincite.daemon.server.read_only import Copy, why_only_read, workplace
from pincite.daemon.server.usage import Usage
from pincite.daemon.wire import protocol
from pincite.errors import EnginePanicked, IndexUnavailable, ModelUnavailable, PinciteError
from pincite.index.folder import require_plain_stores
from pincite.index.local import LocalIndex
from pincite.model import CollectionSpec, SourceRecord, Vector
from pincite.ports import DenseEncoder
from pincite.stores.open_store import Opened, open_edge
from pincite.support.local_time import local_now
from pincite.support.processes.locks import Lock, open_lock, say_in

if TYPE_CHECKING:
    from pincite.daemon.refresh.scheduler import Refreshing
    from pincite.daemon.wire.messages import Answer, RemoteSearch
    from pincite.ports import Files

log = logging.getLogger("pincite.daemon")

_ROOM_EVERY_S = 2.0  # a look at the disk takes 0.1 ms
_QUIET_S = 0.5  # guess: without a request for so long, work in the background may begin
_SOFTWARE = 70  # `os.EX_SOFTWARE`, where it exists


class AlreadyRunning(IndexUnavailable):
    """Another process has the index. This error is never sent to a client."""


class Daemon(LocalIndex):
    """`protocol.Service` on the index folder `root`. Close it; otherwise the lock is held until the
    process ends."""

    def __init__(
        self,
        root: Path,
        models: Path,
        load_encoder: Callable[[Path, str], DenseEncoder],
        open_store: Callable[[Path], Opened] = open_edge,
        environ: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Take the folder. `load_encoder` opens the encoder of that name from a folder of models,
        at first `models`. `environ` is the environment of the processes that it starts. Raises
        AlreadyRunning, IndexTooNew, StoreError, UsageError."""
        self._root = root
        self._copy: Copy | None = None
        self._room_looked_s = -float("inf")
        #: The open files of this process: if a name now leads to another file, it was removed or
        #: replaced.
        self._held = {root: root.stat()}
        self._lock = take_index(root)
        try:
            self._held[workplace(root) / protocol.LOCK] = os.fstat(self._lock.file)
            require_plain_stores(root)
            if (why := why_only_read(root)) is not None:
                self._copy = Copy(root, why)
                log.warning("%s", why.message)
            home = root if self._copy is None else self._copy.path
            self._opened = open_store(home)
            catalog = open_catalog(home)
            self._held[catalog_of(home)] = catalog_of(home).stat()
        except BaseException:
            self._let_go()
            raise
        super().__init__(self._opened.store, catalog, self._opened.measured)
        self._models = models
        self._load_encoder = load_encoder
        self._encoders: dict[str, asyncio.Future[DenseEncoder]] = {}
        #: Answers questions in JSON; set by the code that starts the process.
        self.short: Callable[[bytes], Awaitable[bytes]] | None = None
        self.leaving = asyncio.Event()
        #: Called when the index is closed, before others may take it or copy its folder.
        self.when_closed: Callable[[], None] | None = None
        self.usage = Usage()
        self._environ = environ
        self._refreshing: Refreshing | None = None
        self._resting_since = ""

    def _let_go(self) -> None:
        if self._copy is not None:
            self._copy.close()
        self._lock.close()

    async def open(self, *, repair: bool = True) -> None:
        server_is_ahead = self._copy is not None and self._opened.remote
        await super().open(repair=repair and not server_is_ahead)
        if self._opened.remote:  # the next daemon may reach it again
            for broken in self._broken.values():
                raise broken
        specs = [info.spec for info in await self.collections()]
        self._opened.keep_only({spec.name for spec in specs})
        self._warm_for(specs)
        if self._copy is None:
            for name in self._specs.keys() - self._broken.keys():
                self.make_outlines(name)

    def _warm_for(self, specs: Iterable[CollectionSpec]) -> None:
        """Load the encoders for queries of these collections. If none of them is bundled, load the
        default one: collections of providers are few, and it may be needed."""
        dense = [spec for spec in specs if spec.dense]
        for name in {bundled_name(spec.dense or "", spec.model) for spec in dense}:
            self._warm(name)

    def _warm(self, name: str) -> asyncio.Future[DenseEncoder]:
        """Return the encoder, loaded in a thread. A load that failed is tried again."""
        known = self._encoders.get(name)
        if known is None or (known.done() and known.exception()):
            import_numpy()
            loop = asyncio.get_running_loop()
            known = loop.run_in_executor(None, self._load_encoder, self._models, name)
            known.add_done_callback(_look_at)
            self._encoders[name] = known
        return known

    async def _encoder_for(self, fingerprint: str, models: Path) -> DenseEncoder:
        """Return the loaded encoder if it is the right one, else the one now in `models`."""
        name = bundled_name(fingerprint)
        try:
            encoder = await asyncio.shield(self._warm(name))
            if encoder.fingerprint == fingerprint:
                return encoder
        except ModelUnavailable:
            if models == self._models:
                raise
        self._models = models
        self._encoders.pop(name, None)
        return await asyncio.shield(self._warm(name))

    async def hello(self) -> protocol.Identity:
        unused_s = self.usage.unused_s
        why = "" if self._copy is None else self._copy.why.message
        return protocol.Identity(
            protocol.PROTOCOL, version.VERSION, os.getpid(), unused_s, why, protocol.SHAPE
        )

    async def leave(self) -> None:
        self.leaving.set()

    async def embed_query(self, fingerprint: str, text: str, models: str = "") -> Vector:
        encoder = await self._encoder_for(fingerprint, Path(models) if models else self._models)
        return await embed_as(encoder, fingerprint, text)

    @cached_property
    def refreshing(self) -> Refreshing:
        """Return the part that keeps the index up to date. It is made before its first use."""
        from pincite.daemon.refresh.scheduler import Refreshing

        self._refreshing = Refreshing(self._root, self, self._environ)
        return self._refreshing

    @property
    def at_work(self) -> bool:
        """Return whether work is pending or running, or written data are not yet safe from a power
        failure."""
        refreshing = self._refreshing is not None and self._refreshing.busy
        return self.busy or self.dirty or refreshing

    async def stop_refreshing(self) -> None:
        """Start no more work that would outlast this process."""
        if self._refreshing is not None:
            await self._refreshing.close()

    @cached_property
    def _files(self) -> Files:
        from pincite.current_files.files import FilesOnDisk

        return FilesOnDisk(self.sources)

    async def ask(self, asked: RemoteSearch) -> Answer:
        import_numpy()
        from pincite.daemon.server.search_here import search_here

        return await search_here(asked, self, self._files)

    async def look(self, wish: Wish) -> Freshness:
        if self._copy is None:
            return await self.refreshing.look(wish)
        return Freshness(wish.auto, troubles=(Trouble("", "", self._copy.why.message),))

    async def condition(self) -> Condition:
        loaded = []
        if any(one.done() for one in self._encoders.values()):
            loaded.append("encoder of queries")
        freshness = self.refreshing.state()
        return Condition(memory_mb(), tuple(loaded), self._resting_since, freshness)

    def rest(self) -> None:
        """Release everything that can be loaded again quickly."""
        if self._resting_since:
            return
        if not all(one.done() for one in self._encoders.values()):
            return
        self._encoders.clear()
        self._opened.forget()
        if searching := sys.modules.get("pincite.daemon.server.search_here"):
            searching.forget()
        trim()
        self._resting_since = local_now()
        log.info("idle with %.0f MB", memory_mb())

    def wake(self) -> None:
        """Prepare for requests after a rest: load in the background what a search needs."""
        if self._resting_since:
            self._resting_since = ""
            self._warm_for(self._specs.values())

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        await super().put_source(collection, record)
        if record.complete and self._refreshing is not None:
            self._refreshing.source_written()

    async def create(self, spec: CollectionSpec) -> None:
        try:
            await super().create(spec)
        except PinciteError:
            if not self._specs:  # settings may name another store, which the next daemon opens
                self.leaving.set()
            raise
        self._warm_for([spec])

    def panicked(self, error: EnginePanicked) -> None:
        end_after(error)

    @property
    def is_quiet(self) -> bool:
        return self.usage.unused_s >= _QUIET_S

    @property
    def outdated(self) -> str:
        """Return why this daemon must end at once, without another write; empty while it may
        continue. The folder, or the lock or the catalog in it, may have been removed, moved, or
        replaced by one of the same name; or the original of a read-only copy may have changed, or
        have become writable."""
        try:
            here = all(os.path.samestat(seen, path.stat()) for path, seen in self._held.items())
        except OSError:
            here = False
        if not here:
            return f"the index in {self._root} no longer exists"
        if self._copy is not None and self._copy.stale:
            return f"another program changed the index {self._root}"
        if self._copy is not None and self._is_writable_now(self._copy):
            return f"the index folder {self._root} can be written to again"
        return ""

    def _is_writable_now(self, copy: Copy) -> bool:
        """Return whether the reason for the copy is gone; it is looked at every few seconds."""
        if time.monotonic() - self._room_looked_s >= _ROOM_EVERY_S:
            self._room_looked_s = time.monotonic()
            why = why_only_read(self._root)
            if why is None:
                return True
            copy.why = why
        return False

    def require_writable(self) -> None:
        """Raise the error for writers if the folder cannot be written to. If it has become
        writable, this process ends, and the next one writes."""
        if self._copy is None:
            return
        if (why := why_only_read(self._root)) is not None:
            raise why
        self.abandon("the disk has room for writing again")

    def abandon(self, why: str) -> NoReturn:
        """End at once: nothing more may be written into this folder."""
        log.warning("%s; this process ends", why)
        if self._copy is not None:
            self._copy.close()
        os._exit(0)

    async def close(self) -> None:
        try:
            await self.stop_refreshing()
            await super().close()
            if self.when_closed is not None:
                self.when_closed()
        finally:
            self._let_go()


def take_index(root: Path) -> Lock:
    """Lock an index folder for this process, until the lock is closed. Raises AlreadyRunning,
    OSError."""
    lock = open_lock(workplace(root) / protocol.LOCK)
    try:
        taken = lock.take()
    except BaseException:
        lock.close()
        raise
    if not taken:
        lock.close()
        raise AlreadyRunning(f"another process owns {root}")
    with suppress(OSError):  # a full disk: the number is only for messages
        say_in(lock, f"{os.getpid():<10}".encode())  # in place, which needs no room
    return lock


def import_numpy() -> None:
    """Import numpy while no other thread does: its modules import each other, and two threads that
    start at once fail. It takes 60 ms, and writing a keyword-only index does not need it."""
    import numpy  # noqa: F401


def _look_at(done: asyncio.Future[DenseEncoder]) -> None:
    if not done.cancelled() and (error := done.exception()):
        log.warning("the encoder was not loaded: %s", error)


def end_after(error: EnginePanicked) -> NoReturn:
    """End this process: the state of Qdrant Edge cannot be trusted."""
    log.critical("the engine panicked; this process ends: %s", error)
    os._exit(_SOFTWARE)
