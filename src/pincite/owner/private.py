"""An index belongs to one user. Others neither open it nor talk to its owner."""

from __future__ import annotations

import os
import pwd
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from pincite.errors import IndexUnavailable

_SHOWN_CHARS = 300  # of a path in a message
_CREDENTIALS = struct.Struct("3i")  # process, user, group


class Peer(Protocol):
    """A connected socket."""

    def getsockopt(self, level: int, optname: int, buflen: int, /) -> bytes: ...


def make_folder(root: Path) -> None:
    """An index folder that only its user can read and that version control leaves alone. Raises
    IndexUnavailable."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        (root / ".gitignore").write_text("*\n")
    except OSError as error:
        raise _unusable(root, "made", error) from error


def require_own(root: Path) -> None:
    """Raise IndexUnavailable for an index folder of another user; one that is not there is fine.

    Even root keeps out: what it writes there its user could not open any more.
    """
    try:
        user = root.stat().st_uid
    except FileNotFoundError:
        return
    except PermissionError as error:
        raise IndexUnavailable(
            f"the index {root} is out of reach for {_name(os.geteuid())}",
            hint="use an index of your own: see PINCITE_INDEX or --index",
        ) from error
    except OSError as error:
        raise _unusable(root, "reached", error) from error
    if user != os.geteuid():
        raise IndexUnavailable(
            f"the index {root} belongs to {_name(user)}, and this is {_name(os.geteuid())}",
            hint=f"use an index of your own (PINCITE_INDEX or --index), or run as {_name(user)}",
        )


def _unusable(root: Path, verb: str, error: OSError) -> IndexUnavailable:
    """What to say of a path that leads through a file, into a loop, or to a read-only disk."""
    shown = str(root) if len(str(root)) <= _SHOWN_CHARS else f"{str(root)[:_SHOWN_CHARS]}..."
    at = "" if error.filename in (None, str(root)) else f" ({error.filename})"
    dangling = isinstance(error, FileExistsError) and not Path(error.filename).exists()
    why = "a link leads nowhere" if dangling else error.strerror
    return IndexUnavailable(
        f"the index folder {shown} cannot be {verb}: {why}{at[:_SHOWN_CHARS]}",
        hint="name a folder that you may write to with PINCITE_INDEX or --index",
    )


def is_ours(peer: Peer) -> bool:
    """Is the process at the other end of a socket of the same user? The kernel says so, where it
    can; elsewhere the folder's permissions have to do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    told = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return bool(_CREDENTIALS.unpack(told)[1] == os.geteuid())


def _name(user: int) -> str:
    with suppress(KeyError):
        return f"user {pwd.getpwuid(user).pw_name}"
    return f"user {user}"
