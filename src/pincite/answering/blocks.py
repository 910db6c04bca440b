"""The block that a sentence introduces: a list, code, rows or one sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pincite.answering.passage_sentence import PassageSentence

_ENDED: Final = re.compile(r"[.!?…。！？:;][\"'”’»)\]*_`」』]*\s*\Z")
_LIST: Final = re.compile(r"<(/?)(?:ul|ol|dl)(?=[\s>])", re.IGNORECASE)


def end_of_block(one: PassageSentence, passage: Sequence[PassageSentence], stop: int) -> int:
    """The number behind the last sentence of its block before `stop`. An introduction has one, a
    sentence without an end before a list, and an item with nested ones. It is code, rows, one
    sentence, or a list, which ends with its last item: the next one stands further out, or has
    another mark."""
    end = one.number + 1
    if not (one.introduces or any(map(_is_listed, passage[end : end + 1]))):
        return end
    item = _item_of(one, passage)
    if not (one.introduces or _goes_on(one, item, passage[end])):
        return end
    before, depth, first = one, _deeper(item, one) if item else 0, None
    for part in passage[end:stop]:
        if part.span.heading or part.is_question:
            break
        depth += _deeper(before, part)
        if part.span.code or part.is_row:
            pass
        elif not part.span.item:
            same = part.span.paragraph == before.span.paragraph and not before.span.code
            if before is not one and (first is None or not (same or depth > first[0])):
                break
        elif first is not None:
            if depth < first[0] or (depth == first[0] and _mark(part) != first[1]):
                break
        elif before is not one or depth < 0 or (item and not depth and _mark(part) == _mark(item)):
            break
        else:
            first = depth, _mark(part)
        before = part
        end += 1
    return end


def has_block(one: PassageSentence, passage: Sequence[PassageSentence]) -> bool:
    """Does anything follow an introduction?"""
    return end_of_block(one, passage, one.number + 2) > one.number + 1


def is_ended(one: PassageSentence) -> bool:
    """Does it end as a sentence does?"""
    return _ENDED.search(one.said) is not None


def _item_of(one: PassageSentence, passage: Sequence[PassageSentence]) -> PassageSentence | None:
    """The item that it is in the first paragraph of."""
    for number in range(one.number, -1, -1):
        part = passage[number]
        if part.span.item or part.span.paragraph != one.span.paragraph:
            return part if part.span.paragraph == one.span.paragraph else None
    return None


def _goes_on(
    one: PassageSentence, item: PassageSentence | None, following: PassageSentence
) -> bool:
    """Does a list go on with a sentence that has no end, or is it nested in an item?"""
    if item:
        return one is item and _is_listed(one) and _deeper(one, following) > 0
    return not (one.span.code or is_ended(one))


def _is_listed(one: PassageSentence) -> bool:
    """Is it an item with a mark?"""
    return one.span.item and not one.is_row and bool(_of_line(one).strip())


def _mark(one: PassageSentence) -> str:
    """The last character of the mark of an item, which is alike in a list."""
    return "" if one.item.language == "html" else _of_line(one).strip()[-1:]


def _deeper(before: PassageSentence, one: PassageSentence) -> int:
    """How much deeper a sentence stands than one before it: in characters, in lists of HTML."""
    if one.item.language == "html":
        tags = _LIST.finditer(one.item.text, before.span.start, one.span.start)
        return sum(-1 if tag[1] else 1 for tag in tags)
    return _indent(one) - _indent(before)


def _indent(one: PassageSentence) -> int:
    line = _of_line(one).expandtabs(4)
    return len(line) - len(line.lstrip())


def _of_line(one: PassageSentence) -> str:
    """What stands before it in its line."""
    text, start = one.item.text, one.span.start
    return text[text.rfind("\n", 0, start) + 1 : start]
