"""Extend a sentence of the evidence by what belongs to it, and cut both for display."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from itertools import islice
from typing import Final

from pincite.answering.sentences.blocks import end_of_block, has_block, is_ended
from pincite.answering.sentences.citation_marks import escaped
from pincite.answering.sentences.directives import NOTICES, REMOVALS
from pincite.answering.sentences.markup import shown, words_of_markup
from pincite.answering.sentences.passage_sentence import PassageSentence, Terms
from pincite.support.fields import replace

LONGEST: Final = 600  # characters; what is longer is a table or no sentence
_WINDOW: Final = 300  # characters with the sentences that follow; see docs/decisions/0083
_SHORT: Final = 80  # characters of a paragraph that goes on in the next; see docs/decisions/0083
_PIECES: Final = 20_000  # words of a longer one that are looked at
_MOST_LABELS: Final = 8  # that are quoted above a sentence; guess, unmeasured
_MOST_LOOKED_AT: Final = 1_000_000  # characters of blocks above; guess, unmeasured
_LEAST_CELL: Final = 60  # characters that are shown of each long cell; guess, unmeasured

_TOKEN: Final = re.compile(r"\S+")
_CELL: Final = re.compile(r"(?<!\\)\|")
#: What says nothing without the sentence or the term before it.
_DEFAULT: Final = re.compile(r"\W*(?:the )?defaults?\b", re.IGNORECASE)
#: A sentence that asks, by its end.
ASKS: Final = re.compile(r"[?？][\"'”’»)\]*_`」』]*\s*\Z")
#: A paragraph that is a label in bold. What ends as a sentence does is emphasis.
_LABEL: Final = re.compile(r"\s*(\*\*|__)[^*_\n]*[^*_\n.!]\1:?\s*")
#: What is denied or over for all that is below.
_DENIES: Final = re.compile(
    r"\b(?:not|no|never|cannot|\w+n['’]t|without|deprecated|removed|obsolete|forbidden"
    r"|un(?:supported|available|safe|stable|maintained))\b",
    re.IGNORECASE,
)
_NOTICE: Final = re.compile(rf"\A({'|'.join(sorted(NOTICES))})::", re.IGNORECASE)
#: What takes back some of the sentence before it.
_BUT: Final = re.compile(
    rf"[\s*_(\"'“‘]*(?:but|however|except|unless|only|not|(?:{'|'.join(sorted(REMOVALS))})::"
    r"|this cannot"
    r"|this (?:will|does|is|can|do) ?(?:not|n't))(?![\w-])",
    re.IGNORECASE,
)


def grown(
    one: PassageSentence, passage: Sequence[PassageSentence], used: Set[tuple[int, int]]
) -> list[PassageSentence]:
    """The sentence with what belongs to it, in order; without sentences that are `used`.

    Those of its paragraph that follow, up to 300 characters, and of the next paragraph where it has
    at most 80. One that takes something back, and its block, up to 600; "…" is there for a longer
    one. A question, a label on a line of its own and the end of what is denied end them. Before a
    default stands what it is the default of, before what takes something back the sentence before
    it, and before the first sentence on a function, an option or in a box its name or title. The
    nearest heading, the title of its box, or what introduces its list or code, is before all of it
    where it denies. Rows and headings have none that follow, and those of code files nothing."""
    if one.item.source_type == "code" or one.span.heading:
        return [one]
    run = [*_before(one, passage, used), one]
    denied = _end_of_denied(run[:-1], one, passage)
    is_cut = False
    size = sum(len(part.said) for part in run)
    end = end_of_block(one, passage, one.number + LONGEST)
    for part in () if one.is_row else passage[one.number + 1 :]:
        last, takes_back = run[-1], None
        if part.span.heading or part.is_question or part.key in used:
            break
        if part.number < end:
            limit = LONGEST
        elif _asks_alone(part, last):
            break
        elif takes_back := _BUT.match(part.said):
            limit = LONGEST
        elif part.span.item or _is_label(part, last) or _leaves(part, last, denied):
            break
        elif part.span.paragraph == last.span.paragraph or _LABEL.fullmatch(last.words):
            limit = _WINDOW
        elif one.introduces or size > _SHORT:
            break
        else:
            limit = _WINDOW
        size += len(part.said)
        if size > limit:
            is_cut = takes_back is not None
            break
        run.append(part)
    while run[-1] is not one and (run[-1].introduces or has_block(run[-1], passage)):
        run.pop()
    last = run[-1]
    is_label = last is not one and _LABEL.fullmatch(last.words)
    if last.number + 1 < end or is_label or is_cut or _is_cut(last):
        run[-1] = replace(last, goes_on=True)
    return run


def _before(
    one: PassageSentence, passage: Sequence[PassageSentence], used: Set[tuple[int, int]]
) -> list[PassageSentence]:
    """What belongs to it above, in order."""
    first, found = one, []
    above = passage[: one.number]
    is_default = _DEFAULT.match(one.said) and not one.is_row
    takes_back = _BUT.match(one.said) and not (one.span.item or one.introduces)
    if above and (is_default or (takes_back and not above[-1].span.heading)):
        before = above[-1]
        if not (before.key in used or before.span.code or before.is_question or before.is_entry):
            first, found = before, [before]
            above = () if before.span.heading and not before.span.label else above[:-1]
    for before in reversed(above):
        if not before.span.label or before.key in used or len(found) == _MOST_LABELS:
            break
        found.insert(0, before)
    denial = _denial_of(first, passage, found)
    return [denial, *found] if denial else found


def _asks_alone(one: PassageSentence, before: PassageSentence) -> bool:
    """Is the sentence a question on a line of its own?"""
    if one.span.code or one.span.item or not ASKS.search(one.said):
        return False
    return "\n" in one.item.text[before.span.end : one.span.start]


def _is_label(one: PassageSentence, before: PassageSentence) -> bool:
    """Is the sentence a label in a paragraph of its own?"""
    ended = one.span.paragraph != before.span.paragraph
    return ended and not one.span.code and _LABEL.fullmatch(one.words) is not None


def _end_of_denied(
    above: Sequence[PassageSentence], one: PassageSentence, passage: Sequence[PassageSentence]
) -> int:
    """The number behind the block or box of what denies it and is quoted above."""
    denials = (
        part for part in above if _denies(part) and (part.span.label or not part.span.heading)
    )
    ends = (end_of_block(part, passage, len(passage)) for part in denials)
    return min((end for end in ends if end > one.number), default=len(passage))


def _leaves(one: PassageSentence, before: PassageSentence, denied: int) -> bool:
    """Does the sentence begin a paragraph behind what is denied?"""
    return one.number >= denied and one.span.paragraph != before.span.paragraph


def _denies(one: PassageSentence) -> bool:
    return _DENIES.search(one.said) is not None and not ASKS.search(one.said)


def _denial_of(
    one: PassageSentence, passage: Sequence[PassageSentence], found: Sequence[PassageSentence]
) -> PassageSentence | None:
    """What denies it above: its heading, or what it is in the block or box of. That is not one of
    the labels that were found. Where blocks have too many characters to look at, what denies is
    taken for its own: a reader sees a wrong denial, and does not see that one is missing."""
    if one.span.heading:
        return None
    looked_at = 0
    for part in reversed(passage[: one.number]):
        denies = _denies(part)
        if part.span.heading and not part.span.label:
            return part if denies and not part.is_entry else None
        if denies and part not in found:
            end = end_of_block(part, passage, one.number + 1)
            if one.number < end or looked_at > _MOST_LOOKED_AT:
                return part
            looked_at += passage[end].span.start - part.span.start
    return None


def _is_cut(one: PassageSentence) -> bool:
    """Does the passage end inside of it? The next line is known where it is in the context."""
    item, context = one.item, one.item.context
    if one.span.code or is_ended(one) or item.text[one.span.end :].strip("\r\n"):
        return False
    if item.end_column is not None or context is None or not item.end_line:
        return item.end_column is not None
    following = context.text.split("\n")[item.end_line - context.start_line + 1 :][:1]
    _, found = words_of_markup("\n".join(["a", *following]), item.language, is_start=False)
    return found[0].end > 1  # the line goes on in the next one


def line_of(
    number: int, run: Sequence[PassageSentence], asked: frozenset[str], terms: Terms
) -> str:
    """Prose on a line, items on lines of their own, code in a block, with the number behind it. A
    `[2]` of the prose itself is written as Markdown has it, so that nobody takes it for a number of
    ours. `…` is where some is missing."""
    parts: list[str] = []
    before: PassageSentence | None = None
    for one in run:
        began = "… " if one.began else ""
        if one.span.code:
            text = one.item.text[one.span.start : one.span.end]
            text = began + (one.said if one.item.language == "roff" else text)
            parts += ("\n" if before.span.code else "\n\n") if before else "", f"    {text}"
        else:
            parts += _between(before, one), began + escaped(_prose(one, asked, terms))
        before = one
    is_code = run[-1].span.code
    if run[-1].goes_on:
        parts.append("\n    …" if is_code else " …")
    return f"{''.join(parts)}{chr(10) if is_code else ' '}[{number}]"


def _between(before: PassageSentence | None, one: PassageSentence) -> str:
    if before is None:
        return ""
    if before.span.code:
        return "\n\n"
    if before.span.heading or one.is_row:
        return "\n"
    return "\n- " if one.span.item else " "


def _prose(one: PassageSentence, asked: frozenset[str], terms: Terms) -> str:
    said = _NOTICE.sub(r"\1:", " ".join(one.said.split()), count=1)
    if one.span.heading:
        said = said.lstrip("#= ")
    if not one.is_row or len(said) <= LONGEST:
        return said
    cells = [cell.strip() for cell in _CELL.split(said.strip("| "))]
    short = [cell for cell in cells if len(cell) <= _LEAST_CELL]
    room = (LONGEST - sum(map(len, short))) // max(1, len(cells) - len(short))
    room = max(_LEAST_CELL, room)
    return f"| {' | '.join(_part_of_cell(cell, room, asked, terms) for cell in cells)} |"


def _part_of_cell(cell: str, room: int, asked: frozenset[str], terms: Terms) -> str:
    if len(cell) <= room:
        return cell
    start, end = _best_part(cell, room, asked, terms)
    before, after = "… " if start else "", " …" if end < len(cell) else ""
    return f"{before}{cell[start:end]}{after}"


def cut(one: PassageSentence, asked: frozenset[str], terms: Terms) -> PassageSentence:
    """The part of a long sentence, in whole words, that has most of the question's words; the
    first of several."""
    start, end = _best_part(one.words, LONGEST, asked, terms)
    part = replace(one.span, start=one.span.start + start, end=one.span.start + end)
    words = one.words[start:end]
    began, goes_on = start > 0, end < len(one.words)
    return replace(
        one, span=part, words=words, terms=terms(shown(words)), began=began, goes_on=goes_on
    )


def _best_part(said: str, most: int, asked: frozenset[str], terms: Terms) -> tuple[int, int]:
    """Where the part begins and ends that has most of the question's words."""
    words = [one.span() for one in islice(_TOKEN.finditer(said), _PIECES)]
    own = [terms(shown(said[start:end])) & asked for start, end in words]
    held: Counter[str] = Counter()
    begin, best, first, last = 0, -1, 0, 0
    for at, (_, end) in enumerate(words):
        held.update(own[at])
        while begin < at and (end - words[begin][0] > most or not own[begin]):
            held.subtract(own[begin])
            begin += 1
        had = sum(count > 0 for count in held.values())
        if had > best:
            best, first, last = had, begin, at
    while True:  # what is around the words is their sense
        before, after = first > 0, last + 1 < len(words)
        if after and words[last + 1][1] - words[first][0] <= most:
            last += 1
        else:
            after = False
        if before and words[last][1] - words[first - 1][0] <= most:
            first -= 1
        elif not after:
            break
    start = words[first][0]
    return start, min(words[last][1], start + most)  # a word may be longer
