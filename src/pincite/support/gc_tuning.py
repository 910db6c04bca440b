"""Python's garbage collector, out of the way of searches."""

from __future__ import annotations

import gc

#: Allocations between collections. A search makes thousands of objects and hardly a cycle; with the
#: default of 700 a tenth to a seventh of its time goes into looking for them.
_ALLOCATIONS = 50_000


def rarely_collect() -> None:
    """Collect less often, and never look again at what is there now. For a program's start, not
    for a library: it is set for the whole process."""
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, 20, 20)
