"""Capabilities of the operating system. All differences between systems are handled here.

A capability is detected, never derived from the name of a system.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import subprocess


def _module(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None


#: Locks on open files that belong to the open file and end with its process.
FLOCK: Final = _module("fcntl") is not None
UNIX_SOCKETS: Final = hasattr(socket, "AF_UNIX") and os.name != "nt"
#: Whether processes can fork, and start others with given descriptors.
FORK: Final = hasattr(os, "fork") and hasattr(os, "posix_spawn")
USERS: Final = hasattr(os, "geteuid")
#: Whether the mode of a file says who may read it.
FILE_MODES: Final = os.name != "nt"
#: Whether one call can wait for several pipes, as for sockets.
WAIT_FOR_PIPES: Final = os.name != "nt"

CLOSE_ON_EXEC: Final = getattr(os, "O_CLOEXEC", 0)
BINARY: Final = getattr(os, "O_BINARY", 0)  # without it Windows changes line ends
NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
NEVER_WAIT: Final = getattr(os, "O_NONBLOCK", 0)
_READ: Final = os.O_RDONLY | NEVER_WAIT | CLOSE_ON_EXEC | BINARY
#: Whether a file can be opened relative to an open folder. Replacing a folder then has no effect on
#: open ones.
FROM_FOLDERS: Final = bool(NO_FOLLOW) and os.open in os.supports_dir_fd
#: Open a folder only to reach files below it. This also works for one that may be entered, not
#: listed.
_ENTER: Final = getattr(os, "O_PATH", 0)
_FOLDER: Final = getattr(os, "O_DIRECTORY", 0) | NEVER_WAIT | CLOSE_ON_EXEC
_NOT_DOWN: Final = frozenset({"", ".", ".."})  # parts that do not lead into a folder below


def this_user() -> int:
    """Return the number of the user of this process, or 0 on systems without such numbers, as
    `st_uid` has there."""
    return os.geteuid() if USERS else 0


def is_own(status: os.stat_result) -> bool:
    """Return whether a file belongs to this user. True where users have no numbers: there, other
    means of the system restrict access."""
    return not USERS or status.st_uid == os.geteuid()


def user_name(user: int) -> str:
    """Return the name of a user, for messages."""
    known = _module("pwd")
    if known is not None:
        try:
            return f"user {known.getpwuid(user).pw_name}"
        except KeyError:
            pass
    return f"user {user}"


def open_to_read(path: str | Path, *, follow: bool = False) -> int:
    """Open a file that may come from a stranger and return its descriptor. A pipe in its place does
    not block, and a link is followed only with `follow`. Raises OSError: ELOOP for a link, EISDIR
    for a folder, as no file object would close its descriptor."""
    if follow or NO_FOLLOW:
        return _no_folder(os.open(path, _READ | (0 if follow else NO_FOLLOW)), path)
    before = os.lstat(path)
    if stat.S_ISLNK(before.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    handle = os.open(path, _READ)
    if not os.path.samestat(before, os.fstat(handle)):
        os.close(handle)
        raise OSError(errno.ELOOP, "it was replaced while opening", str(path))
    return _no_folder(handle, path)


def open_below(root: str, path: str) -> int:
    """Open the file `path` below the folder `root`, as `open_to_read` does. `path` has slashes
    between its parts. None of them may be a link, but `root` may be one.

    Each folder is opened relative to the one above it, so none can be replaced between a check and
    the opening. If the system cannot open folders that may not be listed, such folders are only
    checked. Raises OSError: ENOTDIR or ELOOP for a link in place of a folder, ENOENT for a path
    with `..`; and ValueError for a NUL.
    """
    *folders, name = parts = path.split("/")
    if not _NOT_DOWN.isdisjoint(parts):
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if folders and FROM_FOLDERS:
        try:
            above = _open_folder(root, folders)
        except PermissionError:
            if _ENTER:
                raise
        else:
            try:
                return _no_folder(os.open(name, _READ | NO_FOLLOW, dir_fd=above), path)
            finally:
                os.close(above)
    _require_folders(root, folders)
    return open_to_read(f"{root}/{path}")


def _open_folder(root: str, folders: Sequence[str]) -> int:
    """Open the last of these folders, each in the one before it, and return its descriptor."""
    flags = _FOLDER | _ENTER
    above = os.open(root, flags)
    for folder in folders:
        try:
            inner = os.open(folder, flags | NO_FOLLOW, dir_fd=above)
        finally:
            os.close(above)
        above = inner
    return above


def _require_folders(root: str, folders: Sequence[str]) -> None:
    """Raise OSError if one of these, each in the one before it, is not a folder or is a link."""
    place = root
    for folder in folders:
        place = f"{place}/{folder}"
        if not stat.S_ISDIR(os.lstat(place).st_mode):
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), place)


def _no_folder(handle: int, path: str | Path) -> int:
    if stat.S_ISDIR(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return handle


def name_once(fresh: Path, name: Path) -> None:
    """Give a complete file its final name; its permissions stay. If several processes do so, the
    first succeeds. Raises FileExistsError if the name is taken, OSError."""
    try:
        os.link(fresh, name)
    except FileExistsError:
        raise
    except OSError:  # some file systems have no links
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | CLOSE_ON_EXEC | BINARY
        mode = stat.S_IMODE(fresh.stat().st_mode)
        with os.fdopen(os.open(name, flags, mode), "wb") as file:
            file.write(fresh.read_bytes())


def sync_path(path: Path) -> None:
    """Flush a file, or the names in a folder, so that they survive a power failure. Folders that
    cannot be opened are skipped. Raises OSError."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY | CLOSE_ON_EXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def be_nice(by: int) -> None:
    """Lower the priority of this process, where possible."""
    if hasattr(os, "nice"):
        os.nice(by)


def cores() -> int:
    """Return the number of processors that this process may use, or of all of them if the system
    does not say."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def host_name() -> str:
    """Return the name of this machine."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    return socket.gethostname()


def is_alive(pid: int) -> bool:
    """Return whether the process may be alive. True if checking would affect the process."""
    if os.name == "nt":  # there `os.kill` sends Ctrl-C for a 0
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user
        return True
    return True


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a child and, where process groups exist, all processes that it has started."""
    kill: Callable[[int, int], None] | None = getattr(os, "killpg", None)
    try:
        if kill is None:
            process.kill()
        else:
            import signal

            kill(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
