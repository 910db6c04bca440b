"""Estimate the number of word pieces of a text without a model, as a sum over pairs of characters.

The cost of a character depends on its class and on that of the previous character. A letter at the
start of a word costs nearly one piece. A common continuation costs nearly nothing, an unusual pair
of letters more. The 1,025 weights are fitted to BERT's uncased vocabulary by
`bench/retrieval/fit_token_weights.py`; `docs/decisions/0003-chunking.md` has the errors. Because it
is a sum over characters, the cost of any span is one subtraction.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pincite.chunkers.least_cost import with_least
from pincite.chunkers.small_texts import SMALL, costs
from pincite.chunkers.token_weights import CAMEL_WEIGHT, CLASSES, LEVELS, STEP, WEIGHTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CAMEL = CLASSES * CLASSES  # number of the pair if a capital begins a word inside a word


def estimate_word_pieces(text: str) -> int:
    """Return the estimated number of word pieces, rounded up, with the least cost of long text
    (see `least_cost`); 0 for a short blank text."""
    total = costs(text) if SMALL.take(text) else cumulative_cost(text)
    return math.ceil(float(with_least(total)[-1]) - 1e-6)


def cumulative_cost(text: str) -> NDArray[np.float64]:
    """Return an array of shape (len(text) + 1,), ascending: entry i is the estimated cost of
    `text[:i]`."""
    import numpy as np

    total = np.zeros(len(text) + 1)
    _weights().take(bigrams(text)).cumsum(out=total[1:])  # `take`: half the time of an index
    return total


def bigrams(text: str) -> NDArray[np.uint16]:
    """Return the number of the pair that ends at each character, in an array of shape
    (len(text),): `class of the character before * CLASSES + class`, or CAMEL."""
    import numpy as np

    points: NDArray[Any]
    if text.isascii():
        points = np.frombuffer(text.encode("ascii"), np.uint8)
        kinds: NDArray[np.uint16] = _kinds().take(points)
    else:
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        kinds = _kinds().take(np.minimum(points, 0x250))
        if int(points.max()) >= 0x250:
            kinds[(points >= 0x2000) & (points < 0x2E80)] = 1
            kinds[points >= 0x2E80] = 31
            kinds[(points >= 0x3000) & (points < 0x3040)] = 1
    pairs = kinds.copy()
    pairs[1:] += _before().take(kinds[:-1])
    upper = (points >= 65) & (points <= 90)
    lower = (points >= 97) & (points <= 122)
    camel = lower[:-1].copy()  # at the character before: `aB`, or `BC` before a small letter
    camel[:-1] |= upper[:-2] & lower[2:]
    pairs[1:][camel & upper[1:]] = CAMEL
    return pairs


@lru_cache(maxsize=1)
def _kinds() -> NDArray[np.uint16]:
    """Return the classes of the characters up to U+024F, then that of all others."""
    import numpy as np

    kinds = np.zeros(0x251, np.uint16)
    kinds[0x21:0x7F] = 1
    kinds[0xA1:0xC0] = 1
    kinds[0x30:0x3A] = 28
    kinds[0x41:0x5B] = kinds[0x61:0x7B] = np.arange(2, 28)
    kinds[0xC0:0x250] = 29
    kinds[0x250] = 30
    return kinds


@lru_cache(maxsize=1)
def _before() -> NDArray[np.uint16]:
    """Return the pair offset of the previous character's class: marks count as spaces."""
    import numpy as np

    before = np.arange(CLASSES, dtype=np.uint16) * CLASSES
    before[1] = 0
    return before


@lru_cache(maxsize=1)
def _weights() -> NDArray[np.float64]:
    import numpy as np

    return np.array([LEVELS.index(level) for level in WEIGHTS + CAMEL_WEIGHT]) * STEP
