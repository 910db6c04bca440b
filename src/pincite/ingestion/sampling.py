"""Sample files from all over a source for a first average length.

Weights depend on a rounded average. If the average of all documents rounds differently from that of
the sample, everything is weighed again. So files are added until that is unlikely.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from pincite.providers.sparse.bm25 import round_average
from pincite.sources import Entry

_FILES: Final = 48  # of the first part
#: Standard errors between the average of a sample and a limit of its rounding.
_SURE: Final = 3.0  # guess, unmeasured


def parts_of(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """Yield non-empty parts of a source that together are all of it. Each part, and the first ones
    together, have files from all over. The first has 48 files or slightly more, and each further
    one about as many as all before it."""
    step = max(1, len(entries) // _FILES)
    offsets = _spread(step)
    taken = 0
    while taken < step:
        some = offsets[taken : max(1, 2 * taken)]
        if part := [entry for offset in some for entry in entries[offset::step]]:
            yield part
        taken += len(some)


def _spread(count: int) -> list[int]:
    """Return 0 to `count` (exclusive) in an order in which the first ones are far apart: van der
    Corput's sequence."""
    bits = (count - 1).bit_length()
    reverses = (int(f"{number:0{bits}b}"[::-1], 2) for number in range(2**bits)) if bits else (0,)
    return list(dict.fromkeys(reverse * count >> bits for reverse in reverses))


def rounds_alike(counted: Sequence[tuple[int, int]], share: float) -> bool:
    """Return whether the average of all almost certainly rounds as that of a sample. `counted` are
    the tokens and the chunks of its documents; `share` is the sample's share of all documents."""
    if share >= 1.0:
        return True
    tokens, chunks = (sum(column) for column in zip(*counted, strict=True)) if counted else (0, 0)
    count = len(counted)
    if count < 2 or not chunks:
        return False
    mean = tokens / chunks
    squares = math.fsum((has - mean * parts) ** 2 for has, parts in counted)
    error = math.sqrt(squares * count / (count - 1) * (1.0 - share)) / chunks
    low, high = mean - _SURE * error, mean + _SURE * error
    return round_average(max(low, 1.0)) == round_average(max(high, 1.0))
