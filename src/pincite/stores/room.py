"""Measure the free space on the disk of an index."""

from __future__ import annotations

import shutil
from pathlib import Path

#: Free space that every write leaves untouched: a full disk kills the process by SIGBUS.
SPARE_BYTES = 128 * 1024 * 1024
#: Free space that opening, removing and the end of started work leave untouched.
FINISHING_BYTES = SPARE_BYTES // 2


def free_bytes(path: Path) -> int:
    """Return the free space on the disk of `path`, in bytes."""
    return shutil.disk_usage(path).free
