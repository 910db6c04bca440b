"""Does a text begin and end where words and numbers do?

"30 days" is not a quote of "130 days", nor "able to" one of "unable to" or "5 percent" one of "0.5
percent". Scripts that are written without spaces have no such ends.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

BESIDE: Final = 24  #: characters before and after a place that decide
_LONG: Final = 200  # characters of a text, and
_MANY: Final = 20  # its words, above which the words around it no longer matter
#: Thai, Lao, Tibetan, Burmese, Khmer, Chinese, Japanese and Korean: words follow each other without
#: spaces, or end in particles.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)
#: Before a digit that is not the first one of its number: `0.`, `1,` before three digits, ` .`.
_MORE_BEFORE: Final = re.compile(r"(?:\d\.|(?:^|[^\w.])\.)\Z")
#: A minus before a number: no hyphen of a word, no range.
_MINUS: Final = re.compile(r"(?:^|(?:^|[^\d\s])\s|[(\[{=:<>,;|\"“'‘])[-−–]\Z")
_DECIMAL_AFTER: Final = re.compile(r"\.\d")
#: Digits and separators of thousands up to a place, and from it.
_RUN_BEFORE: Final = re.compile(r"[\d,'’]*\Z")
_RUN_AFTER: Final = re.compile(r"[\d,'’]*")
_THOUSANDS: Final = re.compile(r"\d{1,3}([,'’])\d{3}(?:\1\d{3})*")
#: Three or more numbers of three digits, none with a leading zero: `200,404,500`.
_CODES: Final = re.compile(r"[1-9]\d\d(?:,[1-9]\d\d){2,}")
_OPENS: Final = re.compile(r"(?:[\[{]|\w\()\Z")
#: The letter of an escape (`\n`, not `\\n`) or of a format (`%s`, `%3d`) is not one of a word.
_CODE_LETTER: Final = re.compile(
    r"(?:(?:^|[^\\])(?:\\\\)*\\[abdefnrstvwzABDSWZ]|%[\d.]{0,4}[dfisux])\Z"
)
#: How the sign before is drawn: no part of a word.
_VARIANT: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_NOT: Final = re.compile(r"['’]t(?!\w)", re.IGNORECASE)


def whole(text: str, start: int, end: int) -> bool:
    """Does `text[start:end]` begin and end with a word, a number or neither? Punctuation at an end
    ends words, except for a decimal point. White space is single spaces."""
    if start >= end:
        return False
    pair = text[start - 1 : start + 1] if start else ""
    if pair.isascii() and pair.isalnum() and not _code_letter(text[max(0, start - 8) : start]):
        return False  # the most frequent answer, without the rest
    begins = _begins(text[max(0, start - BESIDE) : start], text[start : start + BESIDE])
    return begins and _ends(text[max(0, end - BESIDE) : end], text[end : end + BESIDE])


def is_passage(words: str) -> bool:
    """Is this text, with single spaces, so long that it is a quote wherever it occurs? Long
    passages of an index may begin or end inside of a word."""
    return len(words) > _LONG or words.count(" ") >= _MANY


def whole_places(text: str, wanted: str) -> Iterator[int]:
    """Yield the positions of `wanted` in `text` where it is whole. Time linear in both, whatever
    they have."""
    if not wanted:
        return
    size, spent = len(wanted), 0
    at = text.find(wanted)
    while at >= 0 and spent <= 2 * len(text):  # more only if places overlap
        if whole(text, at, at + size):
            yield at
        spent += size
        at = text.find(wanted, at + 1)
    if at >= 0:
        yield from (at for at in _overlapping(text, wanted, at) if whole(text, at, at + size))


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


def _begins(before: str, head: str) -> bool:
    if not before:
        return True
    first, last = head[0], before[-1]
    if _is_mark(first) and not last.isspace():
        return False
    if _joined(last, first, before[-2:-1]):
        return _code_letter(before)
    if first in ".,'’" and last.isdecimal() and head[1:2].isdecimal():
        return first != "." and not _in_thousands(before, head)
    if not first.isdecimal():
        return True
    if last in ",'’" and before[-2:-1].isdecimal() and _in_thousands(before, head):
        return False
    return not (_MORE_BEFORE.search(before) or _MINUS.search(before))


def _ends(tail: str, after: str) -> bool:
    if not after:
        return True
    last, first = tail[-1], after[0]
    if _is_mark(first):
        return False
    if _joined(first, last, after[1:2]):
        return _code_letter(tail)
    if last in ".,'’" and tail[-2:-1].isdecimal() and first.isdecimal():
        return last != "." and not _in_thousands(tail, after)
    if last.isdecimal():
        more = first in ",'’" and after[1:2].isdecimal() and _in_thousands(tail, after)
        return not (more or _DECIMAL_AFTER.match(after))
    return not (last.isalpha() and _NOT.match(after))


def _code_letter(before: str) -> bool:
    near = before[-8:]
    return ("\\" in near or "%" in near) and bool(_CODE_LETTER.search(near))


def _in_thousands(before: str, after: str) -> bool:
    """Is a place inside of a number like 1,000? Not where a list is as likely."""
    left, right = _RUN_BEFORE.search(before), _RUN_AFTER.match(after)
    if left is None or right is None:
        return False
    run = left[0] + right[0]
    number, following = run.strip(",'’"), after[right.end() : right.end() + 1]
    if not _THOUSANDS.fullmatch(number) or _CODES.fullmatch(number):
        return False
    if run.startswith(",") or (run.endswith(",") and following.isalnum()):
        return False
    return not (following in tuple(")]}") and _OPENS.search(before, 0, left.start()))


def _joined(outer: str, inner: str, beyond: str) -> bool:
    """Do the characters on both sides of an end belong to one word? An underscore joins two of
    them (`rotate_key`), and is also emphasis (`_word_`)."""
    if not _in_word(inner) or _UNSPACED.match(inner):
        return inner.isdecimal() and outer.isdecimal()
    if outer == "_":
        return beyond.isalnum() and not _UNSPACED.match(beyond)
    return _in_word(outer) and not _UNSPACED.match(outer)


def _in_word(sign: str) -> bool:
    """Letters, digits and marks; not the numbers of footnotes, exponents and lists, nor ½."""
    return _is_mark(sign) or (sign.isalnum() and unicodedata.category(sign) != "No")


def _is_mark(sign: str) -> bool:
    """Is it a sign on or around a letter: an accent, a vowel sign?"""
    if sign.isascii():
        return False
    return unicodedata.category(sign)[0] == "M" and not _VARIANT.match(sign)
