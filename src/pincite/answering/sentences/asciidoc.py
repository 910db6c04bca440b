"""Marks of AsciiDoc: blocks between delimiters, and lines without text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

#: The line that begins and ends a block.
_DELIMITER: Final = re.compile(r"([-.=*/])\1{3,}")
_SIZE: Final = 4  # of a delimiter, by convention
#: The line before a block: its style, its title, or a mark that joins it to an item.
_STYLE: Final = re.compile(r"\[(?!\[).*\]|\+|\.[^\W\d_].*")
_ATTRIBUTES: Final = (
    r"\[(?:[#.%][^\]]*|(?:source|listing|verse|quote|horizontal|example|NOTE|TIP|WARNING|IMPORTANT"
    r"|CAUTION|synopsis)(?:,[^\]]*)?|(?:cols|options|role|width|subs)=[^\]]*)\]"
)
#: A style line that no other language has.
_OWN_STYLE: Final = re.compile(_ATTRIBUTES)
#: Anchors, attributes of blocks, and conditions.
MARK: Final = re.compile(
    rf"\[\[[^\W\d][^\s\[\]]*\]\]|{_ATTRIBUTES}|(?:ifdef|ifndef|endif|include)::.*"
)
#: Comments and attributes of the page; they look like text of other languages.
COMMENT: Final = re.compile(r"//(?!/).*|:!?[\w-]{1,60}!?:(?:[ \t].*)?")
#: An anchor before the text of its line.
ANCHOR: Final = re.compile(r"[ \t]*\[\[[^\W\d][^\s\[\]]*\]\](?=\S)")

Kind = Literal["code", "prose", "comment"]


def blocks_of(lines: Sequence[str], language: str) -> Mapping[int, Kind]:
    """Return the kinds of the blocks in a text with these lines, by the position of the first
    delimiter. Rules of other languages look alike, so there are blocks only in AsciiDoc, and in
    plain text below `[source]` and similar lines. AsciiDoc itself has rules above and below a
    title, and between sections. Takes time linear in the text."""
    blocks: dict[int, Kind] = {}
    if language not in ("asciidoc", "text"):
        return blocks
    style = _STYLE if language == "asciidoc" else _OWN_STYLE
    next_of: dict[str, int] = {}
    at, blank = sum(map(len, lines)), len(lines)
    for number in range(len(lines) - 1, -1, -1):
        at -= len(lines[number])
        bare = lines[number].rstrip()
        if not bare:
            blank = number
        elif _DELIMITER.fullmatch(bare):
            end = next_of.get(bare, 0)
            next_of[bare] = number
            inside = [*lines[number + 1 : number + 2], *lines[max(0, end - 1) : end]]
            styled = number > 0 and style.fullmatch(lines[number - 1].strip()) is not None
            exact = len(bare) == _SIZE
            overlined = end == number + 2 and len(bare) >= len(inside[0].strip())
            if end <= number or (language == "text" and not styled):
                continue
            if bare[0] == "/":
                blocks[at] = "comment"
            elif end == number + 1 or (overlined and not (styled and exact)):
                continue
            elif exact and (styled or all(map(str.strip, inside))):
                blocks[at] = "code" if bare[0] in "-." else "prose"
            elif blank > end:
                blocks[at] = "prose"
    return blocks
