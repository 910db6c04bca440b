"""Append lines to a file from any number of processes, and rotate it when it is full."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from pincite.settings.sections.retrieval_log import LogSettings
from pincite.support.databases.private_file import open_private, read_private

NAME = "retrieval.jsonl"
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT


class LogFiles:
    """`retrieval.jsonl` in `folder`, and its predecessors `.1` (the latest), `.2` and so on.

    Every line is one `write` to a file opened for appending, so lines of several processes never
    mix. One process at a time rotates the files.
    """

    def __init__(self, folder: Path, settings: LogSettings) -> None:
        self.path = folder / NAME
        self._settings = settings

    def append(self, line: bytes) -> None:
        """Add one line, without its newline. Raises OSError, FileNotFoundError if the folder does
        not exist."""
        if self._full(len(line)):
            self._put_aside(len(line))
        file = open_private(self.path, _FLAGS)
        try:
            if os.write(file, line + b"\n") <= len(line):  # the disk became full
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(file)

    def lines(self) -> Iterator[bytes]:
        """Yield all lines, the latest first. A file that disappears meanwhile is left out."""
        for number in range(self._settings.keep + 1):
            try:
                raw = read_private(self._numbered(number))
            except FileNotFoundError:
                continue
            yield from reversed(raw.splitlines())

    def _full(self, more: int) -> bool:
        try:
            size = self.path.lstat().st_size
        except FileNotFoundError:
            return False
        return size > 0 and size + more + 1 > self._settings.max_bytes

    def _put_aside(self, more: int) -> None:
        from filelock import FileLock

        lock = self.path.with_name(f"{NAME}.lock")
        os.close(open_private(lock, os.O_RDWR | os.O_CREAT))  # refuses a link, which is truncated
        with FileLock(lock):
            if not self._full(more):  # another process was here first
                return
            for number in range(self._settings.keep, 0, -1):
                earlier = self._numbered(number - 1)
                if earlier.exists():
                    earlier.replace(self._numbered(number))
            if self._settings.keep == 0:
                self.path.unlink(missing_ok=True)

    def _numbered(self, number: int) -> Path:
        return self.path.with_name(f"{NAME}.{number}") if number else self.path
