"""Markdown syntax at the beginning of a line: list items, admonitions, tabs, code fences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

#: An item of a list, up to its text.
ITEM: Final = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+")
#: The line that begins a box or a tab of MkDocs or a box of Docusaurus, with the title if it has
#: one.
BOX: Final = re.compile(
    r"[ \t]*+(?:"
    r"(?:(?:!!!|\?\?\?\+?)[ \t]*[\w-]+(?>(?:[ \t]+[\w-]+)*)|===[!+]?(?=[ \t]+\"))"
    r"(?:[ \t]+\"(?P<title>[^\"\n]*)\")?"
    r"|:{3,}[ \t]*[\w.-]+(?:[ \t]*\[(?P<named>[^\]\n]*)\]|[ \t]++(?P<bare>[^{}\n]*+))?"
    r"(?:\{[^}\n]*\})?"
    r")\s*\Z"
)
_FENCE: Final = re.compile(
    r"[ \t]*+(?>(?P<quote>>[ \t]*+)*)(?>(?:(?:[-*+•]|\d{1,3}[.)])[ \t]++)*)"
    r"(?:(?P<ticks>`{3,}+)(?![^\n]*`)|(?P<tildes>~{3,}+)(?![^\n]*~~~))"
)
_QUOTE: Final = re.compile(r"[ \t]*(?:>[ \t]*)*")


@dataclass(frozen=True, slots=True)
class Fence:
    """The beginning of a block of code, with its `mark` at position `at` of its line. If it
    `is_quoted`, the end of the quote also ends it."""

    mark: str
    at: int = 0
    is_quoted: bool = False

    def end(self, line: str) -> int:
        """Return the position at which the text after the block begins in a later line: after the
        marks that end the block, 0 if the quote has ended, -1 if the line is within the block. A
        citation or words may follow the marks."""
        before = _QUOTE.match(line)
        at = before.end() if before else 0
        if self.is_quoted and ">" not in line[:at]:
            return 0
        rest = line[at:] if self.is_quoted else line.lstrip(" \t")
        marks = len(rest) - len(rest.lstrip(self.mark[0]))
        if marks < len(self.mark) or not (rest[marks : marks + 1] in "[" or rest[marks].isspace()):
            return -1
        return len(line) - len(rest) + marks


def fence_of(line: str) -> Fence | None:
    """Return the fence that a line begins, also in an item or a quote. Code between three backticks
    within a line is not a fence."""
    match = _FENCE.match(line)
    if match is None:
        return None
    name = "ticks" if match["ticks"] else "tildes"
    return Fence(match[name], match.start(name), match["quote"] is not None)


def title_of(box: re.Match[str]) -> tuple[int, int]:
    """Return the start and end of the title of a `BOX` in its line, an empty range if it has
    none."""
    for name in ("title", "named", "bare"):
        if (box[name] or "").strip():
            return box.span(name)
    return 0, 0
