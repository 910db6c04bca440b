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
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from pincite import version
from pincite.catalog.sqlite import SqliteCatalog
from pincite.errors import (
    EnginePanicked,
    IndexUnavailable,
    ModelUnavailable,
    PinciteError,
    StoreError,
)
from pincite.index import LocalIndex
from pincite.model import CollectionSpec, Vector
from pincite.owner import asking, wire
from pincite.owner.private import is_ours
from pincite.owner.usage import Usage
from pincite.ports import DenseEncoder
from pincite.stores.opening import Opened, open_edge

log = logging.getLogger("pincite.owner")

_FLUSH_EVERY_S = 2.0  # what a loss of power may take; a killed process loses nothing
_LOOK_EVERY_S = 0.5
_FINISH_S = 10.0  # what is under way when the owner leaves may take so long
_BACKLOG = 1024  # a client that finds the queue full fails in an odd way
_BUFFER_BYTES = 1024 * 1024


class AlreadyOwned(IndexUnavailable):
    """Another process has the index. It never leaves this one."""


class Owner(LocalIndex):
    """`wire.Service` on the index folder `root`. Close it, or the lock stays until the end."""

    def __init__(
        self,
        root: Path,
        models: Path,
        load_encoder: Callable[[Path], DenseEncoder],
        open_store: Callable[[Path], Opened] = open_edge,
    ) -> None:
        """Take the folder. `load_encoder` opens the encoder from a folder of models, at first
        `models`. Raises AlreadyOwned, IndexTooNew, StoreError, UsageError."""
        self._lock = (root / wire.LOCK).open("a")
        try:
            take_index(self._lock.fileno(), root)
            self._opened = open_store(root)
            catalog = SqliteCatalog(root / "catalog.db")
        except BaseException:
            self._lock.close()
            raise
        super().__init__(self._opened.store, catalog, self._opened.measured)
        self._models = models
        self._load_encoder = load_encoder
        self._encoder: asyncio.Future[DenseEncoder] | None = None
        self.leaving = asyncio.Event()
        self.usage = Usage()

    async def open(self) -> None:
        await super().open()
        if self._opened.remote:  # with the next owner it may be back
            for broken in self._broken.values():
                raise broken
        specs = [info.spec for info in await self.collections()]
        self._opened.keep_only({spec.name for spec in specs})
        if any(spec.dense for spec in specs):
            self._warm()

    def _warm(self) -> asyncio.Future[DenseEncoder]:
        """The encoder, loaded in a thread. One that could not be loaded is tried again."""
        if self._encoder is None or (self._encoder.done() and self._encoder.exception()):
            loop = asyncio.get_running_loop()
            self._encoder = loop.run_in_executor(None, self._load_encoder, self._models)
            self._encoder.add_done_callback(_look_at)
        return self._encoder

    async def _encoder_for(self, fingerprint: str, models: Path) -> DenseEncoder:
        """The encoder at hand if it is the right one, else what is in `models` by now."""
        try:
            encoder = await asyncio.shield(self._warm())
            if encoder.fingerprint == fingerprint:
                return encoder
        except ModelUnavailable:
            if models == self._models:
                raise
        self._models, self._encoder = models, None
        return await asyncio.shield(self._warm())

    async def hello(self) -> wire.Identity:
        unused_s = self.usage.unused_s
        return wire.Identity(wire.PROTOCOL, version.VERSION, os.getpid(), unused_s)

    async def leave(self) -> None:
        self.leaving.set()

    async def embed_query(self, fingerprint: str, text: str, models: str = "") -> Vector:
        encoder = await self._encoder_for(fingerprint, Path(models) if models else self._models)
        if encoder.fingerprint != fingerprint:
            raise ModelUnavailable(
                f"the index was made with {fingerprint}, and the model here is"
                f" {encoder.fingerprint}",
                hint="pincite collections rebuild NAME",
            )
        return await encoder.embed_query(text)

    async def ask(self, question: asking.Question) -> asking.Answer:
        return await asking.answer(question, self)

    async def create(self, spec: CollectionSpec) -> None:
        await super().create(spec)
        if spec.dense:
            self._warm()

    def panicked(self, error: EnginePanicked) -> None:
        _end(error)

    async def close(self) -> None:
        try:
            await super().close()
        finally:
            self._lock.close()


def take_index(lock: int, root: Path) -> None:
    """Lock an index folder for this process. Raises AlreadyOwned."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise AlreadyOwned(f"another process owns {root}") from error
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())


def _look_at(done: asyncio.Future[DenseEncoder]) -> None:
    if not done.cancelled() and (error := done.exception()):
        log.warning("the encoder was not loaded: %s", error)


class Reception:
    """Who is connected, and who waits for an answer."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._connected: set[asyncio.StreamWriter] = set()
        self._waiting: set[asyncio.StreamWriter] = set()
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def busy(self) -> bool:
        """Is anyone connected?"""
        return bool(self._connected)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client, one request after the other, until it or the owner leaves. Other
        users are hung up on."""
        if not is_ours(writer.get_extra_info("socket")):
            log.warning("another user wanted to connect")
            writer.close()
            return
        self._connected.add(writer)
        self._empty.clear()
        try:
            while (body := await wire.read_frame(reader)) is not None:
                self._waiting.add(writer)
                await wire.write_frame(writer, await answer(self._owner, body))
                self._waiting.discard(writer)
                if self._owner.leaving.is_set():
                    break
        except ConnectionError:
            log.info("a client went away in the middle of an answer")
        finally:
            writer.close()
            self._waiting.discard(writer)
            self._connected.discard(writer)
            if not self._connected:
                self._empty.set()

    async def close(self) -> None:
        """Hang up on everyone, on those who wait for an answer after that."""
        for writer in self._connected - self._waiting:
            writer.close()
        try:
            async with asyncio.timeout(_FINISH_S):
                await self._empty.wait()
        except TimeoutError:
            log.warning("%d requests were cut off", len(self._connected))
            for writer in self._connected:
                writer.transport.abort()


async def serve(owner: Owner, root: Path, idle_s: float, ready: Callable[[], None]) -> None:
    """Answer clients until the owner is told to leave or nobody has come for `idle_s`."""
    reception = Reception(owner)
    (root / wire.SOCKET).unlink(missing_ok=True)
    with wire.socket_address(root) as address:
        server = await asyncio.start_unix_server(
            reception.serve, address, backlog=_BACKLOG, limit=_BUFFER_BYTES
        )
    (root / wire.SOCKET).chmod(0o600)
    log.info("version %s owns %s", version.VERSION, root)
    ready()
    last_seen = last_flush = time.monotonic()
    while not owner.leaving.is_set() and time.monotonic() - last_seen < idle_s:
        await _wait(owner.leaving, min(_LOOK_EVERY_S, idle_s))
        now = time.monotonic()
        if reception.busy or owner.busy:
            last_seen = now
        if owner.dirty and now - last_flush >= _FLUSH_EVERY_S:
            last_flush = now
            try:
                await owner.flush()
            except EnginePanicked as error:
                _end(error)
            except PinciteError as error:
                log.error("what was written last may not survive a loss of power: %s", error)
    owner.leaving.set()
    server.close()
    await reception.close()
    (root / wire.SOCKET).unlink(missing_ok=True)
    log.info("leaving")


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return


async def answer(owner: Owner, body: bytes) -> bytes:
    """The answer to one request. Errors of ours travel; anything else is logged and named. After a
    panic of the engine there is none: its state cannot be trusted, and what it was told is in its
    log on disk. The client starts another owner, which reads that, and asks again."""
    try:
        name, arguments = _read(body)
        with owner.usage.request(name):
            result = await getattr(owner, name)(**arguments)
        return wire.encode((True, result))
    except EnginePanicked as error:
        _end(error)
    except PinciteError as error:
        return wire.encode((False, wire.describe_error(error)))
    except Exception as error:
        log.exception("a request failed")
        failed = StoreError(f"the owner failed: {error!r}", hint=f"see {wire.LOG} in the index")
        return wire.encode((False, wire.describe_error(failed)))


def _end(error: EnginePanicked) -> NoReturn:
    log.critical("the engine panicked, which ends this process: %s", error)
    os._exit(os.EX_SOFTWARE)


def _read(body: bytes) -> tuple[str, dict[str, Any]]:
    try:
        name, raw = wire.decode(body, tuple[str, msgspec.Raw])
        operation = wire.operations()[name]
        arguments = wire.decode(raw, operation.arguments)
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise IndexUnavailable(
            f"the owner does not understand a request: {error!r}", hint="pincite status"
        ) from error
    return name, dict(zip(operation.names, arguments, strict=True))
