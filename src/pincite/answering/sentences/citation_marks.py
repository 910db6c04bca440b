"""Find citations such as `[1]` in the text of a model."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pincite.answering.sentences.verbatim import code_of

#: Characters that may be between bracket and number, as they are hardly visible.
_UNSEEN: Final = r"[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]{0,4}"
_NUMBERS: Final = rf"\d{{1,3}}(?:{_UNSEEN}(?:[,;&–-]|and){_UNSEEN}\d{{1,3}}){{0,40}}"
#: Citations as models write them: `[1]`, `[1, 3-5]`, `[passage 1]`, `[^1]`, their forms with wide
#: brackets, and those with a name, `【1†source】`.
CITATION: Final = (
    rf"(?:\[(?:\^|{_UNSEEN}(?:[Pp]assage|[Ss]ource)s?\s)?{_UNSEEN}{_NUMBERS}{_UNSEEN}\]"
    rf"|[【［]{_UNSEEN}{_NUMBERS}(?::\d{{1,3}})?(?:†[^【】［］\n]{{0,60}})?{_UNSEEN}[】］])"
)
#: A citation, and not a link, index or word: their characters do not follow it.
_FOUND: Final = re.compile(rf"{CITATION}(?![(A-Za-z0-9_])")
_RANGE: Final = re.compile(rf"(\d{{1,3}})(?:{_UNSEEN}[–-]{_UNSEEN}(\d{{1,3}}))?")
#: An ordinary word or number. Some models write a citation directly after it: `the secret[1].`
_PLAIN_WORD: Final = re.compile(r"(?:^|[\s(\"'“‘*—–-])(?:[A-Za-z]{3,30}|\d{1,9})\Z")
_ENDS: Final = re.compile(r"[.,;!?)\]*_]*(?:\s|\Z|\[)")
_END: Final = re.compile(r"[.,;!?)\]*_]+(?:\s|\Z|\[)|\s*\Z|\[")
_LONGEST_WORD: Final = 32
_WRAPPED: Final = {"(": ")", "[": "]", "（": "）"}


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation at `text[start:end]`; `runs` are the ranges of its numbers. If it is `glued`, it
    directly follows a word in the middle of a sentence, and may be an index of code instead."""

    start: int
    end: int
    runs: tuple[range, ...]
    glued: bool = False

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return all numbers, in order."""
        return tuple(number for run in self.runs for number in run)


def citations(text: str) -> Iterator[Cited]:
    """Yield the citations of a text outside of code, in order. Several may be adjacent.

    `x[1]`, `f(x)[1]`, `[1](a link)` and a line that begins with `[1]: ` are not citations. Takes
    time linear in the text.
    """
    code = code_of(text)
    begins = [start for start, _ in code]
    before = -1
    for match in _FOUND.finditer(text):
        start, end = match.span()
        place = bisect_right(begins, start) - 1
        if place >= 0 and start < code[place][1]:
            continue
        after_code = place >= 0 and code[place][1] == start
        behind_word = after_code or _behind_word(text, start)
        if start == before or after_code or _may_stand(text, start, end):
            before = end
            glued = behind_word and _END.match(text, end) is None
            yield Cited(start, end, _runs(match[0]), glued)


def without_citations(text: str) -> str:
    """Return the text without its citations and the white space before each."""
    parts, at = [], 0
    for one in citations(text):
        parts.append(text[at : before_of(text, one.start, at)])
        at = one.end
    return "".join((*parts, text[at:]))


def escaped(text: str) -> str:
    """Return the text with a backslash before each part that would be a citation."""
    parts, at = [], 0
    for one in citations(text):
        parts.append(text[at : one.start])
        at = one.start
    return "\\".join((*parts, text[at:]))


def before_of(text: str, start: int, least: int) -> int:
    """Return the start of the white space before `start` on its line, at least `least`."""
    while start > least and text[start - 1] in " \t":
        start -= 1
    return start


def wrapped(text: str, start: int, end: int) -> bool:
    """Return whether brackets enclose this part and would be left empty without it."""
    return start > 0 and end < len(text) and _WRAPPED.get(text[start - 1]) == text[end]


def _may_stand(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    if text[end : end + 1] == ":" and not text[text.rfind("\n", 0, start) + 1 : start].strip():
        return False  # the definition of a link
    if before in ")]`":
        return False
    if not _behind_word(text, start):
        return True
    word = text[max(0, start - _LONGEST_WORD) : start]
    return _PLAIN_WORD.search(word) is not None and _ENDS.match(text, end) is not None


def _behind_word(text: str, start: int) -> bool:
    before = text[start - 1] if start else " "
    return before.isascii() and (before.isalnum() or before == "_")


def _runs(written: str) -> tuple[range, ...]:
    """Return the ranges of numbers of a citation such as `[1, 3-5]`."""
    written = re.split("[:†]", written)[0]
    found = []
    for match in _RANGE.finditer(written):
        first = int(match[1])
        found.append(range(first, int(match[2] or first) + 1))
    return tuple(found)
