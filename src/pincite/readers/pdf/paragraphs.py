"""Joins lines of a column to paragraphs, lists, code and headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from pincite.readers.pdf.layout import Block, Line, around

_SAME_SIZE: Final = 0.08  # of a size: what two lines of a paragraph may differ by
_LARGER: Final = 1.12  # times the size of the body: a heading
_FEW: Final = 20  # steps from line to line; fewer may all be those between paragraphs
_TIGHT: Final = 1.3  # sizes from line to line, where nothing is known
_HEADING_LINES: Final = 3
_HEADING_LETTERS: Final = 200
_LEVELS: Final = 6
_SOFT = "\u00ad"
_SHORT: Final = 4  # letters of a word such as `of`, `and`, `with`, after which a title goes on
_OPEN: Final = (",", ":", "-", "–", "—", "&", "(", _SOFT)
_BULLET = re.compile(r"(?:[•▪◦‣⁃●○■□➢✓◻*–—-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d{1,3}\])\s+\S")
_NUMBERED = re.compile(r"(?:(?:Chapter|Section|Appendix)\s+)?[A-Z0-9]{1,3}(?:\.\d{1,3}){0,5}\.?\s")
_CLOSED = (".", "!", "?", ":", ";", "。", "！", "？", ".”", '."', ".)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ASIA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


def leading_of(columns: Sequence[Sequence[Line]]) -> float:
    """Return the median distance between the lines of paragraphs, in multiples of the type size; a
    small default if there are few lines."""
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
        titles = line.style.size >= _LARGER * body or (line.style.bold and not bold)
        if groups and not _parted(groups[-1], line, leading, right, titles=titles):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Block(*around(group), "paragraph", "", tuple(group)) for group in groups]


def _is_another_title(before: Line, line: Line, right: float) -> bool:
    """Return whether two heading lines of one size are separate headings: the first word of the
    second line would have fitted into the line before, and that line is complete."""
    letter = (line.right - line.left) / max(1, len(line.text))
    word = line.text.split(" ", 1)[0]
    had_room = before.right + (len(word) + 2) * letter < right
    begins = line.text[:1].isupper() or line.text[:1].isdigit()
    last = before.text.rsplit(" ", 1)[-1]
    open_end = (last.islower() and len(last) <= _SHORT) or before.text.endswith(_OPEN)
    return had_room and begins and not open_end


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
    parts = [lines[0].text]
    for line in lines[1:]:
        parts[-1] = _ended(parts[-1], line.text, words)
        parts.append(line.text)
    return "".join(parts).replace(_SOFT, "")


def _ended(text: str, more: str, words: Collection[str]) -> str:
    """Return the line with its ending before the next line: a space, a hyphen, or nothing."""
    if text.endswith(_SOFT):
        return text[:-1]
    if text.endswith("-") and len(text) > 1 and text[-2].isalpha() and more[:1].islower():
        head = _WORD.findall(text[-80:-1])[-1:]
        tail = _WORD.match(more[:80])
        if head and tail:
            parted = f"{head[0]}-{tail[0]}".lower()
            if parted in words and parted.replace("-", "") not in words:
                return text
            if "-" in head[0]:  # a compound of more parts keeps its hyphens
                return text
            return text[:-1]
    if text.endswith("-") and len(text) > 1 and text[-2].isalnum():
        return text  # before a name or a number
    if _ASIA.match(text[-1:]) and _ASIA.match(more[:1]):
        return text
    return f"{text} "


def code_of(lines: Sequence[Line]) -> str:
    """Return lines of fixed pitch with their indentation."""
    left = min(line.left for line in lines)
    found = []
    for line in lines:
        pitch = (line.right - line.left) / max(1, len(line.text)) or 1.0
        indent = min(80, round((line.left - left) / pitch))
        found.append(" " * indent + line.text.replace(_SOFT, "-"))
    return "\n".join(found)


def words_of(lines: Sequence[Line]) -> set[str]:
    """Return the words that are whole on a line, in lower case, for `joined`."""
    found: set[str] = set()
    for line in lines:
        inner = line.text[: len(line.text.rstrip("-").rstrip())]
        matches = list(_WORD.finditer(inner))
        last_is_torn = line.text.endswith(("-", _SOFT))
        kept = matches[:-1] if last_is_torn else matches
        found.update(one[0].lower() for one in kept)
    return found


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
    if style.size >= _LARGER * body:
        return True
    closed = text.endswith((".", ",", ";", ":")) and not _NUMBERED.match(text)
    return style.bold and style.size >= 0.95 * body and len(block.lines) <= 2 and not closed


def levels_of(styles: Collection[tuple[float, bool]]) -> dict[tuple[float, bool], int]:
    """Return heading levels by look (size in points, bold). A larger size is a higher level; at the
    same size, bold is above regular."""
    ordered = sorted(styles, key=lambda one: (-one[0], not one[1]))
    return {style: min(_LEVELS, level) for level, style in enumerate(ordered, start=1)}
