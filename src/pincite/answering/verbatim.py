"""What Markdown shows as it is written, and characters that markup names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape
from html.entities import html5
from typing import Final

#: In place of each character that is not displayed.
UNSEEN: Final = "\0"
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)
_CHARACTER: Final = re.compile(
    r"&(?:#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));"
)


def verbatim(text: str, start: int) -> list[tuple[int, int]]:
    """Where the code of a page in Markdown stands from `start` on, in order. Takes time linear in
    the text."""
    return [one.span() for one in _CODE.finditer(text, start)]


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
