"""An index belongs to one user: nobody else talks to its daemon."""

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
    """Is the process at the other end of a socket of the same user? The kernel says so, where it
    can; elsewhere the folder's permissions have to do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return bool(_CREDENTIALS.unpack(told)[1] == this_user())
