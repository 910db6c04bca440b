"""Where tests put what must be synced to disk: in memory, where the machine has such a place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

_SHARED_MEMORY = Path("/dev/shm")


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder for one test, where `fsync` costs nothing. A daemon that is still writing ends once
    its folder is gone, and may put a file there while it goes."""
    place = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None
    with TemporaryDirectory(dir=place, prefix="pincite-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
