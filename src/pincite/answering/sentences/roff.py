"""Sentences of a manual page, without requests and escapes of roff."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import accumulate
from typing import Final

from pincite.answering.sentences.split import Sentence, split
from pincite.support.fields import replace
from pincite.support.finding.unseen import UNSEEN
from pincite.support.roff.reader import Line, read_roff, shown_of, words_of

_BLANK: Final = f" \t\r\n{UNSEEN}"
_HEADINGS: Final = frozenset(("title", "section", "subsection"))
_APART: Final = _HEADINGS | {"code", "row"}  # lines that are sentences of their own
_JOINED: Final = frozenset(("text", "term", "hidden"))  # lines of which sentences consist
_UNSEEN_LINE: Final = f"{UNSEEN} "  # repeated; one repeated character would be a rule below a title
_MARKS: Final = ".:;,?!。！？：、"
_SENTENCE_ENDS: Final = tuple(".:?!。！？：")
_BEHIND_BARE_TERMS: Final = frozenset(("term", "end", "outdent", "paragraph", *_HEADINGS))
_BULLETS: Final = frozenset("•·○▪-*o")
_NUMBER: Final = re.compile(r"\d{1,3}[.)]")
#: Lines after which a line above an indented text is a term.
_BEFORE_TERMS: Final = frozenset(("", "break", "paragraph", "outdent", "close", *_HEADINGS))


def words_of_roff(text: str) -> tuple[str, tuple[Sentence, ...]]:
    """Return the text as displayed, and its sentences. The text has the same length; hidden
    characters are `UNSEEN`. A term belongs to the sentence that follows it, after a colon if there
    is room for one. Lines of code, rows of tables and headings are separate sentences. Takes time
    linear in the text."""
    page, terms, indents = _with_items(read_roff(text))
    prose: list[str] = []
    above = ""  # the last words
    shared, bare = _terms_without_text(page)
    for at, line in enumerate(page):
        is_above = line.kind == "text" and _kind_at(page, at + 1) == "indent"
        if is_above or (line.kind == "term" and at not in bare):
            page[at] = line = line._replace(words=_with_colon(line.words))
        is_told = at - 1 in terms or above[-1:] not in _SENTENCE_ENDS
        goes_on = line.kind == "indent" and is_told
        if line.kind in _JOINED and line.words.strip(_BLANK):
            begins = line.kind == "term" and line.words[0] == UNSEEN and at not in shared
            prose.append(f"\n{line.words[1:]}" if begins else line.words)
        else:
            filled = _UNSEEN_LINE if goes_on or line.kind in _JOINED else " "
            prose.append((filled * len(line.words))[: len(line.words)])
        above = shown_of(line).strip() or above
    places = _places(page, terms, indents)
    joined = "\n".join(prose)
    found = [*_trimmed(split(joined), joined, page, places), *_apart(page, places)]
    return words_of(page), tuple(_numbered(sorted(found, key=lambda one: one.start)))


def _with_items(page: list[Line]) -> tuple[list[Line], frozenset[int], frozenset[int]]:
    """Return the page with the items that DocBook and Asciidoctor write without a request, and the
    numbers of two kinds of lines: terms above an indented text, and `.RS` above a bullet or a
    number."""
    terms: list[int] = []
    indents: list[int] = []
    above, was = "", 0  # the last line that is not hidden
    for at, line in enumerate(page):
        if line.kind == "text":
            said = shown_of(line).strip()
            if above == "indent" and (said in _BULLETS or _NUMBER.fullmatch(said)):
                page[at] = line._replace(words=" " * len(line.words), kind="item")
                indents.append(was)
            elif above in _BEFORE_TERMS and _kind_at(page, at + 1) == "indent":
                is_sentence = said.endswith(_SENTENCE_ENDS) and not said.endswith("...")
                if said and not is_sentence:
                    page[at] = line._replace(kind="term")
                    terms.append(at)
        if line.kind != "hidden":
            above, was = line.kind, at
    return page, frozenset(terms), frozenset(indents)


def _terms_without_text(page: Sequence[Line]) -> tuple[Set[int], Set[int]]:
    """Return the numbers of two kinds of lines: terms directly below another term that share the
    text that follows, and terms without any text, as in a list of names."""
    shared: set[int] = set()
    bare: set[int] = set()
    following, number, ends = "", -1, ""  # the next displayed line, and the kind after terms
    for at in range(len(page) - 1, -1, -1):
        kind = page[at].kind
        if kind == "hidden":
            continue
        if kind == "term":
            if following != "term":
                ends = following
            if following == "term" and ends in ("text", "indent"):
                shared.add(number)
            elif following in _BEHIND_BARE_TERMS:
                bare.add(at)
        following, number = kind, at
    return shared, bare


def _kind_at(page: Sequence[Line], number: int) -> str:
    return page[number].kind if number < len(page) else ""


def _with_colon(words: str) -> str:
    """Return the words of a term with a colon after them, if there is room and they have no
    punctuation."""
    bare = words.rstrip(_BLANK)
    room = words[len(bare) : len(bare) + 1] == UNSEEN and bare[-1:] not in _MARKS
    return f"{bare}:{words[len(bare) + 1 :]}" if room else words


def _trimmed(
    found: Iterable[Sentence], prose: str, page: Sequence[Line], places: Sequence[tuple[int, int]]
) -> Iterator[Sentence]:
    """Yield the sentences without hidden characters around them. Sentences at the beginning of a
    term or an item are items."""
    starts = [line.start for line in page]
    kinds = [*accumulate((line.kind for line in page), _last_shown)]
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
        above = kinds[number - 1] if number else ""
        is_item = one.item or (first and (page[number].kind == "term" or above == "item"))
        depth, list_number = places[number]
        marked = replace(one, start=start, end=start + len(bare), item=is_item, depth=depth)
        is_term = page[number].kind == "term"
        mark = f"{'term' if is_term else 'item'} {list_number}"
        yield replace(marked, depth=depth - depth % 2, mark=mark) if is_item else marked


def _last_shown(before: str, kind: str) -> str:
    return before if kind == "hidden" else kind


def _places(page: Iterable[Line], terms: Set[int], indents: Set[int]) -> list[tuple[int, int]]:
    """Return the depth of each line and the number of its list. Items have even depths, other lines
    of an item are one deeper. Each item of DocBook with a bullet has its own `.RS`, and they are
    items of one list. The text about a term above `.RS` ends with it."""
    found: list[tuple[int, int]] = []
    lists, in_items, last = [0], [0], 0  # of those that are open
    ends = [False]  # whether they end their item
    for number, line in enumerate(page):
        if line.kind in _HEADINGS:
            last += 1
            lists, in_items, ends = [last], [0], [False]
        elif line.kind in ("indent", "list"):
            last += number not in indents
            lists.append(lists[-1] if number in indents else last)
            in_items.append(0)
            ends.append(number - 1 in terms)
        elif line.kind in ("outdent", "end") and len(lists) > 1:
            lists.pop()
            in_items.pop()
            if ends.pop():
                in_items[-1] = 0
        elif line.kind in ("item", "term", "paragraph"):
            in_items[-1] = int(line.kind != "paragraph")
        found.append((2 * len(lists) - 2 + in_items[-1], lists[-1]))
    return found


def _apart(page: Sequence[Line], places: Sequence[tuple[int, int]]) -> Iterator[Sentence]:
    """Yield the lines that are separate sentences. All lines of code up to the end of a block have
    one mark."""
    blocks = 0
    for line, (depth, _) in zip(page, places, strict=True):
        blocks += line.kind == "close"
        if line.kind in _APART and (bare := line.words.strip(_BLANK)):
            lead = line.words[: line.words.index(bare[0])] if line.kind != "code" else ""
            start = line.start + len(lead)
            end = line.start + len(line.words.rstrip(_BLANK))
            code, heading = line.kind == "code", line.kind in _HEADINGS
            row = line.kind == "row"
            mark = f"code {blocks}" if code else ""
            yield Sentence(start, end, 0, code, heading, item=row, row=row, depth=depth, mark=mark)


def _numbered(found: Iterable[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences with their paragraphs; separate lines belong to the paragraph above."""
    paragraph = 0
    for one in found:
        if one.code or one.heading or one.item:
            paragraph = max(paragraph, one.paragraph)
        else:
            paragraph = one.paragraph
        yield replace(one, paragraph=paragraph)
