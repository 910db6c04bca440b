"""Text that the question has copied from a passage: an error message, a line of code, a flag."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise
from typing import Final

from pincite.stages.rank_code.messages import (
    filled,
    is_question,
    joined,
    templates,
    without_names,
)

_WORD: Final = re.compile(r"\w+")
_FLAG: Final = re.compile(r"(?<![\w-])--[a-z][\w-]*")
_QUOTED: Final = re.compile(r"(?<!\w)([\"'`])([^\"`\n]{5,500}?)\1(?!\w)")
_HEAD: Final = re.compile(r"([^\n]{10,200}?)[:.] ")  # of a message, before its values
_TOKEN: Final = re.compile(r"\S+")
#: Values that a message fills in: paths from a root, and numbers with their units.
_VALUE: Final = re.compile(r"[\"'`(<]?(?:(?:~|\.\.?)?/|[a-z]:[\\/]|\d)")
_BLANKS: Final = re.compile(r"[ \t]+")
#: Signs around which writers put blanks or not, and those that show that a question has code.
_SPACED: Final = "()[]{}<>=+-*/%&|^!,;?"
_OF_CODE: Final = frozenset("()[]{}<>=;")
_MESSAGE: Final = 5  # words of a message without its values; fewer fit many passages
_RUN: Final = 3  # consecutive words, at least, that count as copied; 4 finds fewer messages
_STARTS: Final = 30  # positions of a text where a run may begin
_MOST: Final = 200  # words of a text to compare: few passages have many more
_FLAGS: Final = 20  # flags of a question
_QUOTES: Final = 4  # quoted parts of a question
_POWER: Final = 4  # of the share of copied words: a few consecutive words mean little
_ENOUGH: Final = 6  # copied words from which the share counts in full; fewer match by chance
_FEW: Final = 2  # the exponent that reduces the share for fewer copied words
_PAIRS: Final = 30  # of words that are searched for in all passages; each takes 22 us in 40 kB


class Copied:
    """A question, to be compared with passages. Upper and lower case are ignored, and so are blanks
    next to signs if the question has signs of code: `f(a, b)` is copied from `f( a,b )`."""

    def __init__(self, question: str) -> None:
        text = question.lower()
        self._signs = "" if _OF_CODE.isdisjoint(text) else "".join(filter(text.count, _SPACED))
        said = [text, *without_names(text)]
        parts = [found[2] for found in _QUOTED.finditer(text)]
        asks = is_question(text) or text.endswith("?")
        self._has_message = bool(parts) or not asks
        head = _HEAD.match(text)
        if head is not None:
            parts.insert(0, head[1])
        runs = (_Runs(part) for part in (*said, *parts[:_QUOTES]))
        counted = [] if asks else [(one, len(_WORD.findall(one))) for one in said]
        self._messages = [(one, words) for one, words in counted if words <= _MOST]
        self._parts = [one for one in runs if one.begins]
        self._pairs = frozenset[str]().union(*(one.pairs for one in self._parts))
        self._flags = frozenset(_FLAG.findall(text)[:_FLAGS])
        self._line = _Runs(_closed_up(text, self._signs)) if self._signs else None

    def parts(self, texts: Sequence[str]) -> list[float]:
        """Return how much of the question each passage has literally, in 0..1.

        That is the largest of these values for the question, for the rest behind names in front of
        it (`InputError: `), for its beginning up to a colon or full stop, and for its quoted parts:
        the share of words in runs of three or more that the passage also has, to the power of four,
        reduced below six words. The same share is taken without paths and numbers, which a message
        fills in, if at least five words are left. It is also taken without the values of a literal
        of the passage (`"option %r requires a value"`) if the question has all words of the literal
        in their order: three or more, two of them with four letters. A text that begins like a
        question (`how do I upgrade to 2.0`) is no message. The share of the question's flags
        (`--name`) in the passage counts if it is larger.

        A passage that has no two consecutive words of the question has copied nothing but flags.
        Questions with more than 30 such pairs are compared with all passages.
        """
        found = [0.0] * len(texts)
        if not self._parts and not self._flags:
            return found
        lower = [text.lower() for text in texts]
        places: Sequence[int] = range(len(lower))
        if 0 < len(self._pairs) <= _PAIRS:
            places = _having(self._pairs, lower)
        for place in places if self._parts else ():
            found[place] = self._part(lower[place])
        if self._line is not None:
            closed = (self._line.copied(_closed_up(text, self._signs)) for text in lower)
            found = list(map(max, found, closed))
        if self._flags:
            found = [max(one, self._flags_in(text)) for one, text in zip(found, lower, strict=True)]
        return found

    def _flags_in(self, text: str) -> float:
        return len(self._flags.intersection(_FLAG.findall(text))) / len(self._flags)

    def _part(self, text: str) -> float:
        code = joined(text) if self._has_message else text
        copied = max(one.copied(code) for one in self._parts)
        return max(copied, self._filled(code)) if self._messages and copied < 1 else copied

    def _filled(self, code: str) -> float:
        """Return the value of `_part` for the message that a literal of the code gives."""
        best = 0.0
        for pieces in templates(code):
            for message, words in self._messages:
                count, values = filled(message, pieces)
                if count:
                    best = max(best, _part(min(count, words - values), words - values))
        return best


class _Runs:
    """The words of a text in lower case, and the `begins` of the runs to search for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words: list[tuple[int, int]] = []
        self._is_value: list[bool] = []
        asks = is_question(text)
        for token in _TOKEN.finditer(text):
            is_value = not asks and _VALUE.match(token[0]) is not None
            for one in _WORD.finditer(text, *token.span()):
                self._words.append(one.span())
                self._is_value.append(is_value)
        last = len(self._words) - _RUN + 1 if len(self._words) <= _MOST else 0
        step = max(1, -(-last // _STARTS))
        starts = range(0, max(0, last), step)
        self.begins = {start: self._between(start, start + _RUN) for start in starts}
        self.pairs = [text[one[0] : other[1]] for one, other in pairwise(self._words)]

    def copied(self, text: str) -> float:
        """Return the value of `_part` for the words in runs that the text also has: with values or
        without them, whichever is more."""
        count, values, end = 0, 0, 0  # words before `end` are counted
        for start, begin in self.begins.items():
            if start < end or begin not in text:
                continue
            first, after = start, start + _RUN
            while first > end and self._between(first - 1, after) in text:
                first -= 1
            while after < len(self._words) and self._between(first, after + 1) in text:
                after += 1
            count, end = count + after - first, after
            values += sum(self._is_value[first:after])
        whole = _part(count, len(self._words))
        others = len(self._words) - sum(self._is_value)
        return max(whole, _part(count - values, others)) if others >= _MESSAGE else whole

    def _between(self, first: int, after: int) -> str:
        return self._text[self._words[first][0] : self._words[after - 1][1]]


def _closed_up(text: str, signs: str) -> str:
    """Return a text without blanks next to these signs, and with one blank in place of several."""
    text = _BLANKS.sub(" ", text)
    for sign in signs:
        text = text.replace(f" {sign}", sign).replace(f"{sign} ", sign)
    return text


def _having(pairs: Collection[str], texts: Sequence[str]) -> list[int]:
    """Return the places of the texts that have any of these pairs of words. To search in all texts
    at once takes a third less than in one after the other."""
    whole = "\0".join(texts)
    ends = list(accumulate(len(text) + 1 for text in texts))
    found: set[int] = set()
    for pair in pairs:
        at = whole.find(pair)
        while at >= 0:
            place = bisect(ends, at)
            found.add(place)
            at = whole.find(pair, ends[place])
    return sorted(found)


def _part(count: int, words: int) -> float:
    return (count / words) ** _POWER * min(1.0, (count / _ENOUGH) ** _FEW)
