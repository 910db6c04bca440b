"""A file for its user alone that SQLite may have open, made and checked without opening it.

A process that opens and closes a file by itself lets go of all POSIX locks that SQLite holds on it
in that process; then other processes write beside it, or delete its log.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from pincite.support.capabilities import CLOSE_ON_EXEC


def require_private_file(path: Path, *, make: bool) -> os.stat_result:
    """What the file is, empty if it is made here. SQLite gives the files beside it the same mode.
    Raises OSError for a link, a pipe or a folder in its place, and where there is none."""
    if make and not os.path.lexists(path):
        empty = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
        os.close(os.open(empty, os.O_CREAT | os.O_EXCL | os.O_WRONLY | CLOSE_ON_EXEC, 0o600))
        with suppress(FileExistsError):
            os.link(empty, path)
        empty.unlink()
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise OSError(0, "it is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        raise OSError(0, "it is no ordinary file")
    if stat.S_IMODE(status.st_mode) & 0o077:
        path.chmod(0o600)
    return status
