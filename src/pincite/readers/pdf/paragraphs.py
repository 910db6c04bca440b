"""Join lines of a column into paragraphs, lists, code and headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from pincite.readers.pdf.layout import Block, Line, around
from pincite.readers.pdf.line_ends import SOFT, had_room, text_with_ending

_SAME_SIZE: Final = 0.08  # of a size: the most by which two lines of a paragraph differ
LARGER: Final = 1.12  #: times the size of the body: a heading
_FEW: Final = 20  # steps from line to line; fewer may all be those between paragraphs
_TIGHT: Final = 1.3  # sizes from line to line, where nothing is known
_HEADING_LINES: Final = 3
_HEADING_LETTERS: Final = 200
_LEVELS: Final = 6
_SHORT: Final = 4  # letters of words such as `of`, `and`, `with`: a title continues after them
_OPEN: Final = (",", ":", "-", "–", "—", "&", "(", SOFT)
_BULLET = re.compile(r"(?:[•▪◦‣⁃●○■□➢✓◻*–—-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d{1,3}\])\s+\S")
_NUMBERED = re.compile(r"(?:(?:Chapter|Section|Appendix)\s+)?[A-Z0-9]{1,3}(?:\.\d{1,3}){0,5}\.?\s")
_CLOSED = (".", "!", "?", ":", ";", "。", "！", "？", ".”", '."', ".)")


def leading_of(columns: Sequence[Sequence[Line]]) -> float:
    """Return the median distance between the lines of paragraphs, in multiples of the type size. If
    there are few lines, return the smallest distance, at most `_TIGHT`."""
    steps = [
        (after.top - before.top) / before.style.size
        for lines in columns
        for before, after in pairwise(lines)
        if before.style == after.style and 0.5 < after.top - before.top < 3 * before.style.size
    ]
    if len(steps) < _FEW:
        return min(_TIGHT, *steps, _TIGHT)
    return median(steps)


def paragraphs_of(lines: Sequence[Line], usual: float) -> list[Block]:
    """Return the paragraphs of one column, still without text. `usual` is the document's leading
    (see `leading_of`). `joined` makes their texts later, because it needs all words of the
    document."""
    if not lines:
        return []
    gaps = [after.top - before.top for before, after in pairwise(lines)]
    own = [gap for gap in gaps if gap > 0.5]
    body = body_size(lines)
    expected = usual * body
    bold = 2 * sum(len(one.text) for one in lines if one.style.bold) > sum(
        len(one.text) for one in lines
    )
    leading = min(median(own), max(expected, 0.8 * median(own))) if len(own) > 3 else expected
    right = max(line.right for line in lines)
    groups: list[list[Line]] = []
    for line in lines:
        titles = line.style.size >= LARGER * body or (line.style.bold and not bold)
        if groups and not _parted(groups[-1], line, leading, right, titles=titles):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Block(*around(group), "paragraph", "", tuple(group)) for group in groups]


def _is_another_title(before: Line, line: Line, right: float) -> bool:
    """Return whether two heading lines of one size are separate headings: the first word of the
    second line would have fitted into the line before, and that line is complete."""
    begins = line.text[:1].isupper() or line.text[:1].isdigit()
    last = before.text.rsplit(" ", 1)[-1]
    open_end = (last.islower() and len(last) <= _SHORT) or before.text.endswith(_OPEN)
    return had_room(before, line, right) and begins and not open_end


def _parted(
    group: Sequence[Line], line: Line, leading: float, right: float, *, titles: bool
) -> bool:
    """Return whether the line begins a new paragraph after this group. `leading` and `right` (the
    column's edge) are in points. `titles` means that lines of this look are headings."""
    before = group[-1]
    size = before.style.size
    if abs(size - line.style.size) > _SAME_SIZE * max(size, line.style.size):
        return True
    if before.style.bold != line.style.bold or before.style.mono != line.style.mono:
        return True
    if titles and _is_another_title(before, line, right):
        return True
    step = line.top - before.top
    gap = line.top - before.bottom
    if step > 1.35 * leading and gap > 0.4 * size and (leading > 0 or gap > size):
        return True
    if line.style.mono:
        return gap > 0.8 * size
    if line.entry or _BULLET.match(line.text):
        return True
    if before.entry and line.left <= before.left + 0.5 * size:
        return True
    if _BULLET.match(group[0].text):
        hang = group[1].left if len(group) > 1 else group[0].left + 0.5 * size
        return line.left < hang - 0.5 * size
    indented = line.left > before.left + 0.8 * size and line.left > group[0].left + 0.8 * size
    if indented and len(group) > 1 and before.left < group[0].left + size:
        return True
    ends_early = before.right < right - 6 * size
    return ends_early and before.text.endswith(_CLOSED) and line.left <= group[0].left + 1


def joined(lines: Sequence[Line], words: Collection[str]) -> str:
    """Return the text of a paragraph on one line; code keeps its lines. A word divided at the end
    of a line is joined. It loses its hyphen, unless the document has the word only with the hyphen
    elsewhere."""
    if not lines:
        return ""
    if lines[0].style.mono:
        return code_of(lines)
    parts = [
        text_with_ending(before, after, words, right)
        for (before, after), right in zip(pairwise(lines), _right_edges(lines), strict=False)
    ]
    return "".join((*parts, lines[-1].text)).replace(SOFT, "")


def _right_edges(lines: Sequence[Line]) -> list[float]:
    """Return the right edge of each line's column, in points. A column begins above its line
    before."""
    edges: list[float] = []
    first = 0
    for place in range(1, len(lines) + 1):
        if place == len(lines) or lines[place].top < lines[place - 1].top:
            edges += [max(line.right for line in lines[first:place])] * (place - first)
            first = place
    return edges


def code_of(lines: Sequence[Line]) -> str:
    """Return lines of fixed pitch with their indentation."""
    left = min(line.left for line in lines)
    found = []
    for line in lines:
        pitch = (line.right - line.left) / max(1, len(line.text)) or 1.0
        indent = min(80, round((line.left - left) / pitch))
        found.append(" " * indent + line.text.replace(SOFT, "-"))
    return "\n".join(found)


def body_size(lines: Sequence[Line]) -> float:
    """Return the type size of most letters, in points; 10 without lines."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.style.size] += len(line.text)
    return max(sizes, key=lambda one: (sizes[one], -one)) if sizes else 10.0


def may_be_heading(block: Block, body: float) -> bool:
    """Return whether a block is larger than the body text, or is one or two lines in bold."""
    text = " ".join(line.text for line in block.lines)
    if not block.lines or len(block.lines) > _HEADING_LINES or len(text) > _HEADING_LETTERS:
        return False
    if not any(letter.isalpha() for letter in text) or text.count("...") or len(text) < 2:
        return False
    style = block.lines[0].style
    if style.mono and not style.bold:
        return False
    if style.size >= LARGER * body:
        return True
    closed = text.endswith((".", ",", ";", ":")) and not _NUMBERED.match(text)
    return style.bold and style.size >= 0.95 * body and len(block.lines) <= 2 and not closed


def levels_of(styles: Collection[tuple[float, bool]]) -> dict[tuple[float, bool], int]:
    """Return heading levels by look (size in points, bold). A larger size is a higher level; at the
    same size, bold is above regular."""
    ordered = sorted(styles, key=lambda one: (-one[0], not one[1]))
    return {style: min(_LEVELS, level) for level, style in enumerate(ordered, start=1)}
