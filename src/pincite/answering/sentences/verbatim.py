"""Find code and verbatim text in Markdown, and decode character references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from html.entities import html5
from typing import Final

from pincite.answering.sentences.markdown_marks import BOX, ITEM, Fence, fence_of
from pincite.support.finding.unseen import UNSEEN

_INDENT: Final = 4  # of code, relative to the text that it belongs to
_LONGEST: Final = 300  # characters in backticks; longer runs are between unrelated backticks
_TICKS: Final = re.compile(r"`+|\n")
#: Other beginnings of indented text: the text of a term, and a footnote.
_TERM: Final = re.compile(r"[ \t]*:[ \t]+(?=\S)")
_FOOTNOTE: Final = re.compile(r"[ \t]*\[\^[^\]\n]{1,99}\]:")
_CHARACTER: Final = re.compile(
    r"&(?:#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));"
)


def in_backticks(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the start and end of code in backticks within a line, with its backticks: the same
    number on both sides, and at most 300 characters between them. Takes time linear in the text."""
    runs: list[tuple[int, int]] = []
    for one in _TICKS.finditer(text, start, len(text) if end is None else end):
        if one[0] == "\n":
            yield from _paired(runs)
            runs.clear()
        else:
            runs.append(one.span())
    yield from _paired(runs)


def _paired(runs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the places from each run of backticks of a line to the next of its length."""
    nearest: dict[int, int] = {}
    following = [0] * len(runs)
    for place in range(len(runs) - 1, -1, -1):
        size = runs[place][1] - runs[place][0]
        following[place] = nearest.get(size, 0)
        nearest[size] = place
    place = 0
    while place < len(runs):
        close = following[place]
        if close and runs[close][0] - runs[place][1] <= _LONGEST:
            yield runs[place][0], runs[close][1]
            place = close
        place += 1


def code_of(text: str, start: int = 0) -> list[tuple[int, int]]:
    """Return the places of code in a Markdown text from `start` on, in order: fences, to the end of
    the text if they are not closed, and code in backticks. Takes time linear in the text."""
    found: list[tuple[int, int]] = []
    at = begun = start
    fence: Fence | None = None
    for line in text[start:].splitlines(keepends=True):
        words, end = at, at + len(line)
        if fence is not None and (stop := fence.end(line)) >= 0:
            words, fence = at + stop, None
            found.append((begun, words))
        elif fence is None and (fence := fence_of(line)) is not None:
            begun = at + fence.at
        if fence is None:
            found += in_backticks(text, words, end)
        at = end
    return [*found, (begun, len(text))] if fence is not None else found


def verbatim(text: str, start: int, language: str) -> list[tuple[int, int]]:
    """Return the places of code on a page from `start` on, in order: fences, code in backticks, and
    lines after a blank line with an indent of 4 or more relative to the text that they belong to.
    HTML has none, MDX has no indented code. Takes time linear in the text."""
    if language == "html":
        return []
    found = code_of(text, start)
    if language == "mdx":
        return found
    apart: list[tuple[int, int]] = []
    for begin, end in sorted([*found, *_indented(text, start)]):
        if apart and begin < apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((begin, end))
    return apart


def _indented(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the lines of indented code. The beginning of a passage is text, whatever its indent: it
    may continue an item that is not in the passage."""
    at, least, is_apart = start, -1, False
    for line in text[start:].splitlines(keepends=True):
        if bare := line.lstrip():
            indent = _width(line[: len(line) - len(bare)])
            if is_apart and 0 <= least <= indent:
                yield at, at + len(line)
            else:
                item = ITEM.match(line) or _TERM.match(line)
                if item or BOX.match(line) or _FOOTNOTE.match(line):
                    least = (_width(item[0]) if item else indent + _INDENT) + _INDENT
                elif least < 0 or (is_apart and indent < least - _INDENT):
                    least = indent + _INDENT
                is_apart = False
        else:
            is_apart = True
        at += len(line)


def _width(blank: str) -> int:
    return len(blank.expandtabs(_INDENT))


def decoded(words: str, code: Iterable[tuple[int, int]]) -> str:
    """Return the words with character references such as `&lt;` decoded, except within the places
    of `code`. The length stays the same: each is filled up with `UNSEEN`. References without a
    semicolon are left, such as `&copy=2` in an address."""
    if "&" not in words:
        return words
    parts: list[str] = []
    at = 0
    for start, end in code:
        parts += _CHARACTER.sub(_character, words[at:start]), words[start:end]
        at = end
    return "".join((*parts, _CHARACTER.sub(_character, words[at:])))


def _character(found: re.Match[str]) -> str:
    name = found[1]
    said = found[0] if name and f"{name};" not in html5 else unescape(found[0])
    return said.ljust(len(found[0]), UNSEEN)
