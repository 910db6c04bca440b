"""The processor time that one file of code may take."""

from __future__ import annotations

import time
from typing import Final

#: Of 4,538 files of 18 repositories and of installed packages, on a busy machine, none took more
#: than a sixth of this; the slowest took 1.4 s (a table of 770 kB in Python) and 1.9 s (3.3 MB of
#: JavaScript).
_LEAST_S: Final = 5.0
_S_PER_BYTE: Final = 5e-6


class Allowance:
    """The remaining processor time of one file, in the thread that creates this. Processor time is
    used, so that the result does not depend on other processes."""

    def __init__(self, size: int) -> None:
        """Begin with a file of `size` bytes or characters."""
        allowed_s = _LEAST_S + _S_PER_BYTE * size
        self._until_s = time.thread_time() + allowed_s
        self._sooner_s = time.perf_counter() + allowed_s  # no thread takes more than this

    def left_s(self) -> float:
        """Return the remaining seconds, below 0 if more were used."""
        return self._until_s - time.thread_time()

    def spent(self) -> bool:
        """Return whether the time is used up. Then the rest of the file is cut by lines."""
        return time.perf_counter() > self._sooner_s and self.left_s() < 0
