"""The messages of client and daemon.

A frame is a 4-byte big-endian length and MessagePack. A request is `[operation, [arguments]]`; an
answer is `[true, result]` or `[false, [error class, message, hint]]`. The operations, with the
types of their arguments and results, are the methods of `Service`. Vectors are sent as raw
little-endian float32. An answer that cannot be decoded, and any end of a connection, mean that the
other side has ended or has another version.
"""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from math import inf
from pathlib import Path
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Protocol, get_type_hints

import msgspec

from pincite import errors
from pincite.daemon.refresh.freshness import Condition, Freshness, Wish
from pincite.daemon.server.encoder import Host
from pincite.daemon.wire.protocol_versions import LENGTH, LONGEST_ADDRESS
from pincite.daemon.wire.protocol_versions import PROTOCOL as PROTOCOL
from pincite.daemon.wire.protocol_versions import SHAPE as SHAPE
from pincite.daemon.wire.protocol_versions import SHAPES as SHAPES
from pincite.daemon.wire.protocol_versions import SOCKET as SOCKET
from pincite.model import Vector
from pincite.ports import Index, LeasedIndex, Paged
from pincite.support.capabilities import CLOSE_ON_EXEC
from pincite.support.decodable import ready

if TYPE_CHECKING:
    from pincite.daemon.wire.messages import Answer, RemoteSearch

_VECTOR = 1  # extension code
_FOLDER = getattr(os, "O_DIRECTORY", 0)
_LONGEST_FRAME = 512 * 1024 * 1024  # 80 times the largest document
LOCK = "owner.lock"
LOG = "owner.log"


class Identity(msgspec.Struct, frozen=True):
    """The daemon on a socket. `unused_s`: seconds since the last request. `only_read`: why nothing
    can be written, empty if it can. `shape`: the fingerprint of its messages. Other versions read
    this value, too, so fields may be added but not removed."""

    protocol: int
    version: str
    pid: int
    unused_s: float = inf
    only_read: str = ""
    shape: str = ""


class Service(Host, Paged, Protocol):
    """The operations of a daemon: the index, the encoder of queries, and whole searches."""

    async def hello(self) -> Identity:
        """Return the identity of the daemon."""

    async def leave(self) -> None:
        """Close the index and end. Returns before the process has ended."""

    async def ask(self, asked: RemoteSearch) -> Answer:
        """Search. Raises the errors of `pincite.search`."""

    async def look(self, wish: Wish) -> Freshness:
        """Look at folders if a look is due, for at most 100 ms, and return the freshness of the
        index."""

    async def condition(self) -> Condition:
        """Return the freshness of the index and the memory of the daemon."""


class ServedIndex(LeasedIndex, Service, Protocol):
    """A daemon, as seen by its clients."""

    async def close(self) -> None:
        """Close the connections. The daemon continues."""


class Operation(msgspec.Struct, frozen=True):
    """The types of one method of `Service`."""

    names: tuple[str, ...]
    arguments: Any
    result: Any


@cache
def operations() -> frozenset[str]:
    """Return the names of all public methods of `Service`."""
    methods = inspect.getmembers(Service, inspect.isfunction)
    return frozenset(name for name, _ in methods if not name.startswith("_"))


@cache
def operation(name: str) -> Operation:
    """Return a public method of `Service`. Raises KeyError."""
    if name not in operations():
        raise KeyError(name)
    method = getattr(Service, name)
    hints = get_type_hints(method, localns=_of_searches() if name == "ask" else None)
    names = tuple(inspect.signature(method).parameters)[1:]
    return Operation(names, GenericAlias(tuple, tuple(hints[n] for n in names)), hints["return"])


def _of_searches() -> dict[str, Any]:
    """Return the types of searches. They cause half of the daemon's imports, and the daemon starts
    before its first search."""
    from pincite.daemon.wire import messages

    return vars(messages)


@cache
def writing() -> frozenset[str]:
    """Return the operations that write to the index."""
    reading = {"collections", "embedded"}
    return frozenset(name for name in operations() if name in vars(Index)) - reading


@contextmanager
def socket_address(index: Path) -> Iterator[str]:
    """Yield a name of the socket in an index folder that is short enough for the kernel, however
    long the path is: `/proc/self/fd/N` stands for an open folder. Raises IndexUnavailable,
    OSError."""
    path = str(index / SOCKET)
    if len(os.fsencode(path)) <= LONGEST_ADDRESS:
        yield path
        return
    folder = os.open(index, os.O_RDONLY | _FOLDER | CLOSE_ON_EXEC)
    try:
        short = Path(f"/proc/self/fd/{folder}")
        if not short.exists():
            raise errors.IndexUnavailable(
                f"the index path is too long for a socket: {index}",
                hint="choose a shorter path with PINCITE_INDEX or --index",
            )
        yield str(short / SOCKET)
    finally:
        os.close(folder)


def _encode(value: object) -> object:
    if hasattr(value, "tobytes"):
        return msgspec.msgpack.Ext(_VECTOR, value.astype("<f4").tobytes())  # type: ignore[attr-defined]
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _decode_extension(code: int, data: memoryview) -> Vector:
    import numpy as np

    if code != _VECTOR:
        raise ValueError(f"unknown extension {code}")
    return np.frombuffer(data, dtype="<f4")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_encode)


def encode(value: object) -> bytes:
    """Return the body of a frame. Raises StoreError if it is too long, InvalidPoint for broken
    Unicode."""
    try:
        body = _ENCODER.encode(value)
    except UnicodeEncodeError as error:
        raise errors.InvalidPoint(f"a text is not valid Unicode: {error.reason}") from error
    if len(body) > _LONGEST_FRAME:
        raise errors.StoreError(f"{len(body) / 1e6:.0f} MB is too large for one message")
    return body


@cache
def _decoder(type_: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(ready(type_), ext_hook=_decode_extension)


def decode(body: bytes | msgspec.Raw, type_: Any) -> Any:
    """Return the value of a frame's body. Raises msgspec.ValidationError for another type."""
    return _decoder(type_).decode(body)


async def read_frame(reader: asyncio.StreamReader) -> bytes | None:
    """Return the next body, or None if the other side has ended or does not speak this protocol."""
    try:
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return await reader.readexactly(length) if length <= _LONGEST_FRAME else None
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def write_frame(writer: asyncio.StreamWriter, body: bytes) -> None:
    """Send a body. Raises ConnectionError."""
    writer.writelines((LENGTH.pack(len(body)), body))
    await writer.drain()


def describe_error(error: errors.PinciteError) -> tuple[str, str, str]:
    """Return an error in the form in which it is sent."""
    return type(error).__name__, error.message, error.hint


def revive_error(name: str, message: str, hint: str) -> errors.PinciteError:
    """Return the error that `describe_error` described."""
    found = getattr(errors, name, None)
    if isinstance(found, type) and issubclass(found, errors.PinciteError):
        return found(message, hint=hint)
    return errors.PinciteError(message, hint=hint)
