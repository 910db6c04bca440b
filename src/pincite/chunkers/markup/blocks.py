"""The blocks of Markdown, and those that site generators add: front matter, tabs, admonitions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from pincite.readers.front_matter_end import end_of_front_matter
from pincite.readers.inline_markup import without_closing_marks
from pincite.support.possessive import possessive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    from pincite.chunkers.lines import Lines

LABEL = re.compile(
    r"\s*+(?:!!!|\?\?\?\+?|===[!+]?)(?:\s[\w\s-]*+(?:(?<=\s)\"(?P<title>[^\"]*+)\"\s*+)?)?"
)  #: the line above an indented block: `!!! note "Title"`, `??? tip`, `=== "Python"`
_ATX = re.compile(possessive(r"(?:>|[-*+]|\d++[.)])\s*+") + r"#{1,6}(?!\S)")
_DEEPEST = 6  # nested labelled blocks


def parse_blocks(lines: Lines, first: int, last: int, columns: int) -> list[Token]:
    """Return the tokens of a range of lines whose content is indented by `columns`. The result is
    cached in `lines`, because chunks, anchors and tables need it."""
    known: list[Token] | None = lines.parsed.get((first, last, columns))
    if known is None:
        # the parser would treat a lone "\r" as a newline
        source = "\n".join(_dedent(line, columns) for line in lines.lines[first:last])
        known = _parser().parse(source.replace("\r", " "))
        lines.parsed[first, last, columns] = known
    return known


def heading_lines(
    lines: Lines, first: int, last: int, columns: int = 0, depth: int = 0
) -> Iterator[tuple[int, int]]:
    """Yield (line, level) of all headings in a range of lines, in order, including those in lists,
    quotes, tabs and admonitions."""
    skip_until = first
    for token in parse_blocks(lines, first, last, columns):
        if token.map is None or token.nesting < 0 or first + token.map[0] < skip_until:
            continue
        line = first + token.map[0]
        if token.type == "heading_open":
            yield line, int(token.tag[1])
        elif (
            token.type == "paragraph_open"
            and depth < _DEEPEST
            and LABEL.fullmatch(lines.lines[line])
        ):
            end = labelled_end(lines, line, last)
            if end > line + 1:
                inner = lines.indent(line) + 4
                yield from heading_lines(lines, line + 1, end, inner, depth + 1)
                skip_until = end


def heading_source(lines: Lines, line: int) -> str:
    """Return the text of a heading with its inline markup, without the `#` signs."""
    text = lines.lines[line].strip()
    match = _ATX.match(text)
    return without_closing_marks(text[match.end() :]) if match else text


def labelled_end(lines: Lines, first: int, last: int) -> int:
    """Return the line after an admonition's or tab's indented content."""
    indent = lines.indent(first) + 4
    end = first + 1
    for line in range(first + 1, last):
        if lines.blank[line]:
            continue
        if lines.indent(line) < indent:
            break
        end = line + 1
    return end


def front_matter_end(lines: Lines) -> int:
    """Return the line after YAML (`---`) or TOML (`+++`) front matter, 0 if there is none."""
    end = end_of_front_matter(lines.text)
    return lines.line_at(end - 1) + 1 if end else 0


def _dedent(line: str, columns: int) -> str:
    if not columns or line[:columns].isspace():
        return line[columns:]
    return line.lstrip()


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")  # tables are found by `_is_table`, much faster
    parser.core.ruler.disable(["inline", "text_join"])
    return parser
