"""Parse a source text, and stop where tree-sitter would take too long or too much memory.

At the end of a text that is broken in most places, tree-sitter joins all ways in which it may be
read. That takes the square of the text's size, gigabytes of memory for 20 kB, and cannot be stopped
once it has begun. But such a text is conspicuous before: the parser follows several readings at the
same time, so it takes several times as many steps for a token (docs/decisions/0062). In a process
without limits, `cautious` stops there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from pincite.chunkers.grammars import load

if TYPE_CHECKING:
    from tree_sitter import Tree

    from pincite.chunkers.grammars import Grammar

_SLICE_BYTES: Final = 4_096
#: Reads of each slice, on average. 350 files of 14 languages took 1 to 7.
_MOST_READS: Final = 100
#: Progress reports (one for each hundred steps) of ordinary code are .02 a token (median). Of
#: 4,539 files, one took more than this, and of 4,912 damaged ones ten. Texts that took the square
#: of their size: .046 to .08. Tokens are counted only if there are some reports a byte, as in 13 %
#: of files.
_PER_TOKEN: Final = 0.04
_PER_BYTE: Final = 0.003
_SHORT: Final = 20  # reports of any text: such texts of 3 kB take 0.05 GB
_TOKEN: Final = re.compile(rb"[\w\x80-\xff]+|[^\w\s\x80-\xff]+")
_cautious: Final[ContextVar[bool]] = ContextVar("cautious", default=False)


class NeedsLimits(Exception):
    """Parsing was stopped: this text may take gigabytes, so a process with limits must do it."""


@contextmanager
def cautious() -> Iterator[None]:
    """Within this, `parse` raises `NeedsLimits`. It is for processes whose end would be a loss."""
    token = _cautious.set(True)
    try:
        yield
    finally:
        _cautious.reset(token)


def parse(grammar: Grammar, source: bytes) -> Tree | None:
    """Return the syntax tree, or None if parsing takes too many steps or reads. Raises
    `NeedsLimits` within `cautious`.

    Some ambiguous texts take any number of steps (a megabyte of `<!--` as C++ takes minutes).
    Others are read to their end for each token (a megabyte of `/**` as JavaScript).
    """
    from tree_sitter import Parser

    reports, most = 0, len(source) // 8 + 1000  # broken code takes up to 0.06 for each byte
    usual, counted, stopped = _usual(grammar, source), False, False
    end = len(source.rstrip())  # steps behind it only balance the tree
    reads = (len(source) // _SLICE_BYTES + 10) * _MOST_READS

    def give_up(offset: int, _has_error: bool) -> bool:
        nonlocal reports, usual, counted, stopped
        reports += 1
        if reports > usual and offset < end:
            if not counted:
                usual, counted = _usual(grammar, source, count=True), True
            stopped = reports > usual
        return stopped or reports > most or reads < 0

    def slice_from(offset: int, _point: object) -> bytes:
        nonlocal reads
        reads -= 1
        return source[offset : offset + _SLICE_BYTES] if reads >= 0 else b""

    parser = Parser(load(grammar)[0])
    try:
        tree = parser.parse(slice_from, encoding="utf8", progress_callback=give_up)
    except ValueError:
        if stopped:
            raise NeedsLimits from None
        return None
    if reads < 0:
        return None
    reads = sys.maxsize  # `Node.text` reads in the same way, once for each name
    return tree


def _usual(grammar: Grammar, source: bytes, *, count: bool = False) -> int:
    """Return how many reports ordinary code takes at most. To count tokens takes a tenth of the
    parser's time, so it is done only for texts that have more reports than others."""
    if not _cautious.get():
        return sys.maxsize
    tokens = len(_TOKEN.findall(source)) if count else 0
    return int(grammar.steps * max(_PER_BYTE * len(source), _PER_TOKEN * tokens)) + _SHORT
