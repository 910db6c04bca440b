"""Create and check a private SQLite file without opening it, because SQLite may have it open.

A process that opens and closes a file itself releases all POSIX locks that SQLite holds on it in
that process. Then other processes could write at the same time, or delete its log.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from pincite.support.capabilities import CLOSE_ON_EXEC


def require_private_file(path: Path, *, make: bool) -> os.stat_result:
    """Return the status of the file, which is created empty if `make` is set. SQLite gives the
    files beside it the same mode. Raises OSError for a link, a pipe or a folder in its place, and
    for a missing file."""
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
        raise OSError(0, "it is not a regular file")
    if stat.S_IMODE(status.st_mode) & 0o077:
        path.chmod(0o600)
    return status
