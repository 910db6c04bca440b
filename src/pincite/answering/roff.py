"""Sentences of a manual page, without requests and escapes of roff."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pincite.answering.sentences import Sentence, split
from pincite.support.fields import replace
from pincite.support.finding.unseen import UNSEEN
from pincite.support.roff.reader import Line, read_roff, shown_of, words_of

_BLANK: Final = f" \t\r\n{UNSEEN}"
_HEADINGS: Final = frozenset(("title", "section", "subsection"))
_APART: Final = _HEADINGS | {"code", "row"}  # lines that are by themselves
_JOINED: Final = frozenset(("text", "term", "hidden"))  # lines of which sentences consist
_UNSEEN_LINE: Final = f"{UNSEEN} "  # repeated; one sign alone would be a rule below a title
_MARKS: Final = ".:;,?!。！？：、"
_SENTENCE_ENDS: Final = tuple(".:?!。！？：")


def words_of_roff(text: str) -> tuple[str, tuple[Sentence, ...]]:
    """The text as it is displayed, and its sentences. The text has the same length, and what is not
    displayed is `UNSEEN`. A term belongs to the sentence that follows it, behind a colon if there
    is room for it. Lines of code, rows of tables and headings are by themselves. Takes time linear
    in the text."""
    page = read_roff(text)
    prose: list[str] = []
    above = ""  # the last words
    for at, line in enumerate(page):
        following = page[at + 1].kind if at + 1 < len(page) else ""
        if line.kind == "term" or (line.kind == "text" and following == "indent"):
            page[at] = line = line._replace(words=_with_colon(line.words))
        goes_on = line.kind == "indent" and above[-1:] not in _SENTENCE_ENDS
        if line.kind in _JOINED and line.words.strip(_BLANK):
            prose.append(line.words)
        else:
            filled = _UNSEEN_LINE if goes_on or line.kind in _JOINED else " "
            prose.append((filled * len(line.words))[: len(line.words)])
        above = shown_of(line).strip() or above
    found = [*_trimmed(split("\n".join(prose)), "\n".join(prose), page), *_apart(page)]
    return words_of(page), tuple(_numbered(sorted(found, key=lambda one: one.start)))


def _with_colon(words: str) -> str:
    """The words of a term with a colon behind them, if there is room and they have no mark."""
    bare = words.rstrip(_BLANK)
    room = words[len(bare) : len(bare) + 1] == UNSEEN and bare[-1:] not in _MARKS
    return f"{bare}:{words[len(bare) + 1 :]}" if room else words


def _trimmed(found: Iterable[Sentence], prose: str, page: Sequence[Line]) -> Iterator[Sentence]:
    """The sentences without what is not displayed around them. Those at the beginning of a term or
    an item are items."""
    starts = [line.start for line in page]
    places = _places(page)
    end_of_last = 0
    for one in found:
        part = prose[one.start : one.end]
        bare = part.strip(_BLANK)
        if not bare:
            continue
        start = one.start + len(part) - len(part.lstrip(_BLANK))
        number = bisect_right(starts, start) - 1
        first = end_of_last <= starts[number]
        end_of_last = one.end
        above = page[number - 1].kind if number else ""
        is_item = one.item or (first and (page[number].kind == "term" or above == "item"))
        depth, list_number = places[number]
        marked = replace(one, start=start, end=start + len(bare), item=is_item, depth=depth)
        is_term = page[number].kind == "term"
        mark = f"{'term' if is_term else 'item'} {list_number}"
        yield replace(marked, depth=depth - depth % 2, mark=mark) if is_item else marked


def _places(page: Iterable[Line]) -> list[tuple[int, int]]:
    """Of each line how deep it stands, and the number of its list. Items stand at even depths,
    what else belongs to them one deeper."""
    found: list[tuple[int, int]] = []
    lists, in_items, last = [0], [0], 0  # of those that are open
    for line in page:
        if line.kind in _HEADINGS:
            last += 1
            lists, in_items = [last], [0]
        elif line.kind in ("indent", "list"):
            last += 1
            lists.append(last)
            in_items.append(0)
        elif line.kind in ("outdent", "end") and len(lists) > 1:
            lists.pop()
            in_items.pop()
        elif line.kind in ("item", "term", "paragraph"):
            in_items[-1] = int(line.kind != "paragraph")
        found.append((2 * len(lists) - 2 + in_items[-1], lists[-1]))
    return found


def _apart(page: Sequence[Line]) -> Iterator[Sentence]:
    for line, (depth, _) in zip(page, _places(page), strict=True):
        if line.kind in _APART and (bare := line.words.strip(_BLANK)):
            lead = line.words[: line.words.index(bare[0])] if line.kind != "code" else ""
            start = line.start + len(lead)
            end = line.start + len(line.words.rstrip(_BLANK))
            code, heading = line.kind == "code", line.kind in _HEADINGS
            row = line.kind == "row"
            yield Sentence(start, end, 0, code, heading, item=row, row=row, depth=depth)


def _numbered(found: Iterable[Sentence]) -> Iterator[Sentence]:
    """The sentences; those that are by themselves are of the paragraph above."""
    paragraph = 0
    for one in found:
        if one.code or one.heading or one.item:
            paragraph = max(paragraph, one.paragraph)
        else:
            paragraph = one.paragraph
        yield replace(one, paragraph=paragraph)
