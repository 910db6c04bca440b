"""Cut HTML into spans of its source. The visible text is indexed instead of the source, with the
alternative text of images.

Tags are found by a scan that visits each character once. It is simpler than a browser's rules: a
tag ends at the first ">".
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from pincite.chunkers.budget import cumulative_cost
from pincite.chunkers.lines import Lines
from pincite.chunkers.pieces import Path, Piece
from pincite.support.fields import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pincite.model import Section

_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9-]*)|[!?]")
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_BLOCKS = frozenset(
    """address article aside blockquote body center dd details div dl dt fieldset figcaption
    figure footer form head header hr html li link main meta nav noscript ol option p pre section
    summary table tbody td tfoot th thead title tr ul script style template svg""".split()
) | frozenset(_HEADINGS)
_OF_LISTS = frozenset({"dl", "dt", "dd"})
_OPAQUE = frozenset({"script", "style", "template", "svg"})
_PICTURED = frozenset({"img", "area", "input"})
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]*))?""")
_MARKUP_SHARE = 0.1  # of the cost of the source, so that chunks with only markup have a limit


@dataclass(frozen=True, slots=True)
class Page:
    """The visible runs of a page as (start, end), and its headings as (start, level, text)."""

    runs: list[tuple[int, int]]
    breaks: list[int]  #: where block tags begin
    headings: list[tuple[int, int, str]]
    alternatives: set[int]  #: starts of runs that are the alternative text of an image
    terms: set[int]  #: starts of runs that are a term in a definition list


def html_lines(text: str, page: Page) -> Lines:
    """Return lines with the cost of their visible text, plus a tenth of that of their source."""
    kept: list[str] = []
    position = 0
    for start, end in page.runs:
        kept += (" " * (start - position), text[position:position], text[start:end])
        position = end
    kept.append(" " * (len(text) - position))
    visible = cumulative_cost("".join(kept))
    return Lines(text, visible + _MARKUP_SHARE * cumulative_cost(text))


def html_pieces(lines: Lines, page: Page, room: Callable[[Path], float]) -> Iterator[Piece]:
    """Yield sections by heading. A section that does not fit is divided at lines with a block tag.
    A term stays with its definition."""
    path: Path = ()
    levels: list[int] = []
    first = 0
    heads = False
    cuts = _cuts(lines, page)
    for start, level, title in page.headings:
        line = lines.line_at(start)
        if line > first:
            yield from _section(lines, first, line, path, cuts, room, heads)
            first = line
        heads = True
        while levels and levels[-1] >= level:
            levels.pop()
        path = (*path[: len(levels)], title[:120])
        levels.append(level)
    yield from _section(lines, first, len(lines), path, cuts, room, heads)


def _cuts(lines: Lines, page: Page) -> list[tuple[int, bool]]:
    """Return the lines with a block tag, and whether the last visible text above each is a term."""
    cuts: list[tuple[int, bool]] = []
    runs = iter(page.runs)
    run = next(runs, None)
    after_term = False
    for line in sorted({lines.line_at(each) for each in page.breaks}):
        while run is not None and run[0] < lines.starts[line]:
            if not lines.text[run[0] : run[1]].isspace():
                after_term = run[0] in page.terms
            run = next(runs, None)
        cuts.append((line, after_term))
    return cuts


def with_plain(section: Section, text: str, page: Page) -> Section:
    """Return the section with its visible text as `plain`. Block tags begin a new line."""
    parts: list[str] = []
    end_of_last = section.start
    index = max(0, bisect_right(page.runs, (section.start, len(text))) - 1)
    for start, end in page.runs[index : bisect_left(page.runs, (section.end, 0))]:
        low, high = max(start, section.start), min(end, section.end)
        if low >= high:
            continue
        broken = bisect_left(page.breaks, end_of_last) < bisect_left(page.breaks, low)
        shown = unescape(text[low:high])
        shown = f" {shown} " if start in page.alternatives else shown
        parts += ("\n" if broken and parts else "", shown)
        end_of_last = high
    squeezed = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return replace(section, plain="\n".join(line for line in squeezed if line))


def scan(text: str) -> Page:
    """Find the tags of a page, and return its visible text and headings. Takes linear time."""
    lowered = text.lower() if text.isascii() else text
    page = Page([], [], [], set(), set())
    title_from, level, heading_at = -1, 0, 0
    in_term = False
    position = 0
    absent: set[str] = set()  # endings that do not occur in the rest: searched only once
    while True:
        opening = text.find("<", position)
        match = _NAME.match(text, opening + 1) if opening >= 0 else None
        if opening >= 0 and match is None:  # a lone "<"
            _add_run(page, position, opening + 1)
            position = opening + 1
            continue
        close = _end_of_tag(text, opening, absent) if opening >= 0 else -1
        if close < 0:
            _add_run(page, position, len(text))
            return page
        _add_run(page, position, opening)
        if in_term:
            page.terms.add(position)
        position = close
        name = (match[1] or "").lower() if match else ""
        if name in _BLOCKS:
            page.breaks.append(opening)
        is_end = text[opening + 1] == "/"
        if name in _OF_LISTS:
            in_term = name == "dt" and not is_end
        if name in _PICTURED and not is_end:
            _add_alternative(page, text, opening + 1 + len(name), close - 1)
        if name in _OPAQUE and not is_end and text[close - 2] != "/":
            ending = _find(lowered, f"</{name}", close, absent)
            position = ending if ending >= 0 else close
        elif name in _HEADINGS and not is_end:
            title_from, level, heading_at = len(page.runs), _HEADINGS[name], opening
        elif name in _HEADINGS and title_from >= 0:
            runs = page.runs[title_from:]
            texts = (text[one:end] for one, end in runs[:50] if one not in page.alternatives)
            title = unescape("".join(texts))
            page.headings.append((heading_at, level, " ".join(title.replace("¶", "").split())))
            title_from = -1


def _add_run(page: Page, start: int, end: int) -> None:
    if start < end:
        page.runs.append((start, end))


def _add_alternative(page: Page, text: str, start: int, end: int) -> None:
    for match in _ATTRIBUTE.finditer(text, start, end):
        if match[1].lower() == "alt" and match[2]:
            quoted = match[2][0] in "\"'"
            _add_run(page, match.start(2) + quoted, match.end(2) - quoted)
            page.alternatives.add(match.start(2) + quoted)
            return


def _end_of_tag(text: str, opening: int, absent: set[str]) -> int:
    """Return the position after the tag or comment that begins here; -1 if it is never closed."""
    mark = "-->" if text.startswith("<!--", opening) else ">"
    found = _find(text, mark, opening + 1, absent)
    if found < 0 and mark != ">":
        mark, found = ">", text.find(">", opening + 1)
    return found + len(mark) if found >= 0 else -1


def _find(text: str, ending: str, start: int, absent: set[str]) -> int:
    found = -1 if ending in absent else text.find(ending, start)
    if found < 0:
        absent.add(ending)
    return found


def _section(
    lines: Lines,
    first: int,
    last: int,
    path: Path,
    cuts: list[tuple[int, bool]],
    room: Callable[[Path], float],
    heads: bool,
) -> Iterator[Piece]:
    if lines.cost(first, last) <= room(path):
        yield Piece(first, last, path, heads=heads)
        return
    for cut, after_term in cuts[bisect_right(cuts, (first, True)) : bisect_left(cuts, (last,))]:
        yield Piece(first, cut, path, forward=after_term or heads, heads=heads)
        first, heads = cut, False
    yield Piece(first, last, path, heads=heads)
