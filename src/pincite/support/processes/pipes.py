"""Send blocks of bytes between a process and its child, each preceded by its length."""

from __future__ import annotations

import os
import selectors
import struct
import threading
import time
from typing import IO, Final

from pincite.support.capabilities import WAIT_FOR_PIPES

_LENGTH: Final = struct.Struct(">I")


def own_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes for input and answers of this process: its standard input and output. Both
    are replaced, so that reads and prints of libraries cannot interfere."""
    given, found = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb", 0)
    silent = os.open(os.devnull, os.O_RDWR)
    os.dup2(silent, 0)
    os.dup2(silent, 1)
    return given, found


def write_block(pipe: IO[bytes], raw: bytes) -> None:
    """Write all of the bytes. Raises BrokenPipeError if the reader has gone."""
    for part in (_LENGTH.pack(len(raw)), raw):
        left = memoryview(part)
        while left:
            left = left[os.write(pipe.fileno(), left) :]


def read_block(
    pipe: IO[bytes], until_s: float | None = None, most_bytes: int | None = None
) -> bytes:
    """Return the next block, before `until_s` of the monotonic clock. Raises EOFError,
    TimeoutError, and ValueError for a block longer than `most_bytes`."""
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size, until_s))
    if most_bytes is not None and length > most_bytes:
        raise ValueError(f"a block of {length:,} bytes")
    return _exactly(pipe, length, until_s)


def _exactly(pipe: IO[bytes], size: int, until_s: float | None) -> bytes:
    if not WAIT_FOR_PIPES:
        return _exactly_in_a_thread(pipe, size, until_s)
    parts = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while len(parts) < size:
            left_s = None if until_s is None else max(0.0, until_s - time.monotonic())
            if not selector.select(left_s):
                raise TimeoutError
            part = os.read(pipe.fileno(), size - len(parts))
            if not part:
                raise EOFError
            parts += part
    return bytes(parts)


def _exactly_in_a_thread(pipe: IO[bytes], size: int, until_s: float | None) -> bytes:
    """Read exactly `size` bytes in a thread. After a TimeoutError the thread waits until the other
    end of the pipe is closed, which happens when the child is killed."""
    parts = bytearray()
    failed: list[OSError] = []

    def read() -> None:
        try:
            while len(parts) < size:
                part = os.read(pipe.fileno(), size - len(parts))
                if not part:
                    return
                parts.extend(part)
        except OSError as error:
            failed.append(error)

    thread = threading.Thread(target=read, name="pincite-pipe", daemon=True)
    thread.start()
    thread.join(None if until_s is None else max(0.0, until_s - time.monotonic()))
    if thread.is_alive():
        raise TimeoutError
    if failed:
        raise failed[0]
    if len(parts) < size:
        raise EOFError
    return bytes(parts)
