"""Limits for a process that reads untrusted files: memory, processor time, and what it may do.

Parsers and extractors are libraries in C. A file may make one of them take any memory or time, or
run the file's own code. So they run in a process that limits itself before it reads the first file.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, Final

try:
    import resource
except ImportError:  # Windows: the process that waits ends it, and its memory is not limited
    _LIMITS = False
else:
    _LIMITS = True

_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FORBIDDEN: Final = frozenset(
    """socket.__new__ socket.connect socket.bind socket.getaddrinfo subprocess.Popen os.system
    os.exec os.posix_spawn os.spawn os.fork os.forkpty os.remove os.rename os.rmdir os.mkdir
    os.truncate os.link os.symlink os.chmod os.chown pty.spawn webbrowser.open
    urllib.Request shutil.rmtree shutil.move shutil.copyfile""".split()
)


def limit_process(memory_bytes: int) -> None:
    """Limit this process until it ends: its memory, no core file, no writing to files, and no
    action that `forbid` refuses."""
    if _LIMITS:
        for kind, most in (
            (resource.RLIMIT_AS, memory_bytes),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, 0),
        ):
            with suppress(OSError, ValueError):  # some systems have no such limit
                resource.setrlimit(kind, (most, most))
    sys.addaudithook(forbid)


def allow_seconds(seconds: int) -> None:
    """End the process after this many more seconds of processor time, in case its parent cannot."""
    if not _LIMITS:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    with suppress(OSError, ValueError):
        soft = int(used.ru_utime + used.ru_stime) + seconds + 2
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def forbid(event: str, arguments: tuple[Any, ...]) -> None:
    """Audit hook: raise PermissionError for actions that no extractor or parser needs."""
    if event in _FORBIDDEN:
        raise PermissionError(f"this process may not do this: {event}")
    if event == "open" and _would_write(*arguments[1:3]):
        raise PermissionError("this process may not write files")


def _would_write(mode: object, flags: object) -> bool:
    by_mode = isinstance(mode, str) and not set("wax+").isdisjoint(mode)
    return by_mode or (isinstance(flags, int) and bool(flags & _WRITES))


def most_files() -> int:
    """Return how many files this process may open, or a large number on systems without a limit."""
    if not _LIMITS:
        return 1 << 20
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 20 if soft == resource.RLIM_INFINITY else soft
