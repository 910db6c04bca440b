"""Check the user of a connection: an index belongs to one user, and only that user may use its
daemon."""

from __future__ import annotations

import socket
import struct
from typing import Protocol

from pincite.support.capabilities import this_user

_CREDENTIALS = struct.Struct("3i")  # process, user, group


class Peer(Protocol):
    """A connected socket."""

    def getsockopt(self, level: int, optname: int, buflen: int, /) -> bytes: ...


def is_ours(peer: Peer) -> bool:
    """Return whether the process at the other end of a socket has the same user, according to the
    kernel. On systems without this check, the permissions of the folder protect the socket."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return bool(_CREDENTIALS.unpack(told)[1] == this_user())
