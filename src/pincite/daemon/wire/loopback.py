"""Connect a daemon and its clients over the loopback network, where there are no Unix sockets.

Anyone on the machine can connect to a port, so both sides prove that they have read a key that only
their user can read. The key is never sent: each side sends random bytes, and the other one answers
with a keyed hash of them. So a stranger who listens on the port of a daemon that has ended learns
nothing, receives no question and can give no answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import secrets
import socket
import stat
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from pincite.support.capabilities import (
    BINARY,
    CLOSE_ON_EXEC,
    FILE_MODES,
    NO_FOLLOW,
    is_own,
    open_to_read,
)

FILE: Final = "owner.tcp"
HOST: Final = "127.0.0.1"
_BYTES: Final = 32  # length of a key, of the random bytes, and of a proof
_LARGEST: Final = 1000  # bytes of the address file
#: Seconds for a proof: a stranger may listen and never answer.
PROVE_S: Final = 10.0
_STRANGERS: Final = 128  # connections without a proof; beyond that the oldest is closed

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Address(NamedTuple):
    """The address of a daemon, and the key to it."""

    port: int
    key: bytes


def address_file(place: Path) -> Path:
    """Return the address file of the daemon with this workplace. Where file modes do not restrict
    access, it is in the user's profile, which other users cannot read."""
    if FILE_MODES:
        return place / FILE
    name = hashlib.sha256(str(place.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return Path.home() / "AppData" / "Local" / "pincite" / "run" / f"{name}.tcp"


def write_address(place: Path, port: int) -> Address:
    """Write the address with a new key into a file for this user alone, in place of the previous
    one. Raises OSError."""
    address = Address(port, secrets.token_bytes(_BYTES))
    file = address_file(place)
    if not FILE_MODES:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | CLOSE_ON_EXEC | BINARY
    try:
        with os.fdopen(os.open(fresh, flags, 0o600), "wb") as opened:
            opened.write(json.dumps({"port": port, "key": address.key.hex()}).encode())
        fresh.replace(file)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return address


def remove_address(place: Path) -> None:
    """Remove the address file after the daemon has stopped listening."""
    with suppress(OSError):
        address_file(place).unlink(missing_ok=True)


def read_address(place: Path) -> Address | None:
    """Return the address of the daemon. None if there is no file, or if others may have written or
    read it: it belongs to another user, its mode is too open, or it is not a regular file."""
    try:
        handle = open_to_read(address_file(place))
        try:
            status = os.fstat(handle)
            closed = not FILE_MODES or not status.st_mode & 0o077
            if not stat.S_ISREG(status.st_mode) or not is_own(status) or not closed:
                return None
            raw = os.read(handle, _LARGEST)
        finally:
            os.close(handle)
    except OSError:
        return None
    try:
        found = json.loads(raw)
        port, key = found["port"], bytes.fromhex(found["key"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if not isinstance(port, int) or not 0 < port < 65_536 or len(key) != _BYTES:
        return None
    return Address(port, key)


def _proof(key: bytes, side: bytes, of_client: bytes, of_daemon: bytes) -> bytes:
    """Return the proof of one side: only an owner of the key can compute it."""
    return hmac.digest(key, b"pincite " + side + b"\0" + of_client + of_daemon, "sha256")


def _answer(key: bytes, ours: bytes, said: bytes) -> bytes:
    """Return the proof of a client. Raises ConnectionRefusedError if the other side does not have
    the key."""
    theirs, proof = said[:_BYTES], said[_BYTES:]
    if not hmac.compare_digest(proof, _proof(key, b"daemon", ours, theirs)):
        raise ConnectionRefusedError("the program on that port is not the daemon")
    return _proof(key, b"client", ours, theirs)


async def dial(place: Path, limit: int) -> Stream:
    """Connect to the daemon with this workplace. Raises ConnectionRefusedError if there is none, or
    if another program listens on its port."""
    address = read_address(place)
    if address is None:
        raise ConnectionRefusedError("no daemon has written its address")
    reader, writer = await asyncio.open_connection(HOST, address.port, limit=limit)
    try:
        async with asyncio.timeout(PROVE_S):
            ours = secrets.token_bytes(_BYTES)
            writer.write(ours)
            said = await reader.readexactly(2 * _BYTES)
            writer.write(_answer(address.key, ours, said))
            await writer.drain()
    except (TimeoutError, asyncio.IncompleteReadError, OSError) as error:
        writer.transport.abort()
        raise ConnectionRefusedError("the program on that port is not the daemon") from error
    except BaseException:
        writer.transport.abort()
        raise
    return reader, writer


def dial_blocking(place: Path, seconds: float) -> socket.socket:
    """Connect as `dial` does, without an event loop. `seconds` is also the timeout of later
    requests."""
    address = read_address(place)
    if address is None:
        raise ConnectionRefusedError("no daemon has written its address")
    stream = socket.create_connection((HOST, address.port), min(seconds, PROVE_S))
    try:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        ours = secrets.token_bytes(_BYTES)
        stream.sendall(ours)
        said = b""
        until_s = time.monotonic() + PROVE_S
        while len(said) < 2 * _BYTES:
            stream.settimeout(max(0.001, min(seconds, until_s - time.monotonic())))
            part = stream.recv(2 * _BYTES - len(said))
            if not part:
                raise ConnectionRefusedError("the program on that port is not the daemon")
            said += part
        stream.sendall(_answer(address.key, ours, said))
        stream.settimeout(seconds)
    except TimeoutError as error:
        stream.close()
        raise ConnectionRefusedError("the program on that port is not the daemon") from error
    except BaseException:
        stream.close()
        raise
    return stream


async def listen(place: Path, serve: Serve, backlog: int, limit: int) -> asyncio.Server:
    """Serve clients that prove that they have the key. Other connections are closed before they can
    send a request. Raises OSError."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        exclusive = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)
        if exclusive is not None:  # on Windows another program could take the port
            listening.setsockopt(socket.SOL_SOCKET, exclusive, 1)
        # Accepted sockets inherit it; asyncio sets it only on sockets made with IPPROTO_TCP.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.bind((HOST, 0))
        listening.setblocking(False)
        door = _Door(serve)
        server = await asyncio.start_server(
            door.enter, sock=listening, backlog=backlog, limit=limit
        )
    except BaseException:
        listening.close()
        raise
    door.key = write_address(place, listening.getsockname()[1]).key
    return server


class _Door:
    """Admits connections whose client has the key. Before the key is set, all are refused."""

    def __init__(self, serve: Serve) -> None:
        self.key: bytes | None = None
        self._serve = serve
        self._outside: dict[asyncio.StreamWriter, None] = {}

    async def enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._outside[writer] = None
        if len(self._outside) > _STRANGERS:
            next(iter(self._outside)).transport.abort()
        try:
            async with asyncio.timeout(PROVE_S):
                known = await self._knows(reader, writer)
        except (TimeoutError, asyncio.IncompleteReadError, OSError):
            known = False
        finally:
            self._outside.pop(writer, None)
        if not known:
            writer.transport.abort()
            return
        await self._serve(reader, writer)

    async def _knows(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        theirs = await reader.readexactly(_BYTES)
        if self.key is None:
            return False
        ours = secrets.token_bytes(_BYTES)
        writer.write(ours + _proof(self.key, b"daemon", theirs, ours))
        await writer.drain()
        said = await reader.readexactly(_BYTES)
        return hmac.compare_digest(said, _proof(self.key, b"client", theirs, ours))
