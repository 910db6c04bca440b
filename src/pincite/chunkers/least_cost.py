"""Give text that costs nearly nothing a least cost, so that a chunk has a limit in characters.

White space, control characters and word parts such as `th` or `e` cost about 0 word pieces. Without
a least cost, 240 of them would be 4 million characters. It is per block of the text, and not per
character, so that the costs of all other text stay exactly as they are.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, overload

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Costs = NDArray[np.float64] | list[float]

#: Characters of a block, and the word pieces that it costs at least: 240 word pieces have at most
#: 10,000 characters. `docs/decisions/0003-chunking.md` has the figures.
BLOCK: Final = 1_000
LEAST: Final = 30.0


def most_chars(word_pieces: float) -> int:
    """Return how many characters a span can have at most whose cost is not above this one."""
    return (int(word_pieces / LEAST) + 2) * BLOCK


@overload
def with_least(until: list[float]) -> list[float]: ...
@overload
def with_least(until: NDArray[np.float64]) -> NDArray[np.float64]: ...
def with_least(until: Costs) -> Costs:
    """Return the cumulative costs of a text with the least cost of each whole block, which rises
    evenly within the block. `until` has len(text) + 1 numbers; it is returned itself if no block
    costs too little."""
    every = until[::BLOCK]
    marks: list[float] = every if isinstance(every, list) else every.tolist()
    lacking = [max(0.0, LEAST - (after - before)) for before, after in pairwise(marks)]
    if not any(lacking):
        return until
    added = list(accumulate(lacking, initial=0.0))
    slopes = [*(one / BLOCK for one in lacking), 0.0]
    if isinstance(until, list):
        return [
            cost + (added[at // BLOCK] + slopes[at // BLOCK] * (at % BLOCK))
            for at, cost in enumerate(until)
        ]
    import numpy as np

    size, within = len(until), np.arange(len(until)) % BLOCK
    rising = np.repeat(slopes, BLOCK)[:size] * within
    raised: NDArray[np.float64] = until + (np.repeat(added, BLOCK)[:size] + rising)
    return raised
