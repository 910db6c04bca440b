"""Extend a sentence of the evidence by the sentences that belong to it, and shorten them for
display.
"""

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

LONGEST: Final = 600  # characters; a longer text is a table or not a sentence
_WINDOW: Final = 300  # characters including following sentences; see docs/decisions/0083
_SHORT: Final = 80  # characters of a paragraph to which the next is added; see docs/decisions/0083
_PIECES: Final = 20_000  # words of a longer one that are read
_MOST_LABELS: Final = 8  # labels that are quoted above a sentence; guess, unmeasured
_MOST_LOOKED_AT: Final = 1_000_000  # characters of blocks above that are read; guess, unmeasured
_LEAST_CELL: Final = 60  # characters that are shown of each long cell; guess, unmeasured

_TOKEN: Final = re.compile(r"\S+")
_CELL: Final = re.compile(r"(?<!\\)\|")
#: A sentence that has no meaning without the sentence or the term before it.
_DEFAULT: Final = re.compile(r"\W*(?:the )?defaults?\b", re.IGNORECASE)
#: The end of a question.
ASKS: Final = re.compile(r"[?？][\"'”’»)\]*_`」』]*\s*\Z")
#: A paragraph that is a label in bold. Bold text that ends like a sentence is emphasis.
_LABEL: Final = re.compile(r"\s*(\*\*|__)[^*_\n]*[^*_\n.!]\1:?\s*")
#: Words that deny or end something for all text below.
_DENIES: Final = re.compile(
    r"\b(?:not|no|never|cannot|\w+n['’]t|without|deprecated|removed|obsolete|forbidden"
    r"|un(?:supported|available|safe|stable|maintained))\b",
    re.IGNORECASE,
)
_NOTICE: Final = re.compile(rf"\A({'|'.join(sorted(NOTICES))})::", re.IGNORECASE)
#: The beginning of a sentence that restricts the one before it.
_BUT: Final = re.compile(
    rf"[\s*_(\"'“‘]*(?:but|however|except|unless|only|not|(?:{'|'.join(sorted(REMOVALS))})::"
    r"|this cannot"
    r"|this (?:will|does|is|can|do) ?(?:not|n't))(?![\w-])",
    re.IGNORECASE,
)


def grown(
    one: PassageSentence, passage: Sequence[PassageSentence], used: Set[tuple[int, int]]
) -> list[PassageSentence]:
    """Return the sentence with the sentences that belong to it, in order, without those in `used`.

    These are the sentences after it in its paragraph, up to 300 characters, and those of the next
    paragraph if its own has at most 80. A sentence that restricts the previous one is added up to
    600 characters, and so is the sentence's block; "…" replaces longer ones. The excerpt ends
    before a question, a label on a separate line, and the end of a denied part.

    A default comes after the sentence that names its option or parameter, and a restriction after
    the sentence that it restricts. The name or title of a function, an option or a box comes before
    the first sentence on it. The nearest heading, the title of its box, or the introduction of its
    list or code comes first if it denies something. Rows and headings get no sentences after them,
    and sentences of code files get none at all.
    """
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
    """Return the sentences above that belong to it, in order."""
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
    """Return whether the sentence is a question on a line of its own."""
    if one.span.code or one.span.item or not ASKS.search(one.said):
        return False
    return "\n" in one.item.text[before.span.end : one.span.start]


def _is_label(one: PassageSentence, before: PassageSentence) -> bool:
    """Return whether the sentence is a label in a paragraph of its own."""
    ended = one.span.paragraph != before.span.paragraph
    return ended and not one.span.code and _LABEL.fullmatch(one.words) is not None


def _end_of_denied(
    above: Sequence[PassageSentence], one: PassageSentence, passage: Sequence[PassageSentence]
) -> int:
    """Return the number after the block or box of a quoted sentence that denies this one."""
    denials = (
        part for part in above if _denies(part) and (part.span.label or not part.span.heading)
    )
    ends = (end_of_block(part, passage, len(passage)) for part in denials)
    return min((end for end in ends if end > one.number), default=len(passage))


def _leaves(one: PassageSentence, before: PassageSentence, denied: int) -> bool:
    """Return whether the sentence begins a paragraph after the denied part."""
    return one.number >= denied and one.span.paragraph != before.span.paragraph


def _denies(one: PassageSentence) -> bool:
    return _DENIES.search(one.said) is not None and not ASKS.search(one.said)


def _denial_of(
    one: PassageSentence, passage: Sequence[PassageSentence], found: Sequence[PassageSentence]
) -> PassageSentence | None:
    """Return the text above that denies a sentence: its heading, or the introduction of its block
    or box, unless that is among the labels in `found`. If the blocks have too many characters to
    read, a denial counts as one for this sentence: a reader notices a wrong denial, but not a
    missing one."""
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
    """Return whether the passage ends within the sentence. The next line is known if it is in the
    context."""
    item, context = one.item, one.item.context
    if one.span.code or is_ended(one) or item.text[one.span.end :].strip("\r\n"):
        return False
    if item.end_column is not None or context is None or not item.end_line:
        return item.end_column is not None
    following = context.text.split("\n")[item.end_line - context.start_line + 1 :][:1]
    _, found = words_of_markup("\n".join(["a", *following]), item.language, is_start=False)
    return found[0].end > 1  # the line continues in the next one


def line_of(
    number: int, run: Sequence[PassageSentence], asked: frozenset[str], terms: Terms
) -> str:
    """Return an excerpt as Markdown: prose on one line, items on separate lines, code in a block,
    with the number at the end. A `[2]` in the prose is escaped, so that it is not read as a
    citation. `…` marks missing text."""
    parts: list[str] = []
    before: PassageSentence | None = None
    for one in run:
        began = "… " if one.began else ""
        if one.span.code:
            text = one.item.text[one.span.start : one.span.end]
            text = began + (one.said if one.item.language == "roff" else text)
            parts += _before_code(before, one), f"    {text}"
        else:
            parts += _between(before, one), began + escaped(_prose(one, asked, terms))
        before = one
    is_code = run[-1].span.code
    if run[-1].goes_on:
        parts.append("\n    …" if is_code else " …")
    return f"{''.join(parts)}{chr(10) if is_code else ' '}[{number}]"


def _before_code(before: PassageSentence | None, one: PassageSentence) -> str:
    """Return the end of the line before a line of code, and the blank lines between two of them."""
    if before is None or not before.span.code:
        return "\n\n" if before else ""
    between = one.item.text[before.span.end : one.span.start]
    return "\n" if between.strip() else "\n" * max(1, between.count("\n"))


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
    """Return the part of a long sentence, in whole words, with most of the question's words; the
    first one of several."""
    start, end = _best_part(one.words, LONGEST, asked, terms)
    part = replace(one.span, start=one.span.start + start, end=one.span.start + end)
    words = one.words[start:end]
    began, goes_on = start > 0, end < len(one.words)
    return replace(
        one, span=part, words=words, terms=terms(shown(words)), began=began, goes_on=goes_on
    )


def _best_part(said: str, most: int, asked: frozenset[str], terms: Terms) -> tuple[int, int]:
    """Return the start and the end of the part with most of the question's words."""
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
    while True:  # add the words around them
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
