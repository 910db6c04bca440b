"""Plain text and code without a grammar: paragraphs, and blocks by indentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.chunkers.pieces import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pincite.chunkers.lines import Lines


def text_pieces(lines: Lines) -> Iterator[Piece]:
    """What blank lines divide. A block that begins with more indentation than the one before
    belongs to it: the body of a function, an item's second paragraph."""
    first = 0
    margin = 0
    for line in range(1, len(lines)):
        if lines.blank[line] or not lines.blank[line - 1]:
            continue
        if lines.indent(line) <= margin:
            if any(not blank for blank in lines.blank[first : first + 1]) or first == 0:
                yield Piece(first, line)
            else:
                yield Piece(first, line)
            first = line
            margin = lines.indent(line)
    if first < len(lines):
        yield Piece(first, len(lines))
