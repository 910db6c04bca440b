"""What the operating system offers. Everything that differs between systems is asked here.

A capability is looked for, never concluded from the name of a system.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Callable
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
#: A process that goes on alone, and one that is started with its files laid out.
FORK: Final = hasattr(os, "fork") and hasattr(os, "posix_spawn")
USERS: Final = hasattr(os, "geteuid")
#: Does the mode of a file say who may read it?
FILE_MODES: Final = os.name != "nt"
#: Can one wait for several pipes at once, as for sockets?
WAIT_FOR_PIPES: Final = os.name != "nt"

CLOSE_ON_EXEC: Final = getattr(os, "O_CLOEXEC", 0)
BINARY: Final = getattr(os, "O_BINARY", 0)  # without it line ends are changed on Windows
NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_NEVER_WAIT: Final = getattr(os, "O_NONBLOCK", 0)


def this_user() -> int:
    """The number of the user of this process; 0 where users have none, as in `st_uid` there."""
    return os.geteuid() if USERS else 0


def is_own(status: os.stat_result) -> bool:
    """Does a file belong to this user? Where users have no numbers the system keeps others out by
    other means, and the answer is yes."""
    return not USERS or status.st_uid == os.geteuid()


def user_name(user: int) -> str:
    """For messages."""
    known = _module("pwd")
    if known is not None:
        try:
            return f"user {known.getpwuid(user).pw_name}"
        except KeyError:
            pass
    return f"user {user}"


def open_to_read(path: str | Path, *, follow: bool = False) -> int:
    """A descriptor of a file that may be a stranger's: a pipe in its place is not waited for, and
    a link is followed only if asked. Raises OSError, ELOOP for a link."""
    flags = os.O_RDONLY | _NEVER_WAIT | CLOSE_ON_EXEC | BINARY
    if follow or NO_FOLLOW:
        return os.open(path, flags | (0 if follow else NO_FOLLOW))
    before = os.lstat(path)
    if stat.S_ISLNK(before.st_mode):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    handle = os.open(path, flags)
    if not os.path.samestat(before, os.fstat(handle)):
        os.close(handle)
        raise OSError(errno.ELOOP, "it was replaced while it was opened", str(path))
    return handle


def sync_path(path: Path) -> None:
    """Have a file, or the names in a folder, survive a loss of power; where folders cannot be
    opened the system sees to it, or nobody. Raises OSError."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY | CLOSE_ON_EXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def be_nice(by: int) -> None:
    """Let other processes go first, where a process can."""
    if hasattr(os, "nice"):
        os.nice(by)


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def host_name() -> str:
    """The name of this machine."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    return socket.gethostname()


def is_alive(pid: int) -> bool:
    """May the process be alive? Yes where it cannot be asked without an effect on it."""
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
    """Kill a child and, where there are groups of processes, whatever it has started."""
    kill: Callable[[int, int], None] | None = getattr(os, "killpg", None)
    try:
        if kill is None:
            process.kill()
        else:
            import signal

            kill(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
