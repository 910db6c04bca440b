"""What client and owner say to each other over a Unix socket.

A frame is a 4-byte big-endian length and MessagePack. A request is `[operation, [arguments]]`; an
answer is `[true, result]` or `[false, [error class, message, hint]]`. The operations, with the
types of their arguments and results, are the methods of `Service`: nothing is declared twice.
Vectors travel as raw little-endian float32.
"""

from __future__ import annotations

import asyncio
import inspect
import struct
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import GenericAlias
from typing import Any, Protocol, get_type_hints

import msgspec

from pincite import errors
from pincite.model import Vector
from pincite.ports import Index

PROTOCOL = 1
_VECTOR = 1  # extension code
_LENGTH = struct.Struct(">I")
_LONGEST_SOCKET_PATH = 100  # the kernel takes 107 bytes


class Identity(msgspec.Struct, frozen=True):
    """Who answers on a socket."""

    protocol: int
    version: str
    pid: int


class Service(Index, Protocol):
    """What an owner does: the index, and the encoder of queries."""

    async def hello(self) -> Identity:
        """Who is there."""

    async def leave(self) -> None:
        """Close the index and end. Returns before the process has gone."""

    async def embed_query(self, fingerprint: str, text: str) -> Vector:
        """As `DenseEncoder.embed_query`. Raises ModelUnavailable for an encoder of another
        fingerprint."""


class Operation(msgspec.Struct, frozen=True):
    """The types of one method of `Service`."""

    names: tuple[str, ...]
    arguments: Any
    result: Any


@cache
def operations() -> dict[str, Operation]:
    """Every public method of `Service` by name."""
    found = {}
    for name, method in inspect.getmembers(Service, inspect.isfunction):
        if name.startswith("_"):
            continue
        hints = get_type_hints(method)
        names = tuple(inspect.signature(method).parameters)[1:]
        found[name] = Operation(
            names, GenericAlias(tuple, tuple(hints[n] for n in names)), hints["return"]
        )
    return found


def socket_path(index: Path) -> Path:
    """Where the owner of an index folder listens: inside it, unless the path is too long."""
    inside = index / "owner.sock"
    if len(str(inside).encode()) <= _LONGEST_SOCKET_PATH:
        return inside
    digest = blake2b(str(index).encode(), digest_size=8).hexdigest()
    return Path(tempfile.gettempdir()) / f"pincite-{digest}" / "owner.sock"


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
    """A frame's body."""
    return _ENCODER.encode(value)


@cache
def _decoder(type_: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(type_, ext_hook=_decode_extension)


def decode(body: bytes | msgspec.Raw, type_: Any) -> Any:
    """The value of a frame's body. Raises msgspec.ValidationError where it is another type."""
    return _decoder(type_).decode(body)


async def read_frame(reader: asyncio.StreamReader) -> bytes | None:
    """The next body, or None where the other side has gone."""
    try:
        (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
        return await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


async def write_frame(writer: asyncio.StreamWriter, body: bytes) -> None:
    """Send a body. Raises ConnectionError."""
    writer.write(_LENGTH.pack(len(body)))
    writer.write(body)
    await writer.drain()


def describe_error(error: errors.PinciteError) -> tuple[str, str, str]:
    """An error as it travels."""
    return type(error).__name__, error.message, error.hint


def revive_error(name: str, message: str, hint: str) -> errors.PinciteError:
    """The error that `describe_error` described."""
    kind: Callable[..., Any] = getattr(errors, name, errors.PinciteError)
    revived = kind(message, hint=hint)
    return revived if isinstance(revived, errors.PinciteError) else errors.PinciteError(message)
