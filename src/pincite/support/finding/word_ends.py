"""Ends of words: a quote begins and ends where words and numbers do.

"30 days" is not a quote of "130 days", nor "able to" one of "unable to" or "5 percent" one of "0.5
percent". Scripts that are written without spaces have no such ends.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pincite.support.finding.code_letters import Escapes, ends_code, may_be_code
from pincite.support.finding.digit_runs import SEPARATORS, numbers_of
from pincite.support.finding.unseen import UNSEEN
from pincite.support.roff.escapes import displayed

_BESIDE: Final = 24  # characters read before and after a place
_BESIDE_ROFF: Final = 48  # includes escapes; guess, unmeasured
_PART: Final = 128  # characters of a manual page that are read at once
_AROUND_PART: Final = 96  # read before and after a part: an escape and its context
#: Thai, Lao, Tibetan, Burmese, Khmer, Chinese, Japanese and Korean: words follow each other without
#: spaces, or end in particles.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)
#: Before a digit that is not the first one of its number, as in ` .5`.
_POINT: Final = re.compile(r"(?:^|[^\w.])\.\Z")
#: A minus before a number: no hyphen of a word, no range.
_MINUS: Final = re.compile(r"(?:^|(?:^|[^\d\s])\s|[(\[{=:<>,;|\"“'‘])[-−–]\Z")
#: Digits and separators up to a place, and from it.
_RUN_BEFORE: Final = re.compile(rf"[\d{SEPARATORS}]*\Z")
_RUN_AFTER: Final = re.compile(rf"[\d{SEPARATORS}]*")
#: Groups of digits up to and from a space within `2 500 000`. Only zeros tell it from two numbers.
_GROUP_BEFORE: Final = re.compile(r"(?:^|[^\d.,])\d{1,3}(?: \d{3}){0,4}\s\Z")
_GROUP_AFTER: Final = re.compile(r"(?:\d{3} ){0,4}0\d\d(?![\d.])")
#: Variants of the character before; not a part of a word.
_VARIANT: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_NOT: Final = re.compile(r"['’´`ʼ＇]t(?!\w)", re.IGNORECASE)


def whole(
    text: str,
    start: int,
    end: int,
    *,
    escapes: Escapes = "",
    begins: bool = True,
    ends: bool = True,
) -> bool:
    """Return whether `text[start:end]` begins and ends where words and numbers do. Punctuation at
    an end ends words, except for a decimal point or comma. So do escapes and formats of code, see
    `ends_code`. Escapes of roff are read as displayed: none ends a word, and no place is within
    one. White space is single spaces. Without `begins` or `ends`, that end is not checked."""
    if start >= end:
        return False
    before = text[max(0, start - beside(escapes)) : start]
    if begins and _is_within_word(text[start - 1 : start + 1] if start else "", before):
        return False
    if escapes == "roff":
        begun = not begins or _OfRoff(text, start, start).begins(start)
        return begun and (not ends or _OfRoff(text, end, end).ends(end))
    head, tail = text[start : start + _BESIDE], text[max(0, end - _BESIDE) : end]
    if begins and not _begins(before, head, escapes):
        return False
    return not ends or _ends(tail, text[end : end + _BESIDE], escapes)


def beside(escapes: Escapes) -> int:
    """Return how many characters before and after a place decide whether words end there."""
    return _BESIDE_ROFF if escapes == "roff" else _BESIDE


class _OfRoff:
    """The displayed form of `text[begin:end]` and of its surroundings, read once for all places in
    it."""

    def __init__(self, text: str, begin: int, end: int, around: int = _BESIDE_ROFF) -> None:
        self._begin = max(0, begin - around)
        self._said, self._within = displayed(text[self._begin : end + around])

    def begins(self, at: int) -> bool:
        """Return whether a word begins at this position of the text."""
        at -= self._begin
        before = self._said[max(0, at - _BESIDE_ROFF) : at]
        if self._within[at] or (at and _is_within_word(self._said[at - 1 : at + 1], before)):
            return False
        bare, head = _bare(before), _bare(self._said[at : at + _BESIDE_ROFF])
        if not head or (len(before) == _BESIDE_ROFF and not bare):
            return False  # only escapes: the text beyond may be of the same word
        return _begins(bare, head, "roff")

    def ends(self, at: int) -> bool:
        """Return whether a word ends at this position of the text."""
        at -= self._begin
        after = self._said[at : at + _BESIDE_ROFF]
        bare, tail = _bare(after), _bare(self._said[max(0, at - _BESIDE_ROFF) : at])
        if self._within[at] or not tail or (len(after) == _BESIDE_ROFF and not bare):
            return False
        return _ends(tail, bare, "roff")


def _bare(said: str) -> str:
    return said.replace(UNSEEN, "")


def _is_within_word(pair: str, before: str) -> bool:
    """Return whether both characters of `pair`, on either side of a place, clearly belong to one
    word. This is the most frequent case, and saves the full checks."""
    return pair.isascii() and pair.isalnum() and not may_be_code(before)


def whole_places(
    text: str, wanted: str, *, escapes: Escapes = "", begins: bool = True, ends: bool = True
) -> Iterator[int]:
    """Yield the positions of `wanted` in `text` where it is whole, see `whole`. Time linear in
    both."""
    size = len(wanted)
    if escapes != "roff":
        return (
            at
            for at in places(text, wanted)
            if whole(text, at, at + size, escapes=escapes, begins=begins, ends=ends)
        )

    @lru_cache(maxsize=2)
    def part(number: int) -> _OfRoff:
        begin = number * _PART
        return _OfRoff(text, begin, begin + _PART, _AROUND_PART)

    def is_whole(at: int) -> bool:
        before = text[max(0, at - _BESIDE_ROFF) : at]
        if begins and at and _is_within_word(text[at - 1 : at + 1], before):
            return False  # in any displayed form
        begun = not begins or part(at // _PART).begins(at)
        return begun and (not ends or part((at + size) // _PART).ends(at + size))

    return filter(is_whole, places(text, wanted))


def places(text: str, wanted: str) -> Iterator[int]:
    """Yield all positions of `wanted` in `text`, none of an empty text. Time linear in both."""
    if not wanted:
        return
    size, spent = len(wanted), 0
    at = text.find(wanted)
    while at >= 0 and spent <= 2 * len(text):  # more only if places overlap
        yield at
        spent += size
        at = text.find(wanted, at + 1)
    if at >= 0:
        yield from _overlapping(text, wanted, at)


def _overlapping(text: str, wanted: str, begin: int) -> Iterator[int]:
    """Yield all positions from `begin` on: the search of Knuth, Morris and Pratt (1977)."""
    size, known = len(wanted), 0
    shorter = [0] * size  # by last character: the longest end so far that is a beginning, too
    for at in range(1, size):
        while known and wanted[at] != wanted[known]:
            known = shorter[known - 1]
        known += wanted[at] == wanted[known]
        shorter[at] = known
    known = 0
    for at, sign in enumerate(text[begin:], begin + 1 - size):
        while known and (known == size or sign != wanted[known]):
            known = shorter[known - 1]
        known += sign == wanted[known]
        if known == size:
            yield at


def _begins(before: str, head: str, escapes: Escapes) -> bool:
    if not before:
        return True
    first, last = head[0], before[-1]
    if _is_mark(first) and not last.isspace():
        return False
    if _joined(last, first, before[-2:-1]):
        return ends_code(before, head, escapes=escapes)
    if first in SEPARATORS:
        between = last.isdecimal() and head[1:2].isdecimal()
        return not (between and _in_number(before, head))
    if not first.isdecimal():
        return True
    if last in SEPARATORS and before[-2:-1].isdecimal() and _in_number(before, head):
        return False
    if last == " " and _GROUP_AFTER.match(head) and _GROUP_BEFORE.search(before):
        return False
    return not (_POINT.search(before) or _MINUS.search(before))


def _ends(tail: str, after: str, escapes: Escapes) -> bool:
    if not after:
        return True
    last, first = tail[-1], after[0]
    if _is_mark(first):
        return False
    if _joined(first, last, after[1:2]):
        return ends_code(tail, after, escapes=escapes)
    if last in SEPARATORS:
        between = tail[-2:-1].isdecimal() and first.isdecimal()
        return not (between and _in_number(tail, after))
    if last.isdecimal():
        if first in SEPARATORS:
            return not (after[1:2].isdecimal() and _in_number(tail, after))
        if first == " " and _GROUP_AFTER.match(after, 1):
            return not _GROUP_BEFORE.search(f"{tail} ")
        return not unicodedata.decomposition(first).startswith("<fraction>")
    return not (last.isalpha() and _NOT.match(after))


def _in_number(before: str, after: str) -> bool:
    """Return whether a place is inside a number such as 1,000 or 2,5; False if a list is as
    likely."""
    left, right = _RUN_BEFORE.search(before), _RUN_AFTER.match(after)
    if left is None or right is None:
        return False
    spans = numbers_of(left[0] + right[0], before[: left.start()], after[right.end() :])
    return any(start < len(left[0]) < end for start, end in spans)


def _joined(outer: str, inner: str, beyond: str) -> bool:
    """Return whether the characters on both sides of an end belong to one word. An underscore joins
    two words (`rotate_key`), and also marks emphasis (`_word_`)."""
    if not _in_word(inner) or _UNSPACED.match(inner):
        return inner.isdecimal() and outer.isdecimal()
    if outer == "_":
        return beyond.isalnum() and not _UNSPACED.match(beyond)
    return _in_word(outer) and not _UNSPACED.match(outer)


def _in_word(sign: str) -> bool:
    """Return whether the character is a letter, digit or mark. Numbers of footnotes, exponents and
    lists are not, nor is ½."""
    return _is_mark(sign) or (sign.isalnum() and unicodedata.category(sign) != "No")


def _is_mark(sign: str) -> bool:
    """Return whether the character is a mark on or around a letter, such as an accent or a vowel
    sign."""
    if sign.isascii():
        return False
    return unicodedata.category(sign)[0] == "M" and not _VARIANT.match(sign)
