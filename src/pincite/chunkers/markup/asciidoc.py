"""Cut AsciiDoc and Org into sections by headings, and keep delimited blocks whole."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from pincite.chunkers.text import Heading, headed_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pincite.chunkers.lines import Lines
    from pincite.chunkers.pieces import Path, Piece

#: A line that opens a block. The next equal line closes it.
_DELIMITER = re.compile(r"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|={4,}|\*{4,}|_{4,}|--|`{3,}|[|,:!]={3,})\Z")
_MARKED = re.compile(r"(={1,6}|#{1,6})[ \t]+(?=\S)")
_UNDERLINES = "=-~^+"  # by level, from the title of the document
#: Lines before a heading: its anchor and attributes.
_ABOVE = re.compile(r"\[[^\]\n]*\]\]?\Z")
_ANCHOR = re.compile(r"\[\[[^\]\n]*\]\]")
_STARS = re.compile(r"(\*+)[ \t]+(?=\S)")
_KEYWORD = re.compile(r"(?:TODO|DONE)[ \t]+")
_TAGS = re.compile(r"(?<=[ \t]):[\w@#%:]+:\Z")


def asciidoc_pieces(lines: Lines, room: Callable[[Path], float]) -> Iterator[Piece]:
    """Yield sections by the headings of AsciiDoc: `== Title`, or a title above an underline of its
    length. Delimited blocks have no headings, and stay whole if they fit."""
    headings: list[Heading] = []
    blocks: list[tuple[int, int]] = []
    bare = [line.rstrip() for line in lines.lines]
    left = Counter(line for line in bare if _DELIMITER.match(line))
    opened, closing = 0, ""
    for number, line in enumerate(bare):
        delimits = line in left
        if delimits:
            left[line] -= 1
        if closing:
            if line == closing:
                blocks.append((opened, number + 1))
                closing = ""
        elif heading := _heading(bare, number, headings[-1].last if headings else 0):
            headings.append(heading)
        elif delimits and left[line]:
            opened, closing = number, line
    return headed_pieces(lines, headings, room, blocks)


def _heading(lines: list[str], number: int, after: int) -> Heading | None:
    """Return the heading that ends in this line, or None. It cannot begin before `after`."""
    line = lines[number]
    if marked := _MARKED.match(line):
        title = line[marked.end() :]
        ending = marked[1]
        if title.endswith(ending) and title[: -len(ending)].endswith((" ", "\t")):
            title = title[: -len(ending)]
        return Heading(_above(lines, number, after), number + 1, len(ending), _plain(title))
    mark = line[:1]
    if len(line) < 2 or mark not in _UNDERLINES or line != mark * len(line) or number <= after:
        return None
    title = lines[number - 1]
    if abs(len(title) - len(line)) > 1 or not title[:1].isalnum():
        return None
    first = _above(lines, number - 1, after)
    if first > after and lines[first - 1]:
        return None  # the last line of a paragraph
    return Heading(first, number + 1, 1 + _UNDERLINES.index(mark), _plain(title))


def _above(lines: list[str], number: int, after: int) -> int:
    """Return the first line of the anchors and attributes directly above a line."""
    while number > after and _ABOVE.match(lines[number - 1]):
        number -= 1
    return number


def _plain(title: str) -> str:
    return _ANCHOR.sub("", title)


def org_pieces(lines: Lines, room: Callable[[Path], float]) -> Iterator[Piece]:
    """Yield sections by the headings of Org (`** Title`), without keywords and tags. Blocks from
    `#+begin_` to `#+end_` stay whole if they fit."""
    headings: list[Heading] = []
    blocks: list[tuple[int, int]] = []
    opened, closing = 0, ""
    for number, line in enumerate(lines.lines):
        said = line.strip().lower() if line.lstrip().startswith("#+") else ""
        if closing and said.startswith(closing):
            blocks.append((opened, number + 1))
            closing = ""
        elif said.startswith("#+begin_"):
            opened, closing = number, "#+end_" + said[8:].partition(" ")[0]
        elif stars := _STARS.match(line):  # in blocks, Org puts a comma before a star
            closing = ""
            title = _TAGS.sub("", _KEYWORD.sub("", line[stars.end() :].rstrip(), count=1))
            headings.append(Heading(number, number + 1, len(stars[1]), title))
    return headed_pieces(lines, headings, room, blocks)
