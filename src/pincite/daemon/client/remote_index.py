"""`pincite.ports.Index` over the daemon's socket. Finds the daemon of an index or starts it.

Every operation can be sent twice without harm. So a client that loses the daemon during an
operation (killed, out of disk, panicked) starts it again and repeats the operation.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec

from pincite.daemon.client.spawn import (
    Stream,
    connect,
    connect_or_start,
    daemon_pid,
    hung,
    wait_for_end,
)
from pincite.daemon.file_leases import FileLeases
from pincite.daemon.server.read_only import workplace
from pincite.daemon.wire import protocol
from pincite.daemon.wire.compatibility import PATIENCE_S, UNUSED_S, compare, refusal
from pincite.errors import IndexUnavailable, PinciteError
from pincite.index.documents import every_record
from pincite.model import DocumentRecord

P = ParamSpec("P")
T = TypeVar("T")

_TRIES = 3
_MEETINGS = 10  # daemons that are tried one after the other until one is usable
_ANSWER_S = 120.0  # opening the encoder from a slow disk takes 20 s
_HELLO_S = 30.0
_LOOK_S = 0.1
_PAGE = 2_000  # records of documents in a message: it blocks the daemon for 20 ms
#: Connections from before a fork or of another loop. They stay open: closing one would remove its
#: descriptor from a selector that the parent process still uses.
_FOREIGN: list[object] = []
_Method = Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]


def remote(method: _Method[P, T]) -> _Method[P, T]:
    """Return a method that sends the method of `protocol.Service` as a request to the daemon."""
    called = method.__name__
    parameters = inspect.signature(method).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}

    async def call(self: RemoteIndex, /, *args: P.args, **kwargs: P.kwargs) -> T:
        operation = protocol.operation(called)
        given = defaults | dict(zip(operation.names, args, strict=False)) | kwargs
        arguments = [given[name] for name in operation.names]
        result: T = await self.request(called, arguments, operation.result)
        return result

    return call


class _Attempt(msgspec.Struct):
    """An attempt to connect that is in progress. Requests that wait for it raise its `failure`."""

    failure: PinciteError | None = None


class RemoteIndex:
    """`protocol.ServedIndex` of the index folder `root`. Connections are made when needed."""

    def __init__(
        self, root: Path, models: Path, idle_s: float, answer_s: float = _ANSWER_S
    ) -> None:
        self.leases = FileLeases(root)
        self._root = root.resolve()
        self._models = models.resolve()
        self._idle_s = idle_s
        self._answer_s = answer_s
        self._idle: list[Stream] = []
        self._ending: AsyncGenerator[None, None] | None = None
        self._place: tuple[int, asyncio.AbstractEventLoop] | None = None
        self._checked = False
        self._connecting = asyncio.Lock()
        self._attempt: _Attempt | None = None

    collections = remote(protocol.Service.collections)
    sources = remote(protocol.Service.sources)
    create = remote(protocol.Service.create)
    drop = remote(protocol.Service.drop)
    reset = remote(protocol.Service.reset)
    put_source = remote(protocol.Service.put_source)
    forget = remote(protocol.Service.forget)
    documents_after = remote(protocol.Service.documents_after)
    replace = remote(protocol.Service.replace)
    touch = remote(protocol.Service.touch)
    remove = remote(protocol.Service.remove)
    search = remote(protocol.Service.search)
    load = remote(protocol.Service.load)
    document = remote(protocol.Service.document)
    chunk_ids = remote(protocol.Service.chunk_ids)
    embedded = remote(protocol.Service.embedded)
    page = remote(protocol.Service.page)
    weigh = remote(protocol.Service.weigh)
    settle = remote(protocol.Service.settle)
    hello = remote(protocol.Service.hello)
    embed_query = remote(protocol.Service.embed_query)
    ask = remote(protocol.Service.ask)
    look = remote(protocol.Service.look)
    condition = remote(protocol.Service.condition)

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        """See `Index.documents`. Reads page by page."""
        return await every_record(self, collection, source, _PAGE)

    async def request(self, name: str, arguments: object, result: Any) -> Any:
        """Send one request and wait for its answer. Raises the error that the daemon raised."""
        body = protocol.encode((name, arguments))
        # a batch may wait for the one before it
        seconds = self._answer_s * (2 if name == "replace" else 1)
        understood = True
        for _ in range(_TRIES):
            stream = await self._stream()
            answer = await self._exchange(stream, body, name, seconds)
            if answer is not None:
                try:
                    value = _open(answer, result)
                except msgspec.MsgspecError:  # other messages under the same number
                    understood = False
                    await self._dismiss(stream)
                except PinciteError:
                    self._idle.append(stream)
                    raise
                else:
                    self._idle.append(stream)
                    return value
            self._hang_up()
        raise self._died(_TRIES, name) if understood else refusal(self._root, None)

    def _died(self, times: int, name: str) -> IndexUnavailable:
        return IndexUnavailable(
            f"the daemon of {self._root} died {times} times during {name!r}",
            hint=f"read the log {workplace(self._root) / protocol.LOG}, then: pincite status",
        )

    async def _exchange(
        self, stream: Stream, body: bytes, name: str, seconds: float
    ) -> bytes | None:
        """Send a request on the stream and return the answer. Return None, with the stream closed,
        if the daemon closed the connection."""
        answer = None
        try:
            async with asyncio.timeout(seconds):
                await protocol.write_frame(stream[1], body)
                answer = await protocol.read_frame(stream[0])
        except ConnectionError:
            return None
        except TimeoutError as error:
            raise hung(self._root, name, seconds) from error
        finally:
            if answer is None:  # a late answer would be taken for that of the next request
                stream[1].close()
        return answer

    async def _stream(self) -> Stream:
        place = (os.getpid(), asyncio.get_running_loop())
        if place != self._place:
            if self._idle or (self._place is not None and self._place[0] != place[0]):
                _FOREIGN.append((self._idle, self._ending))
            self._idle, self._place, self._checked = [], place, False
            self._connecting, self._attempt = asyncio.Lock(), None
            self._ending = _closed_with_loop(self._idle)
            await anext(self._ending)
        if self._idle:
            return self._idle.pop()
        waited_for = self._attempt
        async with self._connecting:  # one of several requests starts the daemon
            if waited_for is not None and waited_for.failure is not None:
                raise waited_for.failure
            attempt = self._attempt = _Attempt()
            try:
                return await self._connect()
            except PinciteError as error:
                attempt.failure = error
                raise
            finally:
                self._attempt = None

    async def _connect(self) -> Stream:
        for started in range(_MEETINGS):
            stream = await connect_or_start(self._root, self._models, self._idle_s)
            if self._checked or await self._understood(stream, started):
                self._checked = True
                return stream
        raise self._died(_MEETINGS, "hello")

    async def _understood(self, stream: Stream, again: int) -> bool:
        """Return whether the daemon has our version. Returns False if it has ended: an older daemon
        that nobody uses is asked to leave. This is not repeated if another older daemon has started
        since (`again`), as happens if an older version was installed under a running program.
        Raises DaemonOfAnotherVersion."""
        until = time.monotonic() + min(PATIENCE_S, self._answer_s)
        while True:
            body = protocol.encode(("hello", ()))
            answer = await self._exchange(stream, body, "hello", min(_HELLO_S, self._answer_s))
            if answer is None:
                return False
            identity: protocol.Identity | None
            try:
                identity = _open(answer, protocol.Identity)
            except (IndexUnavailable, msgspec.MsgspecError):
                identity = None  # unusable in any case
            standing = compare(identity) if identity else "older"
            if standing == "same":
                return True
            if standing == "older" and again < _TRIES:
                used = identity is not None and identity.unused_s < UNUSED_S
                if not used and not self.leases.is_any_taken():
                    await self._dismiss(stream)
                    return False
                if time.monotonic() < until:
                    await asyncio.sleep(_LOOK_S)
                    continue
            stream[1].close()
            raise refusal(self._root, identity)

    async def _dismiss(self, stream: Stream) -> None:
        """Ask the daemon to leave, and return when it has released the index."""
        pid = daemon_pid(self._root)
        try:
            await self._exchange(stream, protocol.encode(("leave", ())), "leave", _HELLO_S)
            async with asyncio.timeout(_HELLO_S):
                await wait_for_end(self._root, pid)
        except TimeoutError as error:
            raise hung(self._root, "leave", _HELLO_S) from error
        finally:
            stream[1].close()

    async def leave(self) -> None:
        """Ask the daemon, if there is one, to close the index and end."""
        self._hang_up()
        stream = await connect(self._root)
        if stream is not None:
            await self._dismiss(stream)

    def _hang_up(self) -> None:
        for _, writer in self._idle:
            writer.close()
        self._idle.clear()
        self._checked = False

    async def close(self) -> None:
        """Close the connections. The daemon continues."""
        writers = [writer for _, writer in self._idle]
        self._hang_up()
        for writer in writers:
            with suppress(ConnectionError):
                await writer.wait_closed()
        if self._ending is not None and self._place == (os.getpid(), asyncio.get_running_loop()):
            await self._ending.aclose()
            self._place = None


async def _closed_with_loop(streams: list[Stream]) -> AsyncGenerator[None, None]:
    """Close the connections before their loop is closed. `asyncio.run` ends all generators then."""
    try:
        yield
    finally:
        for _, writer in streams:
            writer.close()
        streams.clear()


def _open(answer: bytes, result: Any) -> Any:
    good, raw = protocol.decode(answer, tuple[bool, msgspec.Raw])
    if not good:
        raise protocol.revive_error(*protocol.decode(raw, tuple[str, str, str]))
    return protocol.decode(raw, result)
