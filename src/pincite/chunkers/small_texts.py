"""The costs of `budget` without numpy, for runs with few texts.

To import numpy takes 70 ms, a seventh of the first index of a small repository. The numbers are the
same to the last bit.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from itertools import accumulate
from typing import Final

from pincite.chunkers.token_weights import CAMEL_WEIGHT, CLASSES, LEVELS, STEP, WEIGHTS

#: A character takes 100 ns, with numpy 15.
_MOST_BYTES: Final = 400_000  # of the files of a source
_MOST_CHARS: Final = 2 * _MOST_BYTES  # of all texts of a process; some are weighed twice
_KEPT: Final = 0x3100  # code points whose class is remembered; the rest is ideographs and pictures
#: A capital that begins a word within a word.
_CAMEL: Final = re.compile(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[A-Z](?=[a-z])")


class SmallTexts:
    """Decides whether texts are weighed without numpy: while the sources that are indexed are small
    and all texts of the process were few. It is not used where numpy is there already."""

    def __init__(self) -> None:
        self._expected = False
        self._left = _MOST_CHARS

    def expect(self, total_bytes: int) -> None:
        """A source of files of so many bytes is to be indexed."""
        self._expected = total_bytes <= _MOST_BYTES

    def take(self, text: str) -> bool:
        """Return whether `costs` is to be used for this text."""
        if not self._expected or len(text) > self._left or "numpy" in sys.modules:
            return False
        self._left -= len(text)
        return True


SMALL: Final = SmallTexts()


def costs(text: str) -> list[float]:
    """Return what `budget.cumulative_cost` returns, as a list."""
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
    """The class of each character, as a character of that number."""

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
    """Return the weights by the class before, then by that of the character."""
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
