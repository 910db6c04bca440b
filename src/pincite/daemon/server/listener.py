"""The daemon: one process that holds the engine's shards, the catalog and the query encoder.

Only its user can connect to it (`pincite.daemon.wire.transport`). It serves any number of
clients, and ends when nobody has been connected for a while.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from pincite import version
from pincite.daemon.server.read_only import workplace
from pincite.daemon.server.service import Daemon, end_after, import_numpy
from pincite.daemon.wire import protocol
from pincite.daemon.wire.transport import listen, withdraw
from pincite.errors import (
    EnginePanicked,
    IndexUnavailable,
    PinciteError,
    StoreError,
)

log = logging.getLogger("pincite.daemon")

_FLUSH_EVERY_S = 2.0  # the most that a power failure loses; a killed process loses nothing
_LOOK_EVERY_S = 0.5
_FINISH_S = 10.0  # seconds for running work to finish when the daemon ends
REST_S = 60.0


class Reception:
    """The connected clients, and those that wait for an answer."""

    def __init__(self, daemon: Daemon) -> None:
        self._daemon = daemon
        self._connected: set[asyncio.StreamWriter] = set()
        self._waiting: set[asyncio.StreamWriter] = set()
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def busy(self) -> bool:
        """Return whether anyone is connected."""
        return bool(self._connected)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client, one request after the other, until the client or the daemon leaves."""
        self._connected.add(writer)
        self._empty.clear()
        try:
            while (body := await protocol.read_frame(reader)) is not None:
                self._waiting.add(writer)
                await protocol.write_frame(writer, await answer(self._daemon, body))
                self._waiting.discard(writer)
                if self._daemon.leaving.is_set():
                    break
        except ConnectionError:
            log.info("a client disconnected in the middle of an answer")
        finally:
            writer.close()
            self._waiting.discard(writer)
            self._connected.discard(writer)
            if not self._connected:
                self._empty.set()

    async def close(self) -> None:
        """Close all connections, those that wait for an answer last."""
        for writer in self._connected - self._waiting:
            writer.close()
        try:
            async with asyncio.timeout(_FINISH_S):
                await self._empty.wait()
        except TimeoutError:
            log.warning("%d requests were cut off", len(self._connected))
            for writer in self._connected:
                writer.transport.abort()


async def serve(
    daemon: Daemon,
    root: Path,
    idle_s: float,
    ready: Callable[[], None],
    rest_s: float = REST_S,
) -> None:
    """Answer clients until the daemon is told to leave or nobody has connected for `idle_s`
    seconds. It rests after `rest_s` seconds without a request."""
    reception = Reception(daemon)
    place = workplace(root)
    server = await listen(place, reception.serve)
    log.info("version %s owns %s", version.VERSION, root)
    ready()
    last_seen = last_flush = time.monotonic()
    prepared = False
    while not daemon.leaving.is_set() and time.monotonic() - last_seen < idle_s:
        await _wait(daemon.leaving, min(_LOOK_EVERY_S, idle_s))
        now = time.monotonic()
        if why := daemon.outdated:
            daemon.abandon(why)
        if not prepared and daemon.usage.unused_s >= _LOOK_EVERY_S:
            prepared = True
            import_numpy()  # so that the first search need not wait for it
        if reception.busy or daemon.busy:
            last_seen = now
        if daemon.usage.unused_s >= rest_s and not daemon.at_work:
            daemon.rest()
        if daemon.dirty and now - last_flush >= _FLUSH_EVERY_S:
            last_flush = now
            try:
                await daemon.flush()
            except EnginePanicked as error:
                end_after(error)
            except PinciteError as error:
                log.error("the last writes may not survive a power failure: %s", error)
    daemon.leaving.set()
    await daemon.stop_refreshing()  # its processes would start the next daemon
    server.close()
    await reception.close()
    withdraw(place)
    log.info("leaving")


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return


async def answer(daemon: Daemon, body: bytes) -> bytes:
    """Return the answer to one request. Errors of this package are sent; other errors are logged
    and named. After a panic of the engine there is no answer: its state cannot be trusted, and its
    data are in its log on disk. An outdated daemon gives no answer either. The client starts
    another daemon and asks again."""
    try:
        if body[:1] == b"{":
            return await _short(daemon, body)
        name, arguments = _read(body)
        if why := daemon.outdated:
            daemon.abandon(why)
        if name in protocol.writing():
            daemon.require_writable()
        if daemon.usage.counts(name):
            daemon.wake()
        with daemon.usage.request(name):
            result = await getattr(daemon, name)(**arguments)
        return protocol.encode((True, result))
    except EnginePanicked as error:
        end_after(error)
    except PinciteError as error:
        return protocol.encode((False, protocol.describe_error(error)))
    except Exception as error:
        log.exception("a request failed")
        failed = StoreError(
            f"the daemon failed: {error!r}", hint=f"read {protocol.LOG} in the index folder"
        )
        return protocol.encode((False, protocol.describe_error(failed)))


async def _short(daemon: Daemon, body: bytes) -> bytes:
    """Return the answer to a question in JSON (`pincite.daemon.client.json_exchange`)."""
    if why := daemon.outdated:
        daemon.abandon(why)
    if daemon.short is None:
        return b"{}"
    import_numpy()
    with daemon.usage.request("ask"):
        return await daemon.short(body)


def _read(body: bytes) -> tuple[str, dict[str, Any]]:
    try:
        name, raw = protocol.decode(body, tuple[str, msgspec.Raw])
        operation = protocol.operation(name)
        arguments = protocol.decode(raw, operation.arguments)
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise IndexUnavailable(
            f"the daemon does not understand a request: {error!r}", hint="pincite status"
        ) from error
    return name, dict(zip(operation.names, arguments, strict=True))
