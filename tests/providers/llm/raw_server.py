"""A server that answers each POST with these bytes and headers, and may then stay silent."""

from __future__ import annotations

import select
import socket
import threading
from types import TracebackType


class Address(str):
    """Where it listens, whether it was asked, and whether the client has hung up."""

    asked: threading.Event
    hung_up: threading.Event


class RawServer:
    """Serves one request in its block. `headers` are lines that end with CRLF. `then_wait`: until
    the client hangs up or the block ends."""

    def __init__(
        self, raw: bytes, *, status: int = 200, headers: bytes = b"", then_wait: bool = False
    ) -> None:
        self._raw = raw
        self._head = b"HTTP/1.1 %d X\r\nContent-Type: text/event-stream\r\n" % status + headers
        self._then_wait = then_wait
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._asked, self._hung_up = threading.Event(), threading.Event()

    def __enter__(self) -> Address:
        self._thread.start()
        address = Address(f"http://127.0.0.1:{self._socket.getsockname()[1]}")
        address.asked, address.hung_up = self._asked, self._hung_up
        return address

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while not select.select([self._socket], [], [], 0.02)[0]:
            if self._stop.is_set():
                return
        connection, _ = self._socket.accept()
        with connection:
            read_request(connection)
            self._asked.set()
            connection.sendall(self._head + b"Connection: close\r\n\r\n" + self._raw)
            while self._then_wait and not self._stop.is_set():
                readable, _, _ = select.select([connection], [], [], 0.02)
                if readable and connection.recv(1) == b"":
                    self._hung_up.set()
                    return


def read_request(connection: socket.socket) -> None:
    """All of it: closing before that would reset the connection."""
    with connection.makefile("rb") as stream:
        length = 0
        while line := stream.readline().strip().lower():
            if line.startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        stream.read(length)
