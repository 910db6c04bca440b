"""Files that a user names. Reading a pipe that nobody writes to, or a device, would never end."""

from __future__ import annotations

import errno
import os
import stat
from io import TextIOWrapper
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

#: The names of a process's open descriptors: `/dev/fd/63` stands for `<(command)`.
_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")


def require_named(path: str | Path) -> None:
    """Raise OSError if nothing is at a path, or a named pipe, a device or a socket. An open
    descriptor of this process, such as `/dev/stdin` or `<(command)`, may be of any kind."""
    mode = os.stat(path).st_mode  # noqa: PTH116  # takes both
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or _is_descriptor(path)):
        said = f"it is not a regular file; to read a pipe: /dev/stdin < {path}"
        raise OSError(errno.EINVAL, said, str(path))


def open_named(path: str | Path) -> BinaryIO:
    """Open a file to read its bytes. Raises OSError, as `require_named` does."""
    require_named(path)
    return open(path, "rb")  # noqa: PTH123  # takes both


def read_named(path: str | Path) -> bytes:
    """Return the bytes of a file. Raises OSError, as `require_named` does."""
    with open_named(path) as file:
        return file.read()


def read_named_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, without a byte order mark, with newlines as line ends.
    Raises OSError, as `require_named` does, and UnicodeDecodeError."""
    with TextIOWrapper(open_named(path), encoding="utf-8-sig") as file:
        return file.read()


def _is_descriptor(path: str | Path) -> bool:
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100  # takes both
    if os.path.join(folder, name) == "/dev/stdin":  # noqa: PTH118
        return True
    return name.isdigit() and os.path.realpath(folder) in map(os.path.realpath, _DESCRIPTORS)
