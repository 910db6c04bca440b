"""Does a text begin and end where words and numbers do?

"30 days" is not a quote of "130 days", nor "able to" one of "unable to" or "5 percent" one of "0.5
percent". Scripts that are written without spaces have no such ends.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

BESIDE: Final = 6  #: characters before and after a place that decide
#: Thai, Lao, Tibetan, Burmese, Khmer, Chinese, Japanese and Korean: words follow each other without
#: spaces, or end in particles.
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff]"
)
#: Before a digit that is not the first one of its number: `0.`, `1,` before three digits, ` .`.
_MORE_BEFORE: Final = re.compile(r"(?:\d\.|(?:^|[^\w.])\.)\Z")
_GROUP_BEFORE: Final = re.compile(r"\d[,'’]\Z")
_GROUP: Final = re.compile(r"\d{3}(?!\d)")
#: A minus before a number: no hyphen of a word, no range.
_MINUS: Final = re.compile(r"(?:^|(?:^|[^\d\s])\s|[(\[{=:<>,;|\"“'‘])[-−–]\Z")
_MORE_AFTER: Final = re.compile(r"\.\d|[,'’]\d{3}(?!\d)")
_NOT: Final = re.compile(r"['’]t(?!\w)", re.IGNORECASE)


def whole(text: str, start: int, end: int) -> bool:
    """Does `text[start:end]` begin and end with a word, a number or neither? Punctuation at an end
    ends words, except for a decimal point. White space is single spaces."""
    before = text[max(0, start - BESIDE) : start]
    after = text[end : end + BESIDE]
    head, tail = text[start : min(end, start + BESIDE)], text[max(start, end - BESIDE) : end]
    if not head:
        return False
    return _begins(before, head, head + after) and _ends(tail, after)


def whole_places(text: str, wanted: str) -> Iterator[int]:
    """Yield the positions of `wanted` in `text` where it is whole. Time linear in both, whatever
    they have: this is the search of Knuth, Morris and Pratt (1977)."""
    if not wanted or wanted not in text:
        return
    size, known = len(wanted), 0
    shorter = [0] * size  # by last character: the longest end so far that is a beginning, too
    for at in range(1, size):
        while known and wanted[at] != wanted[known]:
            known = shorter[known - 1]
        known += wanted[at] == wanted[known]
        shorter[at] = known
    known = 0
    for at, sign in enumerate(text):
        while known and (known == size or sign != wanted[known]):
            known = shorter[known - 1]
        known += sign == wanted[known]
        if known == size and whole(text, at + 1 - size, at + 1):
            yield at + 1 - size


def _begins(before: str, head: str, following: str) -> bool:
    if not before:
        return True
    first, last = head[0], before[-1]
    if _joined(last, first, before[-2:-1]):
        return False
    if first in ".,'’" and last.isdigit() and following[1:2].isdigit():
        return first != "." and not _GROUP.match(following, 1)
    if not first.isdigit():
        return True
    if _GROUP_BEFORE.search(before) and _GROUP.match(following):
        return False
    return not (_MORE_BEFORE.search(before) or _MINUS.search(before))


def _ends(tail: str, after: str) -> bool:
    if not after:
        return True
    last, first = tail[-1], after[0]
    if _joined(first, last, after[1:2]) or unicodedata.combining(first):
        return False
    if last in ".,'’" and tail[-2:-1].isdigit() and first.isdigit():
        return last != "." and not _GROUP.match(after)
    if last.isdigit():
        return not _MORE_AFTER.match(after)
    return not (last.isalpha() and _NOT.match(after))


def _joined(outer: str, inner: str, beyond: str) -> bool:
    """Do the characters on both sides of an end belong to one word? An underscore joins two of
    them (`rotate_key`), and is also emphasis (`_word_`)."""
    if not inner.isalnum() or _UNSPACED.match(inner):
        return inner.isdigit() and outer.isdigit()
    if outer == "_":
        return beyond.isalnum() and not _UNSPACED.match(beyond)
    return outer.isalnum() and not _UNSPACED.match(outer)
