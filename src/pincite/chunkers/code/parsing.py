"""Parse a source text, and stop if tree-sitter would take too long or too much memory.

At the end of a text with very many syntax errors, tree-sitter merges all possible readings of it.
That takes memory quadratic in the text's size (gigabytes for 20 kB), and cannot be stopped once it
has begun. But such a text can be recognised before: the parser follows several readings at the same
time, so it takes several times as many steps for each token (docs/decisions/0062). `cautious` stops
then; use it in processes without limits. `unparsed` parses nothing; use it after a parser has
failed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Set
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, NamedTuple

from pincite.chunkers.code.allowance import Allowance
from pincite.chunkers.code.branches import hidden_rows
from pincite.chunkers.code.grammars import load
from pincite.chunkers.code.kept_names import (
    constructors,
    possible_types,
    restored,
    types_in,
)
from pincite.chunkers.code.repairs import severe_bytes

if TYPE_CHECKING:
    from tree_sitter import Tree

    from pincite.chunkers.code.grammars import Grammar

_SLICE_BYTES: Final = 4_096
_NAME_BYTES: Final = 64  # the first part of a name, which is read after parsing
#: Reads of each slice, on average. 350 files of 14 languages took 1 to 7.
_MOST_READS: Final = 100
#: The limit of progress reports (one for each hundred steps) for each token. Ordinary code has 0.02
#: (median). Of 4,539 files, one had more than the limit, and of 4,912 damaged ones, ten. Texts that
#: took quadratic memory had 0.046 to 0.08. Tokens are counted only above the limit for each byte,
#: as in 13 % of files.
_PER_TOKEN: Final = 0.04
_PER_BYTE: Final = 0.003
#: The same limits for each part of a text with this number of reports, because a long comment may
#: hide a broken part. Of 2,472 files, one had more in some part.
_WINDOW: Final = 180
_HALF: Final = _WINDOW // 2
_LATELY_PER_TOKEN: Final = 0.05
_LATELY_PER_BYTE: Final = 0.006
_CLOCKED: Final = 8  # reports between two readings of the clock; the slowest took 0.05 s each
_SHORT: Final = 20  # reports allowed for any text: broken texts of 3 kB take 0.05 GB
#: Classes of bytes: white space, words, other signs. A token is a run of one of the latter two.
_SPACE, _WORD, _SIGN = b" w."
_CLASSES: Final = bytes(
    _SPACE
    if byte in b" \t\n\r\f\v"
    else _WORD
    if byte >= 0x80 or chr(byte).isalnum() or byte == ord("_")
    else _SIGN
    for byte in range(256)
)
_BEGINNINGS: Final = (b" w", b".w", b" .", b"w.")
_cautious: Final[ContextVar[bool]] = ContextVar("cautious", default=False)
_unparsed: Final[ContextVar[bool]] = ContextVar("unparsed", default=False)


class NeedsLimits(Exception):
    """Parsing was stopped: this text may take gigabytes, and needs a process with limits."""


@contextmanager
def cautious() -> Iterator[None]:
    """Within this, `parse` raises `NeedsLimits` for a text that may take gigabytes of memory. It is
    for processes that must not be killed."""
    token = _cautious.set(True)
    try:
        yield
    finally:
        _cautious.reset(token)


@contextmanager
def unparsed() -> Iterator[None]:
    """Within this, `parse` returns None, so that code is cut by lines."""
    token = _unparsed.set(True)
    try:
        yield
    finally:
        _unparsed.reset(token)


def parse(grammar: Grammar, source: bytes, allowance: Allowance | None = None) -> Tree | None:
    """Return the syntax tree, or None if parsing takes too many steps or reads, or more time than
    is allowed. Raises `NeedsLimits` within `cautious` if the text may take gigabytes of memory.

    Some ambiguous texts take very many steps (a megabyte of `<!--` as C++ takes minutes). Others
    are read to their end for each token (a megabyte of `/**` as JavaScript), or each step takes
    longer than the one before (20 kB of `<b>&a ` as C#).
    """
    if _unparsed.get():
        return None
    from tree_sitter import Parser

    allowance = allowance or Allowance(len(source))
    steps = _Steps(grammar, source)
    reads = (len(source) // _SLICE_BYTES + 10) * _MOST_READS
    size, end, parsed = _SLICE_BYTES, -1, False
    reports = 0

    def give_up(offset: int, _has_error: bool) -> bool:
        nonlocal reports
        reports += 1
        if steps.too_many(offset) or reads < 0:
            return True
        return not reports % _CLOCKED and allowance.spent()

    def slice_from(offset: int, _point: object) -> bytes:
        nonlocal reads, size, end
        reads -= 1
        if parsed:  # the text of a node: the time grows with the square of its parts
            size = 4 * size if offset == end else _NAME_BYTES
        end = offset + size
        return source[offset:end] if reads >= 0 else b""

    parser = Parser(load(grammar)[0])
    try:
        tree = parser.parse(slice_from, encoding="utf8", progress_callback=give_up)
    except ValueError:
        if steps.conspicuous:
            raise NeedsLimits from None
        return None
    if reads < 0:
        return None
    # `Node.text` reads in the same way, once for each name, and looks at each byte that it gets
    reads, parsed = sys.maxsize, True
    return tree


class Parsed(NamedTuple):
    """A syntax tree. If the source was repaired, the offsets of the `tree` are still those of the
    source, but the texts of its nodes may differ. `hidden` are the rows whose code it does not
    have, and `before` is the tree that has this code, None if nothing was repaired."""

    tree: Tree
    hidden: Set[int] = frozenset()
    before: Tree | None = None


def parse_repaired(
    grammar: Grammar, source: bytes, allowance: Allowance | None = None
) -> Parsed | None:
    """Return the tree of `parse`, after those repairs of the grammar with which it has fewer broken
    bytes. A text with code that the parser would misunderstand is repaired first, and parsed as it
    is only if severe errors remain. None if the source cannot be parsed."""
    allowance = allowance or Allowance(len(source))
    text = next((one.rewrite(source) for one in grammar.repairs if one.is_misread(source)), source)
    tree = parse(grammar, text, allowance)
    if tree is None:
        return None
    first, before, severe = text, tree, severe_bytes(source)
    for repair in grammar.repairs:
        size = broken_bytes(tree)
        repaired = repair.rewrite(text) if size >= (severe if repair.severe else 1) else text
        other = parse(grammar, repaired, allowance) if repaired != text else None
        if other is not None and broken_bytes(other) < size:
            text, tree = repaired, other
    if first != source and broken_bytes(tree) >= severe:
        other = parse(grammar, source, allowance)
        if other is not None and broken_bytes(other) <= broken_bytes(tree):
            return Parsed(other)
    if text != source and (kept := _with_names(grammar, source, text, tree, allowance)):
        text, tree = kept
    return Parsed(tree) if tree is before else Parsed(tree, hidden_rows(source, text), before)


def _with_names(
    grammar: Grammar, source: bytes, text: bytes, repaired: Tree, allowance: Allowance
) -> tuple[bytes, Tree] | None:
    """Return a repaired text, and its tree, with the names that the repair has blanked by mistake.
    None if there are none, or if they break what the tree of this text, `repaired`, has whole."""
    names = possible_types(source, text)
    tree = parse(grammar, source, allowance) if names else None
    names &= set() if tree is None else types_in(grammar, tree)
    names |= constructors(source, text)
    if not names:
        return None
    kept = restored(source, text, names)
    if kept == text:
        return None
    tree = parse(grammar, kept, allowance)
    if tree is None or broken_bytes(tree) > broken_bytes(repaired):
        return None
    return kept, tree


def broken_bytes(tree: Tree) -> int:
    """Return the number of bytes in error nodes, plus one for each error node, and one for each
    node that the parser has added. 0 if the text has no errors."""
    size = 0
    stack = [tree.root_node]
    while stack:
        node = stack.pop()
        if node.is_error:
            size += node.end_byte - node.start_byte + 1
        elif node.has_error:
            broken = [each for each in node.children if each.has_error]
            size += not broken  # a node that is missing here, which may be hidden
            stack += broken
    return size


class _Steps:
    """Counts the progress reports of one parse, and decides when to stop."""

    def __init__(self, grammar: Grammar, source: bytes) -> None:
        self._source = source
        self._factor = grammar.steps
        self._end = len(source.rstrip())  # steps after it only balance the tree
        self._most = len(source) // 8 + 1000  # reports; broken code has up to 0.06 for each byte
        self._reports = 0
        self._marks = (0, 0)  # offsets two halves and one half of a window ago
        self._watched = _cautious.get()
        self._usual = self._ordinary(_PER_BYTE * len(source))
        self._counted = False
        self._next = 1
        self.conspicuous = False  #: whether it was stopped because it may take gigabytes

    def too_many(self, offset: int) -> bool:
        """Count a report at this byte offset, and return whether to stop."""
        self._reports += 1
        if self._reports < self._next:
            return False
        if self._watched and offset < self._end:
            self.conspicuous = self._in_all() or self._lately(offset)
        self._next = self._following()
        return self.conspicuous or self._reports > self._most

    def _following(self) -> int:
        """Return the number of the next report at which a limit may be exceeded."""
        if not self._watched:
            return self._most + 1
        window = self._reports // _HALF * _HALF + _HALF
        return min(window, max(self._usual, self._reports) + 1, self._most + 1)

    def _in_all(self) -> bool:
        if self._reports > self._usual and not self._counted:
            self._counted = True
            self._usual = self._ordinary(_PER_TOKEN * _tokens(self._source))
        return self._reports > self._usual

    def _lately(self, offset: int) -> bool:
        if self._reports % _HALF:
            return False
        start, half = self._marks
        self._marks = (half, offset)
        if self._reports < _WINDOW or offset - start > _WINDOW / self._factor / _LATELY_PER_BYTE:
            return False
        tokens = _tokens(self._source[start:offset])
        return self._factor * _LATELY_PER_TOKEN * tokens < _WINDOW

    def _ordinary(self, reports: float) -> int:
        return int(self._factor * reports) + _SHORT


def _tokens(source: bytes) -> int:
    """Return the number of tokens. Takes a hundredth of the parser's time."""
    classes = b" " + source.translate(_CLASSES)
    return sum(map(classes.count, _BEGINNINGS))
