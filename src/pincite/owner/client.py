"""`pincite.ports.Index` over the owner's socket. Finds the owner of an index or starts it.

Every operation may be sent twice without harm, so a client that loses the owner in the middle of
one (killed, out of disk, panicked) starts it again and repeats the operation.
"""

from __future__ import annotations

import asyncio
import fcntl
import inspect
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec

from pincite import version
from pincite.errors import IndexUnavailable, PinciteError
from pincite.model import Vector
from pincite.owner import wire

P = ParamSpec("P")
T = TypeVar("T")

_TRIES = 3
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_START_S = 60.0  # loading a shard of a million chunks takes 2 s
_Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_Method = Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]


def remote(method: _Method[P, T]) -> _Method[P, T]:
    """The method of `wire.Service`, sent to the owner."""

    signature = inspect.signature(method)

    async def call(self: RemoteIndex, /, *args: P.args, **kwargs: P.kwargs) -> T:
        operation = wire.operations()[method.__name__]
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = tuple(bound.arguments.values())[1:]
        result: T = await self.request(method.__name__, given, operation.result)
        return result

    return call


class RemoteIndex:
    """A client of the owner of the index folder `root`. Connections are made when needed."""

    def __init__(self, root: Path, models: Path, idle_s: float) -> None:
        self._root = root.resolve()
        self._models = models
        self._idle_s = idle_s
        self._idle: list[_Stream] = []
        self._checked = False

    collections = remote(wire.Service.collections)
    create = remote(wire.Service.create)
    drop = remote(wire.Service.drop)
    reset = remote(wire.Service.reset)
    put_source = remote(wire.Service.put_source)
    forget = remote(wire.Service.forget)
    documents = remote(wire.Service.documents)
    replace = remote(wire.Service.replace)
    touch = remote(wire.Service.touch)
    remove = remote(wire.Service.remove)
    search = remote(wire.Service.search)
    load = remote(wire.Service.load)
    page = remote(wire.Service.page)
    set_sparse = remote(wire.Service.set_sparse)
    settle = remote(wire.Service.settle)
    hello = remote(wire.Service.hello)
    leave = remote(wire.Service.leave)
    embed_query = remote(wire.Service.embed_query)

    async def request(self, name: str, arguments: tuple[Any, ...], result: Any) -> Any:
        """Send one request and wait for its answer. Raises what the owner raised."""
        body = wire.encode((name, arguments))
        for left in reversed(range(_TRIES)):
            stream = await self._stream()
            try:
                await wire.write_frame(stream[1], body)
                answer = await wire.read_frame(stream[0])
            except ConnectionError:
                answer = None
            except BaseException:
                stream[1].close()  # its answer would be taken for that of the next request
                raise
            if answer is not None:
                self._idle.append(stream)
                return self._open(answer, result)
            self._drop_connections(stream)
            if not left:
                break
        raise IndexUnavailable(
            f"the owner of {self._root} died {_TRIES} times during {name!r}",
            hint=f"look into {self._root / 'owner.log'}, then: pincite status",
        )

    @staticmethod
    def _open(answer: bytes, result: Any) -> Any:
        good, raw = wire.decode(answer, tuple[bool, msgspec.Raw])
        if not good:
            raise wire.revive_error(*wire.decode(raw, tuple[str, str, str]))
        return wire.decode(raw, result)

    def _drop_connections(self, stream: _Stream) -> None:
        for _, writer in (stream, *self._idle):
            writer.close()
        self._idle.clear()
        self._checked = False

    async def _stream(self) -> _Stream:
        if self._idle:
            return self._idle.pop()
        path = str(wire.socket_path(self._root))
        try:
            stream = await asyncio.open_unix_connection(path)
        except (FileNotFoundError, ConnectionRefusedError):
            await start(self._root, self._models, self._idle_s)
            stream = await asyncio.open_unix_connection(path)
        if not self._checked:
            stream = await self._same_version(stream)
            self._checked = True
        return stream

    async def _same_version(self, stream: _Stream) -> _Stream:
        """Ask an owner of another version to leave, and start ours in its place."""
        await wire.write_frame(stream[1], wire.encode(("hello", ())))
        answer = await wire.read_frame(stream[0])
        identity = None if answer is None else self._open(answer, wire.Identity)
        if identity is not None and identity.version == version.VERSION:
            return stream
        await wire.write_frame(stream[1], wire.encode(("leave", ())))
        await wire.read_frame(stream[0])
        stream[1].close()
        await start(self._root, self._models, self._idle_s)
        return await asyncio.open_unix_connection(str(wire.socket_path(self._root)))

    async def stop(self) -> bool:
        """Ask the owner to leave and wait until it has gone; False if there is none."""
        if not await _answers(self._root):
            return False
        await self.leave()
        await self.close()
        async with asyncio.timeout(_START_S):
            while _is_owned(self._root):
                await asyncio.sleep(0.01)
        return True

    async def close(self) -> None:
        """Hang up. The owner goes on."""
        for _, writer in self._idle:
            writer.close()
        self._idle.clear()


async def start(root: Path, models: Path, idle_s: float) -> None:
    """Start the owner of `root` and wait until it answers. Raises what kept it from starting.

    Of several clients that do this at once, one starts it and the others wait.
    """
    with (root / "start.lock").open("w") as lock:
        async with asyncio.timeout(_START_S):
            while not _try_lock(lock.fileno()):
                await asyncio.sleep(0.01)
            while True:
                if await _answers(root):
                    return
                error = await _spawn(root, models, idle_s)
                if error is None:
                    return
                if "another process owns" not in error.message:
                    raise error
                await asyncio.sleep(0.02)  # its predecessor is still closing


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_owned(root: Path) -> bool:
    with (root / "owner.lock").open("a") as lock:
        return not _try_lock(lock.fileno())


async def _answers(root: Path) -> bool:
    try:
        _, writer = await asyncio.open_unix_connection(str(wire.socket_path(root)))
    except (FileNotFoundError, ConnectionRefusedError):
        return False
    writer.close()
    return True


async def _spawn(root: Path, models: Path, idle_s: float) -> PinciteError | None:
    """None when clients may connect, else why not. The process is nobody's child afterwards: it
    has its own session, and no pipe of ours but the one on which it reports."""
    reading, writing = os.pipe()
    command = (sys.executable, "-P", "-m", "pincite.owner", str(root), str(models), str(idle_s))
    pid = os.posix_spawn(
        sys.executable,
        command,
        os.environ,  # handed on, not read
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, writing, 1),
            (os.POSIX_SPAWN_OPEN, 2, str(root / "owner.err"), _APPEND, 0o600),
        ],
        setsid=True,
    )
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        line = await asyncio.to_thread(pipe.readline)
    answer = json.loads(line) if line else {"error": None}
    if "error" not in answer:
        return None
    await asyncio.to_thread(os.waitpid, pid, 0)
    if answer["error"]:
        return wire.revive_error(*answer["error"])
    return IndexUnavailable(f"the owner of {root} did not start", hint=f"tail {root / 'owner.err'}")
