"""The costs of `budget` without numpy, for runs with few texts.

Importing numpy takes 70 ms, a seventh of the time to index a small repository. The numbers are
identical to those with numpy.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from itertools import accumulate
from typing import Final

from pincite.chunkers.token_weights import CAMEL_WEIGHT, CLASSES, LEVELS, STEP, WEIGHTS

#: A character takes 100 ns; with numpy, 15 ns.
_MOST_BYTES: Final = 400_000  # of the files of a source
_MOST_CHARS: Final = 2 * _MOST_BYTES  # of all texts of a process; some are weighed twice
_KEPT: Final = 0x3100  # classes of code points below are cached; most others are ideographs
#: A capital that begins a word inside a word.
_CAMEL: Final = re.compile(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])")


class SmallTexts:
    """Decides whether the costs of a text are computed without numpy. This is so while the indexed
    source is small, few texts have been seen in this process, and numpy is not imported."""

    def __init__(self) -> None:
        self._expected = False
        self._left = _MOST_CHARS

    def expect(self, total_bytes: int) -> None:
        """Announce a source whose files have `total_bytes` bytes together."""
        self._expected = total_bytes <= _MOST_BYTES

    def take(self, text: str) -> bool:
        """Return whether to use `costs` for this text, and count its characters if so."""
        if not self._expected or len(text) > self._left or "numpy" in sys.modules:
            return False
        self._left -= len(text)
        return True


SMALL: Final = SmallTexts()


def costs(text: str) -> list[float]:
    """Return the result of `budget.cumulative_cost` as a list of len(text) + 1 numbers."""
    if text.isascii():
        kinds = text.encode().translate(_ascii_kinds())
    else:
        kinds = text.translate(_KINDS).encode("latin-1")
    rows = _rows()
    weights = [rows[before][kind] for before, kind in zip(b"\0" + kinds, kinds, strict=False)]
    camel = LEVELS.index(CAMEL_WEIGHT) * STEP
    for found in _CAMEL.finditer(text):
        weights[found.start()] = camel
    return list(accumulate(weights, initial=0.0))


class _Kinds(dict[int, str]):
    """The class of each character, as the character with that number."""

    def __missing__(self, point: int) -> str:
        kind = chr(_kind(point))
        if point < _KEPT:
            self[point] = kind
        return kind


_KINDS: Final = _Kinds()


@cache
def _ascii_kinds() -> bytes:
    return bytes(map(_kind, range(128))).ljust(256, b"\0")


@cache
def _rows() -> list[list[float]]:
    """Return the weights by the class of the character before, then by that of the character."""
    weights = [LEVELS.index(level) * STEP for level in WEIGHTS]
    rows = [weights[at : at + CLASSES] for at in range(0, len(weights), CLASSES)]
    rows[1] = rows[0]  # marks count as spaces
    return rows


def _kind(point: int) -> int:
    """Return the class of a character."""
    if point >= 0x250:
        if 0x2000 <= point < 0x2E80 or 0x3000 <= point < 0x3040:
            return 1
        return 31 if point >= 0x2E80 else 30
    if point >= 0xC0:
        return 29
    if 0x30 <= point < 0x3A:
        return 28
    letter = (point | 0x20) - 0x61
    if point < 0x7F and 0 <= letter < 26:
        return 2 + letter
    return 1 if 0x21 <= point < 0x7F or point >= 0xA1 else 0
