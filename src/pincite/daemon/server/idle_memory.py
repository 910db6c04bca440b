"""Measure the memory of this process and release unused memory."""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path

_MB = 1_000_000
_STATUS = Path("/proc/self/status")
_MAPPINGS = Path("/proc/self/smaps")
_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ *(.*)")
_DONTNEED = 4


def memory_mb() -> float:
    """Return the megabytes of memory that only this process uses and that no file backs
    (`RssAnon`). Pages of files, such as those of the index and of libraries, are left out: the
    system reclaims them when it needs room. 0.0 if the system does not report it."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return 0.0
    found = next((line.split()[1] for line in lines if line.startswith("RssAnon:")), "0")
    return int(found) * 1024 / _MB


def trim() -> None:
    """Return freed memory to the system, and release pages of libraries, which stay in the system's
    file cache as long as it has room."""
    gc.collect()
    if sys.platform != "linux":
        return
    import ctypes  # late: a new daemon does not rest

    libc = ctypes.CDLL(None, use_errno=True)
    trimming = getattr(libc, "malloc_trim", None)  # glibc has it, musl does not
    if trimming is not None:
        trimming(0)
    for first, size in _untouched():
        libc.madvise(ctypes.c_void_p(first), ctypes.c_size_t(size), _DONTNEED)


def _untouched() -> list[tuple[int, int]]:
    """Return begin and size of the mappings of files that are read-only and unmodified: pages that
    are released there are read again from the file."""
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
