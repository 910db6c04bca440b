"""A connection between machines that can be cut: what is sent over it stays on its way."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Cable:
    """Takes connections at a port of this machine and hands them on to a port or a socket file.
    While it is cut nothing goes through, and nobody is told so, as between two networks."""

    def __init__(self, target: int | Path) -> None:
        self._target = target
        self._whole = threading.Event()
        self._whole.set()
        self._ended = False
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self._start(self._accept)

    def cut(self) -> None:
        """From now on nothing goes through."""
        self._whole.clear()

    def mend(self) -> None:
        """What was on its way arrives."""
        self._whole.set()

    def close(self) -> None:
        """End all of it."""
        self._ended = True
        self._whole.set()
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        for one in (self._server, *self._sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        for one in (self._server, *self._sockets):
            one.close()

    def _start(self, work: object, *given: object) -> None:
        thread = threading.Thread(target=work, args=given, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._ended:
            try:
                here, _ = self._server.accept()
            except OSError:
                return
            self._sockets.append(here)
            try:
                there = self._connected()
            except OSError:
                here.close()
                continue
            self._sockets.append(there)
            self._start(self._hand_on, here, there)
            self._start(self._hand_on, there, here)

    def _connected(self) -> socket.socket:
        if isinstance(self._target, int):
            return socket.create_connection(("127.0.0.1", self._target))
        made = socket.socket(socket.AF_UNIX)
        try:
            made.connect(str(self._target))
        except OSError:
            made.close()
            raise
        return made

    def _hand_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65_536):
                self._whole.wait()
                target.sendall(piece)
        self._whole.wait()
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def cable(target: int | Path) -> Iterator[Cable]:
    """A cable for as long as the block runs."""
    made = Cable(target)
    try:
        yield made
    finally:
        made.close()
