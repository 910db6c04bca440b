"""Files of a folder that may come from a stranger, such as an index folder in a checkout.

A link there may lead to any file of the user, and reading a pipe may never end. Pincite opens its
files with `open_private`, and replaces them as a whole with `replace_private`.

A SQLite file is created and checked without opening it, because SQLite may have it open: a process
that opens and closes a file itself releases all POSIX locks that SQLite holds on it in that
process. Other processes could then write at the same time, or delete its log.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from pincite.support.capabilities import (
    BINARY,
    CLOSE_ON_EXEC,
    NEVER_WAIT,
    NO_FOLLOW,
    is_own,
    name_once,
)

#: What to do about hard links in a folder. A copy has none to the files outside of it.
UNLINK: Final = "copy the folder with cp -a, and put the copy in its place"

#: Where there are no hard links, the file itself is opened once. Meanwhile no other thread may get
#: its name, because SQLite could open it.
_MAKING: Final = threading.Lock()

_CREATE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | CLOSE_ON_EXEC | BINARY


def open_private(path: Path, flags: int = os.O_RDONLY) -> int:
    """Return a descriptor of a regular file of this user; with O_CREAT, a new one is for this user
    alone. A file that is opened for writing may have only one name. Raises OSError, whose message
    names the file and what to do."""
    before = None
    if not NO_FOLLOW:
        with suppress(FileNotFoundError):
            before = require_regular(path)
    try:
        handle = os.open(path, flags | NO_FOLLOW | NEVER_WAIT | CLOSE_ON_EXEC | BINARY, 0o600)
    except OSError:
        require_regular(path)  # says more of a link or a pipe
        raise
    try:
        status = os.fstat(handle)
        _require_regular(path, status)
        if before is not None and not os.path.samestat(before, status):
            raise _refused(path, "was replaced while it was opened")
        if not is_own(status):
            raise _refused(path, "belongs to another user")
        if flags & (os.O_WRONLY | os.O_RDWR) and status.st_nlink > 1:
            raise _linked(path)
    except BaseException:
        os.close(handle)
        raise
    return handle


def read_private(path: Path) -> bytes:
    """Return the content of a file, opened by `open_private`. Raises OSError."""
    with os.fdopen(open_private(path), "rb") as file:
        return file.read()


def create_private(path: Path, content: bytes, *, sync: bool = False) -> None:
    """Write a new file for this user alone. Raises FileExistsError, OSError."""
    with os.fdopen(os.open(path, _CREATE, 0o600), "wb") as file:
        file.write(content)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def replace_private(path: Path, content: bytes, *, sync: bool = False) -> None:
    """Replace a file as a whole. The new content is first written to a file beside it with a random
    name. Raises OSError."""
    fresh = path.with_name(f"{path.name}.{os.urandom(8).hex()}.new")
    try:
        create_private(fresh, content, sync=sync)
        fresh.replace(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def require_regular(path: Path) -> os.stat_result:
    """Return the status of a file. Raises OSError for a link, a pipe or a folder in its place, and
    for a missing file."""
    status = path.lstat()
    _require_regular(path, status)
    return status


def require_regular_or_new(path: Path) -> None:
    """Raise OSError as `require_regular`, but not for a missing file."""
    with suppress(FileNotFoundError):
        require_regular(path)


def odd_kind(mode: int) -> str:
    """Return the kind of a file that is neither regular nor a folder, "" for these two."""
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return ""
    return "not a regular file"


def _require_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _refused(path, f"is {odd_kind(status.st_mode) or 'a directory'}")


def _linked(path: Path) -> OSError:
    """Return the error for a file with another name: writing would change the file under that name
    too, and removing it may lose data."""
    return OSError(
        errno.EMLINK,
        f"{path.name} has another name, a hard link, as in a backup by cp -al: {UNLINK}",
        str(path),
    )


def _refused(path: Path, why: str) -> OSError:
    return OSError(errno.EINVAL, f"{path.name} {why}: remove it", str(path))


def require_private_file(path: Path, *, make: bool) -> os.stat_result:
    """Return the status of the file, which is created empty if `make` is set. SQLite gives the
    files beside it the same mode. Raises OSError for a link, a pipe or a folder in its place, and
    for a missing file."""
    if make:
        with _MAKING:
            _make_empty(path)
    status = require_regular(path)
    _close_to_others(path, status)
    return status


def _make_empty(path: Path) -> None:
    if os.path.lexists(path):
        return
    empty = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    os.close(os.open(empty, _CREATE, 0o600))
    try:
        with suppress(FileExistsError):
            name_once(empty, path)
    finally:
        empty.unlink()


def make_private_cache(path: Path) -> None:
    """Prepare the file of a cache for SQLite: for this user alone, with those beside it, which may
    be older. A missing folder is created for this user alone, too. Raises OSError for a link, a
    pipe or a folder in its place, and for the file of another user."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_own(require_private_file(path, make=True)):
        raise PermissionError(errno.EACCES, f"{path.name} belongs to another user", str(path))
    for ending in ("-wal", "-shm", "-journal"):
        beside = path.with_name(path.name + ending)
        with suppress(FileNotFoundError):
            _close_to_others(beside, require_regular(beside))


def _close_to_others(path: Path, status: os.stat_result) -> None:
    if stat.S_IMODE(status.st_mode) & 0o077:
        path.chmod(0o600)
