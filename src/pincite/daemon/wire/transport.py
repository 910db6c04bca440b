"""Connect clients and the daemon: by a Unix socket where the system has them, else by loopback."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from pincite.daemon.wire import loopback, protocol
from pincite.daemon.wire.loopback import Serve, Stream
from pincite.daemon.wire.peers import is_ours
from pincite.support.capabilities import UNIX_SOCKETS

log = logging.getLogger("pincite.daemon")

_BUFFER_BYTES = 1024 * 1024
_BACKLOG = 1024  # a client that finds the queue full fails in an odd way


class StrangerError(OSError):
    """A process of another user answers."""


async def dial(place: Path) -> Stream:
    """Connect to the daemon with this workplace. Raises FileNotFoundError or ConnectionError if
    there is none, StrangerError, OSError, and IndexUnavailable for a path that is too long."""
    if not UNIX_SOCKETS:
        return await loopback.dial(place, _BUFFER_BYTES)
    with protocol.socket_address(place) as address:
        stream = await asyncio.open_unix_connection(address, limit=_BUFFER_BYTES)
    if not is_ours(stream[1].get_extra_info("socket")):
        stream[1].close()
        raise StrangerError(place)
    return stream


async def listen(place: Path, serve: Serve) -> asyncio.Server:
    """Serve the clients of this user, and close all other connections. Raises OSError."""
    if not UNIX_SOCKETS:
        loopback.remove_address(place)
        return await loopback.listen(place, serve, _BACKLOG, _BUFFER_BYTES)

    async def ours(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not is_ours(writer.get_extra_info("socket")):
            log.warning("another user tried to connect")
            writer.close()
            return
        await serve(reader, writer)

    (place / protocol.SOCKET).unlink(missing_ok=True)
    with protocol.socket_address(place) as address:
        server = await asyncio.start_unix_server(
            ours, address, backlog=_BACKLOG, limit=_BUFFER_BYTES
        )
    (place / protocol.SOCKET).chmod(0o600)
    return server


def withdraw(place: Path) -> None:
    """Remove the address after the daemon has stopped listening."""
    if UNIX_SOCKETS:
        (place / protocol.SOCKET).unlink(missing_ok=True)
    else:
        loopback.remove_address(place)
