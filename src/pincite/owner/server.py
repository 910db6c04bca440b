"""The owner: one process that holds the engine's shards, the catalogue and the query encoder.

It listens on a Unix socket that only its user may open, serves any number of clients, and leaves
when nobody has been connected for a while.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pincite import version
from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import IndexUnavailable, ModelUnavailable, PinciteError, StoreError
from pincite.index import LocalIndex
from pincite.model import CollectionSpec, DocumentRecord, Point, Vector
from pincite.owner import wire
from pincite.ports import DenseEncoder
from pincite.stores.qdrant_edge.store import EdgeStore

log = logging.getLogger("pincite.owner")

_FLUSH_EVERY_S = 2.0  # what a loss of power may take; a killed process loses nothing
_LOOK_EVERY_S = 0.5


class Owner(LocalIndex):
    """`wire.Service` on the index folder `root`. Close it, or the lock stays until the end."""

    def __init__(self, root: Path, load_encoder: Callable[[], DenseEncoder]) -> None:
        """Take the folder. Raises IndexUnavailable where another process has it."""
        self._lock = (root / "owner.lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise IndexUnavailable(f"another process owns {root}") from error
        self._engine = EdgeStore(root / "collections")
        self._sqlite = SqliteCatalog(root / "catalog.db")
        super().__init__(self._engine, self._sqlite, self._engine)
        self._load_encoder = load_encoder
        self._encoder: asyncio.Future[DenseEncoder] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.leaving = asyncio.Event()
        self.dirty = False

    async def open(self) -> None:
        await super().open()
        if any(spec.dense for spec in await self._sqlite.specs()):
            self._warm()

    def _warm(self) -> asyncio.Future[DenseEncoder]:
        if self._encoder is None or (self._encoder.done() and self._encoder.exception()):
            loop = asyncio.get_running_loop()
            self._encoder = loop.run_in_executor(None, self._load_encoder)
            self._encoder.add_done_callback(lambda done: done.exception())
        return self._encoder

    async def hello(self) -> wire.Identity:
        return wire.Identity(wire.PROTOCOL, version.VERSION, os.getpid())

    async def leave(self) -> None:
        self.leaving.set()

    async def embed_query(self, fingerprint: str, text: str) -> Vector:
        encoder = await self._warm()
        if encoder.fingerprint != fingerprint:
            raise ModelUnavailable(
                f"the index was made with {fingerprint}, and the model here is"
                f" {encoder.fingerprint}",
                hint="pincite index --rebuild",
            )
        return await encoder.embed_query(text)

    async def create(self, spec: CollectionSpec) -> None:
        await super().create(spec)
        if spec.dense:
            self._warm()

    async def replace(
        self, collection: str, record: DocumentRecord, points: Sequence[Point]
    ) -> None:
        self.dirty = True
        await super().replace(collection, record, points)

    async def settle(self, collection: str) -> None:
        await self.flush()
        task = asyncio.create_task(self._optimise(collection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _optimise(self, collection: str) -> None:
        started = time.monotonic()
        try:
            if await self._engine.optimise(collection):
                log.info("optimised %s in %.1f s", collection, time.monotonic() - started)
        except PinciteError as error:
            log.warning("%s stays as it is: %s", collection, error)

    async def flush(self) -> None:
        """Make everything written so far survive a loss of power."""
        self.dirty = False
        await self._engine.flush()
        await self._sqlite.checkpoint()

    @property
    def busy(self) -> bool:
        """Is something going on in the background?"""
        return bool(self._tasks)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().close()
        self._lock.close()


async def serve(owner: Owner, root: Path, idle_s: float, ready: Callable[[], None]) -> None:
    """Answer clients until the owner is told to leave or nobody has come for `idle_s`."""
    path = wire.socket_path(root)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if path.parent.stat().st_uid != os.getuid():
        raise IndexUnavailable(f"{path.parent} belongs to another user")
    path.unlink(missing_ok=True)
    clients: set[asyncio.StreamWriter] = set()

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        clients.add(writer)
        try:
            while (body := await wire.read_frame(reader)) is not None:
                await wire.write_frame(writer, await answer(owner, body))
        except ConnectionError:
            log.info("a client went away in the middle of an answer")
        finally:
            clients.discard(writer)
            writer.close()

    server = await asyncio.start_unix_server(client, str(path))
    path.chmod(0o600)
    ready()
    last_seen = last_flush = time.monotonic()
    while not owner.leaving.is_set() and time.monotonic() - last_seen < idle_s:
        await asyncio.wait([asyncio.ensure_future(owner.leaving.wait())], timeout=_LOOK_EVERY_S)
        now = time.monotonic()
        if clients or owner.busy:
            last_seen = now
        if owner.dirty and now - last_flush >= _FLUSH_EVERY_S:
            await owner.flush()
            last_flush = now
    server.close()
    path.unlink(missing_ok=True)


async def answer(owner: wire.Service, body: bytes) -> bytes:
    """The answer to one request. Errors of ours travel; anything else is logged and named."""
    try:
        name, raw = wire.decode(body, tuple[str, msgspec.Raw])
        operation = wire.operations()[name]
        arguments = wire.decode(raw, operation.arguments)
        method = getattr(owner, name)
        result = await method(**dict(zip(operation.names, arguments, strict=True)))
        return wire.encode((True, result))
    except PinciteError as error:
        return wire.encode((False, wire.describe_error(error)))
    except (msgspec.DecodeError, KeyError) as error:
        refused = IndexUnavailable(f"the owner does not understand a request: {error!r}")
        return wire.encode((False, wire.describe_error(refused)))
    except Exception as error:  # noqa: BLE001 - one bad request must not end the process
        log.exception("request failed")
        failed = StoreError(f"the owner failed: {error!r}", hint="see owner.log in the index")
        return wire.encode((False, wire.describe_error(failed)))
