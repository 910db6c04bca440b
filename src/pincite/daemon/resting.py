"""What a process takes, and how it gives back what it does not use."""

from __future__ import annotations

import ctypes
import gc
import re
import sys
from datetime import datetime
from pathlib import Path

_MB = 1_000_000
_STATUS = Path("/proc/self/status")
_MAPPINGS = Path("/proc/self/smaps")
_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ *(.*)")
_DONTNEED = 4


def memory_mb() -> float:
    """Megabytes of memory that this process alone takes and that no file holds as well (`RssAnon`).
    Pages of files, such as those of the index and of libraries, are left out: the system takes
    them back when it needs room. 0.0 where the system does not tell."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return 0.0
    found = next((line.split()[1] for line in lines if line.startswith("RssAnon:")), "0")
    return int(found) * 1024 / _MB


def trim() -> None:
    """Give freed memory back to the system, and let go of pages of libraries, which stay in its
    cache of files as long as it has room."""
    gc.collect()
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    trimming = getattr(libc, "malloc_trim", None)  # glibc has it, musl does not
    if trimming is not None:
        trimming(0)
    for first, size in _untouched():
        libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(size), _DONTNEED)


def _untouched() -> list[tuple[int, int]]:
    """Begin and size of the mappings of files that nobody may write to and nobody has written to:
    what is let go of there comes back from the file."""
    found: list[tuple[int, int]] = []
    place: tuple[int, int] | None = None
    try:
        lines = _MAPPINGS.read_text(errors="replace").splitlines()
    except OSError:
        return []
    for line in lines:
        if head := _MAPPING.match(line):
            first, last, allowed, file = int(head[1], 16), int(head[2], 16), head[3], head[4]
            ours = "w" not in allowed and file.startswith("/")
            place = (first, last - first) if ours else None
        elif place and line.startswith("Anonymous:") and line.split()[1] == "0":
            found.append(place)
    return found


def now() -> str:
    """The time in ISO 8601."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
