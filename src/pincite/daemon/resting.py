"""What a process takes, and how it gives back what it does not use."""

from __future__ import annotations

import ctypes
import gc
import sys
from datetime import datetime
from pathlib import Path

_MB = 1_000_000
_STATUS = Path("/proc/self/status")


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
    """Give freed memory back to the system."""
    gc.collect()
    if sys.platform == "linux":
        trimming = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc has it, musl does not
        if trimming is not None:
            trimming(0)


def now() -> str:
    """The time in ISO 8601."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
