"""What belongs to a sentence that answers, and how both are shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Final

from pincite.answering.cited import escaped
from pincite.answering.markup import shown
from pincite.answering.sentences import NOTICES, Sentence
from pincite.model import Evidence
from pincite.support.fields import replace

Terms = Callable[[str], frozenset[str]]
LONGEST: Final = 600  # characters; what is longer is a table or no sentence
_WINDOW: Final = 300  # characters with the sentences that follow; see docs/decisions/0083
_SHORT: Final = 80  # characters of a paragraph that goes on in the next; see docs/decisions/0083
_PIECES: Final = 20_000  # words of a longer one that are looked at
_LEAST_CELL: Final = 60  # characters that are shown of each long cell; guess, unmeasured

_TOKEN: Final = re.compile(r"\S+")
_CELL: Final = re.compile(r"(?<!\\)\|")
#: What says nothing without the sentence or the term before it.
_DEFAULT: Final = re.compile(r"\W*(?:the )?defaults?\b", re.IGNORECASE)
#: A sentence that asks, by its end.
ASKS: Final = re.compile(r"[?？][\"'”’»)\]*_`」』]*\s*\Z")
#: A paragraph that is a label in bold. What ends as a sentence does is emphasis.
_LABEL: Final = re.compile(r"\s*(\*\*|__)[^*_\n]*[^*_\n.!]\1:?\s*")
_ENDED: Final = re.compile(r"[.!?…。！？:;][\"'”’»)\]*_`」』]*\s*\Z")
_INDENT: Final = re.compile(r"[ \t]*")
#: What is denied or over for all that is below.
_DENIES: Final = re.compile(
    r"\b(?:not|no|never|cannot|\w+n['’]t|without|deprecated|removed|obsolete|forbidden"
    r"|un(?:supported|available|safe|stable|maintained))\b",
    re.IGNORECASE,
)
_NOTICE: Final = re.compile(rf"\A({'|'.join(sorted(NOTICES))})::")
#: What takes back some of the sentence before it.
_BUT: Final = re.compile(
    r"\W*(?:but|however|except|unless|deprecated::|this cannot"
    r"|this (?:will|does|is|can|do) ?(?:not|n't))(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A sentence of `item`, the evidence at `place`. `words` are those of the text without marks of
    a comment, with as many characters. `terms` are its informative words and those of the
    question or the heading before it, `section` those of the heading that it is below."""

    item: Evidence
    place: int
    number: int
    span: Sentence
    words: str
    terms: frozenset[str]
    section: frozenset[str] = frozenset()
    is_question: bool = False

    @property
    def said(self) -> str:
        """What it says, without tags."""
        return shown(self.words)

    @property
    def is_row(self) -> bool:
        """Is it a row of a table?"""
        return self.span.item and self.words.startswith("|")

    @property
    def introduces(self) -> bool:
        """Is it the introduction of what follows?"""
        return not self.span.code and self.said.rstrip().endswith(":")

    @property
    def key(self) -> tuple[int, int]:
        """Its place among all."""
        return self.place, self.number


def grown(one: Found, passage: Sequence[Found], used: Set[tuple[int, int]]) -> list[Found]:
    """The sentence with what belongs to it, in order; without sentences that are `used`.

    Those of its paragraph that follow, up to 300 characters, and of the next paragraph where it has
    at most 80. One that takes something back, and the block of an introduction, up to 600. Before a
    default stands what it is the default of, and before the first sentence on a function, an option
    or in a box, its name or title. Items have those that are nested in them. A heading or an
    introduction that denies what is below is before an item or a short sentence. A question or a
    label on a line of its own ends them. Code and rows are by themselves."""
    run = [one]
    if one.item.source_type == "code" or one.is_row:
        return run
    before = passage[one.number - 1] if one.number else None
    if before and _DEFAULT.match(one.said) and before.key not in used and not before.span.code:
        run.insert(0, before)
    while before and before.span.label and before.key not in used:
        if before is not run[0]:
            run.insert(0, before)
        before = passage[before.number - 1] if before.number else None
    denial = _denial_of(run[0], passage)
    if denial:
        run.insert(0, denial)
    end = _end_of_block(one, passage)
    size = sum(len(part.said) for part in run)
    for part in passage[one.number + 1 :]:
        if part.span.heading or part.is_question or part.key in used:
            break
        if part.number < end:
            limit = LONGEST
        elif _begins_other(part, run[-1]):
            break
        elif _BUT.match(part.said):
            limit = LONGEST
        elif part.is_row or part.span.item:
            break
        elif part.span.paragraph == run[-1].span.paragraph:
            limit = _WINDOW
        elif one.introduces or size > _SHORT:
            break
        else:
            limit = _WINDOW
        size += len(part.said)
        if size > limit:
            break
        run.append(part)
    while run[-1] is not one and run[-1].introduces:
        run.pop()
    return run


def _end_of_block(one: Found, passage: Sequence[Found]) -> int:
    """The number behind the last sentence of its block, where it has one."""
    end = one.number + 1
    if not (one.introduces or _has_items(one, passage)):
        return end
    nested = one.span.item and not one.introduces
    for part in passage[end:]:
        alone = part.is_row or part.span.item or part.span.code
        if not (alone or end == one.number + 1) or (nested and _indent(part) <= _indent(one)):
            break
        end += 1
    return end


def _begins_other(one: Found, before: Found) -> bool:
    """Is the sentence a question or a label on a line of its own?"""
    if one.span.code or one.span.item:
        return False
    if "\n" not in one.item.text[before.span.end : one.span.start]:
        return False
    ended = one.span.paragraph != before.span.paragraph
    return bool(ASKS.search(one.said) or (ended and _LABEL.fullmatch(one.words)))


def _has_items(one: Found, passage: Sequence[Found]) -> bool:
    """Does a list go on with a sentence that has no end, or is it nested in an item?"""
    following = passage[one.number + 1 : one.number + 2]
    if one.span.code or not following or not _is_listed(following[0]):
        return False
    if one.span.item:
        return _is_listed(one) and _indent(following[0]) > _indent(one)
    for part in reversed(passage[: one.number]):
        if part.span.paragraph != one.span.paragraph:
            break
        if part.span.item:
            return False
    return not _ENDED.search(one.said)


def _is_listed(one: Found) -> bool:
    """Is it an item with a mark?"""
    marked = bool(one.item.text[_line_start(one) : one.span.start].strip())
    return one.span.item and not one.is_row and marked


def _indent(one: Found) -> int:
    return len(_INDENT.match(one.item.text, _line_start(one))[0])  # type: ignore[index]


def _line_start(one: Found) -> int:
    return one.item.text.rfind("\n", 0, one.span.start) + 1


def _denial_of(one: Found, passage: Sequence[Found]) -> Found | None:
    """The heading or introduction above that denies it, if it is near."""
    if one.span.heading or one.span.code or not (one.span.item or len(one.said) <= _SHORT):
        return None
    for part in reversed(passage[: one.number]):
        if one.span.end - part.span.start > LONGEST:
            break
        is_above = part.span.heading or (one.span.item and part.introduces)
        if is_above:
            denies = _DENIES.search(part.said) and not ASKS.search(part.said)
            return part if denies else None
    return None


def has_block(one: Found, passage: Sequence[Found]) -> bool:
    """Does anything follow an introduction?"""
    rest = passage[one.number + 1 : one.number + 2]
    return any(not part.span.heading for part in rest)


def line_of(number: int, run: Sequence[Found], asked: frozenset[str], terms: Terms) -> str:
    """Prose on a line, items on lines of their own, code in a block, with the number behind it. A
    `[2]` of the prose itself is written as Markdown has it, so that nobody takes it for a number of
    ours."""
    parts: list[str] = []
    before: Found | None = None
    for one in run:
        if one.span.code:
            text = one.item.text[one.span.start : one.span.end].replace("`", "\\`")
            parts += ("\n" if before.span.code else "\n\n") if before else "", f"    {text}"
        else:
            parts += _between(before, one), escaped(_prose(one, asked, terms))
        before = one
    return f"{''.join(parts)}{chr(10) if run[-1].span.code else ' '}[{number}]"


def _between(before: Found | None, one: Found) -> str:
    if before is None:
        return ""
    if before.span.code:
        return "\n\n"
    if before.span.heading or one.is_row:
        return "\n"
    return "\n- " if one.span.item else " "


def _prose(one: Found, asked: frozenset[str], terms: Terms) -> str:
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


def cut(one: Found, asked: frozenset[str], terms: Terms) -> Found:
    """The part of a long sentence, in whole words, that has most of the question's words; the
    first of several."""
    start, end = _best_part(one.words, LONGEST, asked, terms)
    part = replace(one.span, start=one.span.start + start, end=one.span.start + end)
    words = one.words[start:end]
    return replace(one, span=part, words=words, terms=terms(shown(words)))


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
