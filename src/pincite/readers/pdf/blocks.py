"""Decisions over several pages: margins, hyphenation, heading levels, tables that continue."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pincite.readers.pdf.figures import NO_CAPTION, with_captions
from pincite.readers.pdf.layout import Block, Line, around
from pincite.readers.pdf.line_ends import words_of
from pincite.readers.pdf.margins import marginal_lines
from pincite.readers.pdf.pages import Column, Page
from pincite.readers.pdf.paragraphs import (
    body_size,
    joined,
    leading_of,
    levels_of,
    may_be_heading,
    paragraphs_of,
)  # fmt: skip
from pincite.support.fields import replace

_SAME_COLUMNS: Final = 3.0  # points that the columns of a table may move by from page to page
_MOST_TITLES: Final = 500  # bookmarks of one page
Looks = tuple[float, bool]
Outline = Sequence[tuple[int, int, str]]


def blocks_of(pages: Sequence[Page], outline: Outline) -> list[list[Block]]:
    """Return the blocks of each page in reading order. Running headers come first, footers last.
    `outline` has the bookmarks as (page from 0, level, title)."""
    margins = marginal_lines([(page.height, page.lines) for page in pages])
    words = words_of([line for page in pages for line in page.lines])
    leading = leading_of([_lines(column) for page in pages for column in page.columns])
    found = [
        _page_blocks(page, marginal, words, leading)
        for page, marginal in zip(pages, margins, strict=True)
    ]
    body = body_size([line for page in pages for line in page.lines])
    found = _with_headings(found, body, outline)
    return _with_headers([with_captions(blocks) for blocks in found])


def _lines(column: Column) -> list[Line]:
    return [one for one in column if isinstance(one, Line)]


def _page_blocks(
    page: Page, marginal: Collection[int], words: Collection[str], leading: float
) -> list[Block]:
    top: list[Block] = []
    main: list[Block] = []
    bottom: list[Block] = []
    for line in sorted(page.lines, key=lambda one: (one.middle, one.left)):
        if id(line) in marginal:
            block = Block(*around([line]), "paragraph", "", (line,), marginal=True)
            (top if line.middle < page.height / 2 else bottom).append(block)
    for column in page.columns:
        lines: list[Line] = []
        blocks: list[Block] = []
        for one in column:
            if isinstance(one, Line):
                if id(one) not in marginal:
                    lines.append(one)
                continue
            blocks += [*paragraphs_of(lines, leading), _with_text(one)]
            lines = []
        blocks += paragraphs_of(lines, leading)
        if main and blocks and _goes_on(main[-1], blocks[0]):
            both = [main.pop(), blocks.pop(0)]
            parts = (*both[0].lines, *both[1].lines)
            main.append(Block(*around(both), "paragraph", "", parts))
        main += blocks
    found = [_with_words(one, words) for one in [*top, *main, *bottom]]
    return [one for one in found if one.text.strip()]


def _goes_on(last: Block, first: Block) -> bool:
    """Return whether a paragraph continues in the next column."""
    if not last.lines or not first.lines or last.bottom < first.top:
        return False
    before, after = last.lines[-1], first.lines[0]
    same = before.style == after.style and not before.style.mono
    return same and not before.text.endswith((".", "!", "?", ":")) and after.text[0].islower()


def _with_words(block: Block, words: Collection[str]) -> Block:
    return replace(block, text=joined(block.lines, words)) if block.lines else block


def _with_text(block: Block) -> Block:
    if block.kind == "table":
        text = "\n".join(" | ".join(row) for row in block.rows)
        return replace(block, text="\n".join(line.strip() for line in text.split("\n")))
    return replace(block, text=block.text or NO_CAPTION)


def _with_headings(
    pages: Sequence[Sequence[Block]], body: float, outline: Outline
) -> list[list[Block]]:
    """Return the blocks with paragraphs turned into headings: those that a bookmark names, and
    those that look like a heading. A look (size, bold) gets the most frequent level of the
    bookmarks with that look."""
    named: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for page, level, title in outline:
        if len(named[page]) < _MOST_TITLES:
            named[page].setdefault(_bare(title[:400]), min(6, level))
    levels: dict[int, int] = {}
    seen: defaultdict[Looks, Counter[int]] = defaultdict(Counter)
    likely: dict[int, Looks] = {}
    for page, blocks in enumerate(pages):
        for block in blocks:
            if block.kind != "paragraph" or block.marginal or not block.lines:
                continue
            looks = block.lines[0].style.size, block.lines[0].style.bold
            level = _named(block.text, named.get(page, {}))
            if level:
                levels[id(block)] = level
                seen[looks][level] += 1
            elif may_be_heading(block, body):
                likely[id(block)] = looks
    by_looks: dict[Looks, int] = dict(levels_of(set(likely.values()) | set(seen)))
    by_looks |= {looks: counts.most_common(1)[0][0] for looks, counts in seen.items()}
    levels |= {block: by_looks[looks] for block, looks in likely.items()}
    return [
        [
            replace(one, kind="heading", level=levels[id(one)]) if id(one) in levels else one
            for one in blocks
        ]
        for blocks in pages
    ]


def _named(text: str, titles: Mapping[str, int]) -> int:
    """Return the level of the bookmark with this title, or 0. The title may lack the number at the
    start of the text."""
    bare = _bare(text)
    if not titles or not bare or len(bare) > 300:
        return 0
    if bare in titles:
        return titles[bare]
    for title, level in titles.items():
        number = bare.removesuffix(title)
        if len(title) > 2 and number != bare and len(number) <= 12:
            return level
    return 0


def _bare(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _with_headers(pages: Sequence[Sequence[Block]]) -> list[list[Block]]:
    """Return the blocks with the header row of each table. A table that continues from the previous
    page gets the header of that one."""
    found: list[list[Block]] = []
    open_table: Block | None = None
    for blocks in pages:
        own: list[Block] = []
        flowing = [one for one in blocks if not one.marginal]
        for block in blocks:
            if block.kind == "table":
                first = block is flowing[0]
                goes_on = first and open_table is not None and _same_columns(open_table, block)
                header = open_table.header if goes_on and open_table else " | ".join(block.rows[0])
                block = replace(block, header=header.strip())
                if flowing[-1].kind == "table" and flowing[-1].top == block.top:
                    flowing[-1] = block
            own.append(block)
        found.append(own)
        last = flowing[-1] if flowing else None
        open_table = last if last is not None and last.kind == "table" else None
    return found


def _same_columns(one: Block, other: Block) -> bool:
    return len(one.columns) == len(other.columns) and all(
        abs(left - right) <= _SAME_COLUMNS
        for left, right in zip(one.columns, other.columns, strict=True)
    )
