"""The block that a sentence introduces: a list, code, a table or one sentence; or the box of a
label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from pincite.answering.sentences.passage_sentence import PassageSentence

_ENDED: Final = re.compile(r"[.!?…。！？:;][\"'”’»)\]*_`」』]*\s*\Z")
_LIST: Final = re.compile(r"<(/?)(?:ul|ol|dl)(?=[\s>])", re.IGNORECASE)
#: The beginning or end of a table outside of Markdown.
_TABLE: Final = re.compile(r"</?table(?=[\s>])|^\|={3,}|^\.T[SE]", re.IGNORECASE | re.MULTILINE)
_COMMENT_LINES: Final = re.compile(r"^[ \t]*<!--.*?-->[ \t]*\r?\n", re.MULTILINE | re.DOTALL)
_BLANK_LINE: Final = re.compile(r"\n[ \t\r]*\n")
_NUMBERED: Final = re.compile(r"(\d+)[.)]\s*\Z")
_MOST_BETWEEN: Final = 40  # sentences or lines of code between two items; guess, unmeasured
#: The mark before the label of a box whose lines are indented.
_INDENTED: Final = ("!!!", "???", "===", "..")
_DETAILS: Final = re.compile(r"<(?P<closes>/)?details(?=[\s>])", re.IGNORECASE)
#: A comment may follow the marks that close a box.
_COLONS: Final = re.compile(
    r"^[ \t]*:{3,}[ \t]*(?:<!--[^\n]*-->[ \t]*)?\r?(?P<closes>$)?", re.MULTILINE
)


def end_of_block(one: PassageSentence, passage: Sequence[PassageSentence], stop: int) -> int:
    """Return the number after the last sentence of a sentence's block, at most `stop`. An
    introduction has a block, a sentence without an end before a list, and an item with nested
    items. The block is code, a table, one sentence, or a list. A list ends after its last item,
    before an item with a smaller indent or another mark. The block of a label is its box."""
    if one.span.label:
        return _end_of_box(one, passage, stop)
    end = one.number + 1
    if not (one.introduces or any(map(_is_listed, passage[end : end + 1]))):
        return end
    item = _item_of(one, passage)
    if not (one.introduces or _goes_on(one, item, passage[end])):
        return end
    before, depth, first = one, _depths(item, one)[1] if item else 0, None
    between: list[PassageSentence] = []  # belongs to the list if the list continues after it
    for number in range(end, len(passage)):
        part = passage[number]
        if part.span.heading or part.is_question or (number >= stop and not between):
            break
        lowest, depth = (depth + more for more in _depths(before, part))
        is_item = part.span.item and not part.is_row
        if before is one:
            if is_item and (depth < 0 or (item and not depth and _mark(part) == _mark(item))):
                break
            first = (depth, _mark(part)) if is_item else None
        elif first is None:
            if not _continues(before, part):
                break
        elif is_item:
            if lowest < first[0] or (depth == first[0] and _mark(part) != first[1]):
                break
            if between and (depth > first[0] or not _resumes(part, between)):
                break
            between = []
        elif between or not (_is_inside(part, lowest, first[0]) or _is_joined(before, part)):
            if len(between) == _MOST_BETWEEN or not _may_be_between(part, first[1]):
                break
            between.append(part)
        before = part
        end = end if between else number + 1
    return min(end, stop)


def has_block(one: PassageSentence, passage: Sequence[PassageSentence]) -> bool:
    """Return whether a block follows an introduction."""
    return end_of_block(one, passage, one.number + 2) > one.number + 1


def is_ended(one: PassageSentence) -> bool:
    """Return whether it ends like a sentence."""
    return _ENDED.search(one.said) is not None


def _item_of(one: PassageSentence, passage: Sequence[PassageSentence]) -> PassageSentence | None:
    """Return the item in whose first paragraph it is, or None."""
    for number in range(one.number, -1, -1):
        part = passage[number]
        if part.span.item or part.span.paragraph != one.span.paragraph:
            return part if part.span.paragraph == one.span.paragraph else None
    return None


def _goes_on(
    one: PassageSentence, item: PassageSentence | None, following: PassageSentence
) -> bool:
    """Return whether a list continues a sentence without an end, or is nested in an item."""
    if item:
        return one is item and _is_listed(one) and _depths(one, following)[1] > 0
    return not (one.span.code or is_ended(one))


def _is_listed(one: PassageSentence) -> bool:
    """Return whether it is an item with a mark."""
    if one.is_row or not one.span.item:
        return False
    if one.item.language == "roff":
        return bool(one.span.mark)
    return one.item.language == "html" or bool(_of_line(one).strip())


def _mark(one: PassageSentence) -> str:
    """Return the last character of an item's mark, which is equal for all items of a list."""
    if one.item.language == "roff":
        return one.span.mark
    return "" if one.item.language == "html" else _of_line(one).strip()[-1:]


def _continues(before: PassageSentence, one: PassageSentence) -> bool:
    """Return whether both are lines of one block of code, or rows of one table."""
    start = one.span.start
    text = one.item.text[before.span.end : start]
    if before.span.code and one.span.code:
        if one.item.language == "roff":  # requests of spaces and fonts may be between them
            return one.span.mark == before.span.mark
        return not text.strip()
    if not (before.is_row and one.is_row) or _TABLE.search(text):
        return False
    is_ended_by_blank = one.item.text[start] == "|" and one.item.language != "asciidoc"
    if one.span.paragraph == before.span.paragraph or not is_ended_by_blank:
        return True
    return _BLANK_LINE.search(_COMMENT_LINES.sub("", text)) is None


def _may_be_between(one: PassageSentence, mark: str) -> bool:
    """Return whether a list with this mark may continue after a sentence that is not an item and
    has no larger indent. Code and tables may be between the items of any list, other sentences only
    between numbered items."""
    if one.item.language in ("html", "roff"):
        return False
    return one.span.code or one.is_row or (mark in (".", ")") and not one.introduces)


def _resumes(one: PassageSentence, between: Sequence[PassageSentence]) -> bool:
    """Return whether a list continues with this item. After sentences, its number must be above 1,
    as in `2.`"""
    if all(part.span.code or part.is_row for part in between):
        return True
    number = _NUMBERED.search(_of_line(one))
    return number is not None and int(number[1]) > 1


def _is_inside(one: PassageSentence, lowest: int, depth: int) -> bool:
    """Return whether a sentence that is not an item is within a list at this depth. In HTML, it is
    until a tag closes the list."""
    return lowest >= depth if one.item.language == "html" else lowest > depth


def _is_joined(before: PassageSentence, one: PassageSentence) -> bool:
    """Return whether it belongs to the item before it without a larger indent."""
    same = one.span.paragraph == before.span.paragraph and not before.span.code
    return same or _continues(before, one)


def _depths(before: PassageSentence, one: PassageSentence) -> tuple[int, int]:
    """Return how much deeper a sentence is than an earlier one, in characters and HTML lists: at
    the lowest point between them, and at the sentence itself."""
    deeper = 0 if one.item.language == "html" else _indent(one) - _indent(before)
    tags = _LIST.finditer(one.item.text, before.span.end, one.span.start)
    levels = [*accumulate(-1 if tag[1] else 1 for tag in tags)] or [0]
    return deeper + min(levels), deeper + levels[-1]


def _indent(one: PassageSentence) -> int:
    if one.item.language == "roff":
        return one.span.depth
    line = (one.words if one.span.code else _of_line(one)).expandtabs(4)
    return len(line) - len(line.lstrip())


def _end_of_box(label: PassageSentence, passage: Sequence[PassageSentence], stop: int) -> int:
    """Return the number after the last sentence of a box or tab, at most `stop`. It has the lines
    with a larger indent than its label, or the lines up to `:::` or `</details>`."""
    lead = _of_line(label).lstrip()
    mark = _COLONS if lead.startswith(":::") else _DETAILS
    before, end, depth = label, label.number + 1, 0
    for number in range(end, min(stop, len(passage))):
        part = passage[number]
        if part.span.heading and not part.span.label:
            break
        if lead.startswith(_INDENTED):
            if _indent(part) <= _indent(label):
                break
        else:
            for one in mark.finditer(part.item.text, before.span.end, part.span.start):
                depth += 1 if one["closes"] is None else -1
                if depth < 0:
                    return end
        before = part
        end += 1
    return end


def _of_line(one: PassageSentence) -> str:
    """Return the text before it on its line."""
    text, start = one.item.text, one.span.start
    return text[text.rfind("\n", 0, start) + 1 : start]
