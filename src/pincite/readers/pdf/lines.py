"""Join runs into lines, and the glyphs of a line into its text in reading order."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pincite.readers.pdf.clusters import FROM_RIGHT
from pincite.readers.pdf.layout import Glyph, Line, Run, Style, around, is_large, level_with

#: Times the size of the type: a gap that is a space. On the R manuals, which have no spaces in
#: their text, 0.10 to 0.20 give the same words as pdftotext; tight letters need less than 0.25.
_SPACE: Final = 0.16
_LEAST_SPACE: Final = 0.06  # if the library detects one: after an overhanging f
#: Between Arabic letters, and letters with marks, whose boxes are those of their shapes. Some
#: letters never join the next one, and programs write spaces.
_SHAPES_SPACE: Final = 0.28
_ARABIC = re.compile(r"[\u0600-\u08ff]")
_MARK: Final = 3  # letters of small type that belong to the large type beside them
_MOST_BESIDE: Final = 8  # lines above and below the middle of large type
_INITIAL: Final = 2  # characters: a quotation mark and a letter
_BY_FAR: Final = 3  # times the letters beside it: large type is the text, small type its marks
_WIDE: Final = 1.3  # sizes; justified lines have less
_LEADS = re.compile(r"\.\.\. ?(?:\d{1,4}|[ivxlc]{1,6})$")
_LEADER = re.compile(r"(?:[.·…]\s?){5,}")
_RIGHT = {"R", "AL"}
_CLOSING: Final = ")]}»›"
_MIRRORED: Final = dict(zip("()[]{}«»‹›", ")(][}{»«›‹", strict=True))
_NUMBER = {"EN", "AN", "ES", "CS", "ET"}


def lines_of(runs: Sequence[Run]) -> list[Line]:
    """Return the lines of one column from top to bottom. Runs beside each other are one line. Type
    that is as high as several lines, such as an initial, is on the first of them."""
    lines: list[list[Run]] = []
    mains: list[Run] = []  # of each line the run that determines its height
    for run in sorted(runs, key=lambda one: (one.middle, one.left)):
        near = [
            place
            for place in range(len(lines) - 1, max(-1, len(lines) - 5), -1)
            if level_with(mains[place], run)
        ]
        place = next((one for one in near if _alike(mains[one], run)), None)
        if place is None:
            place = next((one for one in near if _is_mark(mains[one], run)), None)
        if place is None:
            lines.append([run])
            mains.append(run)
        else:
            lines[place].append(run)
            mains[place] = max(mains[place], run, key=_weight)
    made = [_line(line) for line in _with_large_type(lines, mains)]
    return sorted((one for one in made if one.text), key=lambda one: (one.middle, one.left))


def _weight(run: Run) -> tuple[float, int]:
    return run.size, len(run.glyphs)


def _alike(one: Run, other: Run) -> bool:
    return not is_large(max(one.size, other.size), min(one.size, other.size))


def _is_mark(one: Run, other: Run) -> bool:
    """Return whether the smaller one is a footnote mark, an index, an exponent or a bullet."""
    return len(min(one, other, key=lambda run: run.size).glyphs) <= _MARK


def _with_large_type(lines: Sequence[list[Run]], mains: Sequence[Run]) -> list[list[Run]]:
    """Return the lines, given with their main runs, with large type added to a line of smaller type
    beside it: the first one, or the last one if that is to its left."""
    order = sorted(range(len(lines)), key=lambda place: mains[place].middle)
    joined: dict[int, int] = {}
    for rank, place in enumerate(order):
        main = mains[place]
        window = order[max(0, rank - _MOST_BESIDE) : rank + _MOST_BESIDE + 1]
        beside = [
            other
            for other in window
            if is_large(main.size, mains[other].size) and level_with(main, mains[other])
        ]
        if not beside:
            continue
        if _letters(lines[place]) >= _BY_FAR * sum(_letters(lines[other]) for other in beside):
            joined |= dict.fromkeys(beside, place)
            continue
        first = min(run.left for run in lines[beside[0]])
        joined[place] = beside[0] if main.left <= first else beside[-1]
    found: list[list[Run]] = [[] for _ in lines]
    for place, line in enumerate(lines):
        target = place
        while target in joined:  # ends: from large to small type, and from there to larger text
            target = joined[target]
        found[target] += line
    return [line for line in found if line]


def _letters(line: Sequence[Run]) -> int:
    return sum(len(run.glyphs) for run in line)


def _line(runs: Sequence[Run]) -> Line:
    """Return the line of these runs. Its height is that of most of its letters, because an initial
    reaches down to the lines below."""
    glyphs = [glyph for run in runs for glyph in run.glyphs]
    left, _, right, _ = around(runs)
    styles = Counter(one.style for one in glyphs if one.text != " ")
    style = max(styles, key=lambda one: (styles[one], one.size))
    size = Counter[float]()
    for one, times in styles.items():
        size[one.size] += times
    total = sum(styles.values())
    bold = sum(times for one, times in styles.items() if one.bold) >= 0.9 * total
    mono = sum(times for one, times in styles.items() if one.mono) >= 0.9 * total
    ordered = sorted(runs, key=lambda one: one.left)
    gaps = [after.left - before.right for before, after in pairwise(ordered)]
    text = text_of(glyphs)
    entry = max(gaps, default=0.0) > _WIDE * style.size or _LEADS.search(text) is not None
    common = max(size, key=lambda one: (size[one], one))
    _, top, _, bottom = around([run for run in runs if not is_large(run.size, common)] or runs)
    return Line(left, top, right, bottom, text, Style(common, bold, mono, style.turn), entry)


def text_of(glyphs: Sequence[Glyph]) -> str:
    """Return the text of the glyphs of one line: sorted by position, with spaces where gaps are.
    Right-to-left scripts are put into reading order."""
    pieces: list[str] = []
    before: Glyph | None = None
    spaced = False
    for glyph in sorted(glyphs, key=_across):
        if glyph.text == " ":
            spaced = True
            continue
        if before is not None:
            size = min(before.style.size, glyph.style.size)
            gap = glyph.left - before.right
            if _are_shapes(before.text, glyph.text):
                apart = gap > (_LEAST_SPACE if glyph.spaced else _SHAPES_SPACE) * size
            elif len(pieces) <= _INITIAL and _is_initial(before, glyph):
                apart = gap > _SPACE * before.style.size
            else:
                apart = gap > _SPACE * size or (glyph.spaced and gap > _LEAST_SPACE * size)
            if spaced or apart:
                pieces.append(" ")
        pieces.append(glyph.text)
        before, spaced = glyph, False
    text = "".join(_logical(pieces))
    return unicodedata.normalize("NFC", _LEADER.sub("... ", text)).strip()


def _are_shapes(one: str, other: str) -> bool:
    """Return whether two texts are Arabic, or from right to left and one of them has marks."""
    if _ARABIC.match(one) and _ARABIC.match(other):
        return True
    both = FROM_RIGHT.match(one) and FROM_RIGHT.match(other)
    return both is not None and len(one) + len(other) > 2


def _is_initial(before: Glyph, after: Glyph) -> bool:
    """Return whether the first of two letters is large and begins the word of the other."""
    large = is_large(before.style.size, after.style.size)
    return large and before.text.isupper() and after.text.isalpha()


def _across(glyph: Glyph) -> tuple[float, float]:
    if unicodedata.combining(glyph.text[0]):  # after the letter that it marks
        return (glyph.left + glyph.right) / 2 + 0.01, glyph.right
    return glyph.left, glyph.right


def _logical(pieces: list[str]) -> list[str]:
    """Return the pieces in reading order, given their order on the page. Runs against the direction
    of the line are reversed (the inverse of UAX #9, for one level)."""
    if not any("\u0590" <= letter <= "\u08ff" for piece in pieces for letter in piece):
        return pieces
    kinds = [_direction(piece) for piece in pieces]
    from_right = kinds.count("R") > kinds.count("L")
    against = {"L", "N"} if from_right else {"R"}
    ordered: list[str] = []
    held: list[str] = []  # a run against the line's direction, and what may belong to it
    neutral: list[str] = []
    sequence = list(zip(pieces, kinds, strict=True))
    for piece, kind in reversed(sequence) if from_right else sequence:
        if kind in against:
            held += [*(neutral if held else ()), piece]
            neutral = []
        elif kind == "-" and held:
            neutral.append(piece)
        else:
            ordered += [*reversed(held), *neutral, piece]
            held, neutral = [], []
    ordered += [*reversed(held), *neutral]
    return _opened(ordered) if from_right else _numbers_again(ordered)


def _opened(pieces: list[str]) -> list[str]:
    """Return the pieces of a right-to-left line with brackets in logical form. Some programs write
    them as displayed: a line that closes a bracket before it opens one gets them mirrored."""
    brackets = [piece for piece in pieces if piece in _MIRRORED]
    if not brackets or brackets[0] not in _CLOSING:
        return pieces
    return [_MIRRORED.get(piece, piece) for piece in pieces]


def _numbers_again(pieces: list[str]) -> list[str]:
    """Return the pieces with numbers among right-to-left letters from left to right."""
    found: list[str] = []
    number: list[str] = []
    for position, piece in enumerate(pieces):
        among = any(_direction(one) == "R" for one in pieces[max(0, position - 40) : position])
        if _direction(piece) == "N" and among:
            number.append(piece)
        else:
            found += [*number, piece]
            number = []
    return found + number


def _direction(piece: str) -> str:
    kind = unicodedata.bidirectional(piece[0])
    if kind in _RIGHT:
        return "R"
    if kind == "L":
        return "L"
    return "N" if kind in _NUMBER and piece[0].isdigit() else "-"
