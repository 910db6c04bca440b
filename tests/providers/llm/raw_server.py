"""A server that answers each POST with these bytes and may then stay silent."""

from __future__ import annotations

import select
import socket
import threading
from types import TracebackType


class Address(str):
    """Where it listens, and whether the client has hung up."""

    hung_up: threading.Event


class RawServer:
    """Serves one request in its block."""

    def __init__(self, raw: bytes, *, then_wait_s: float = 0.0) -> None:
        self._raw = raw
        self._wait_s = then_wait_s
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._hung_up = threading.Event()

    def __enter__(self) -> Address:
        self._thread.start()
        address = Address(f"http://127.0.0.1:{self._socket.getsockname()[1]}")
        address.hung_up = self._hung_up
        return address

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._socket.close()
        self._thread.join()

    def _serve(self) -> None:
        self._socket.settimeout(5)
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return
        with connection:
            _read_request(connection)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            connection.sendall(head + b"Connection: close\r\n\r\n" + self._raw)
            waited = 0.0
            while waited < self._wait_s and not self._stop.is_set():
                readable, _, _ = select.select([connection], [], [], 0.02)
                if readable and connection.recv(1) == b"":
                    self._hung_up.set()
                    return
                waited += 0.02


def _read_request(connection: socket.socket) -> None:
    """All of it: closing before that would reset the connection."""
    with connection.makefile("rb") as stream:
        length = 0
        while line := stream.readline().strip().lower():
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        stream.read(length)
