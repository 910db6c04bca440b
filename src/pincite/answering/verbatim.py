"""What Markdown shows as it is written, and characters that markup names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from html.entities import html5
from typing import Final

#: In place of each character that is not displayed.
UNSEEN: Final = "\0"
_CODE: Final = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|``[^\n]*?``(?!`)|`[^`\n]*`", re.DOTALL
)
_INDENT: Final = 4  # of code, beyond that of what it belongs to
#: What indented lines below belong to, and where its own text begins: an item of a list, a box or
#: a tab of MkDocs, a footnote, the text of a term.
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)]|:)[ \t]+(?=\S)")
_BOX: Final = re.compile(r"[ \t]*(?:!!!|\?\?\?|===|\[\^[^\]\n]{1,99}\]:)")
_CHARACTER: Final = re.compile(
    r"&(?:#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));"
)


def verbatim(text: str, start: int, language: str) -> list[tuple[int, int]]:
    """Where the code of a page stands from `start` on, in order: fences, code in backticks, and
    lines that are indented by 4 more than what they belong to, after a blank line. HTML has none,
    MDX no indented lines. Takes time linear in the text."""
    if language == "html":
        return []
    found = [one.span() for one in _CODE.finditer(text, start)]
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
    """The lines of indented code. What a passage begins with is text, however far it is indented:
    it may go on with an item that is not there."""
    at, least, is_apart = start, -1, False
    for line in text[start:].splitlines(keepends=True):
        if bare := line.lstrip():
            indent = _width(line[: len(line) - len(bare)])
            if is_apart and 0 <= least <= indent:
                yield at, at + len(line)
            else:
                item = _ITEM.match(line)
                if item or _BOX.match(line):
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
    """The words with `&lt;` and its like as characters, except within the places of `code`. The
    length stays the same: each is filled up with `UNSEEN`. What has no semicolon is left, such as
    `&copy=2` of an address."""
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
