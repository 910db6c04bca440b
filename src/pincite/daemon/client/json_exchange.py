"""Ask a daemon a question in one exchange of JSON, for a process that should end quickly.

The command line imports nothing of the engine for it: no models, no MessagePack, no event loop. The
daemon reads the settings, searches and formats the answer as the client would. It declines unusual
questions, and then the client does all of that itself. The client also does so if there is no
daemon, if its version differs, or if anything else is unexpected.

A request is a frame as in `pincite.daemon.wire.protocol` whose body begins with a brace, which no
request in MessagePack does. An answer has `printed`, or `declined` with a reason, or `error` with
class, message and hint.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pincite.daemon.wire.peers import is_ours
from pincite.daemon.wire.protocol_versions import LENGTH as LENGTH
from pincite.daemon.wire.protocol_versions import LONGEST_ADDRESS, PROTOCOL, SHAPE
from pincite.daemon.wire.protocol_versions import SOCKET as SOCKET
from pincite.support.capabilities import UNIX_SOCKETS, is_own
from pincite.version import VERSION

_LONGEST_ANSWER = 256 * 1024 * 1024
ANSWER_S = 120.0  # opening the encoder from a slow disk takes 20 s


def identity() -> list[Any]:
    """Return the version and the messages of this installation: a daemon with others declines."""
    return [VERSION, PROTOCOL, SHAPE]


def ask(root: Path, request: Mapping[str, Any], seconds: float = ANSWER_S) -> dict[str, Any] | None:
    """Return the answer of the daemon of `root`, None if no usable daemon runs. Raises TimeoutError
    if one does not answer within `seconds`."""
    body = json.dumps({**request, "identity": identity()}, ensure_ascii=True).encode()
    try:
        stream = _connected(root, seconds)
    except TimeoutError:
        raise
    except OSError:
        return None
    if stream is None:
        return None
    with stream:
        try:
            stream.sendall(LENGTH.pack(len(body)) + body)
            answer = _received(stream)
        except TimeoutError:
            raise
        except OSError:
            return None
    return _read(answer)


def _connected(root: Path, seconds: float) -> socket.socket | None:
    """Return a connection to the daemon, None if it is not ours. Raises OSError, TimeoutError."""
    if not is_own(root.stat()):
        return None
    if not UNIX_SOCKETS:
        from pincite.daemon.wire.loopback import dial_blocking

        return dial_blocking(root, seconds)
    address = os.fsencode(root / SOCKET)
    if len(address) > LONGEST_ADDRESS:
        return None
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        stream.settimeout(seconds)
        stream.connect(address)
        ours = is_ours(stream)
    except BaseException:
        stream.close()
        raise
    if ours:
        return stream
    stream.close()
    return None


def _read(answer: bytes) -> dict[str, Any] | None:
    if answer[:1] != b"{":
        return None
    try:
        found = json.loads(answer)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _received(stream: socket.socket) -> bytes:
    """Return a frame, cut short if the other side closes the connection or sends too much."""
    (length,) = LENGTH.unpack(_exactly(stream, LENGTH.size) or b"\0" * LENGTH.size)
    return _exactly(stream, length) if length <= _LONGEST_ANSWER else b""


def _exactly(stream: socket.socket, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0:
        part = stream.recv(min(size, 1 << 20))
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
