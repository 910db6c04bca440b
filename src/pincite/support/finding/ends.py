"""How a part of a text begins and ends: with a line, with a word or number, or inside of one.

A page, a cell and a row of a table end with a line of the extracted text.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from pincite.support.finding.code_letters import Escapes
from pincite.support.finding.word_ends import whole

End = Literal["line", "word", "any"]


class Ends(NamedTuple):
    """What must be at both ends of a part of a text; "any" stands for a cut inside of a word."""

    begin: End
    end: End

    def looser(self, other: Ends) -> Ends:
        """Return what is asked by both."""
        return Ends(_looser(self.begin, other.begin), _looser(self.end, other.end))


LINES: Final = Ends("line", "line")
WORDS: Final = Ends("word", "word")
ANYWHERE: Final = Ends("any", "any")


def _looser(one: End, other: End) -> End:
    return max(one, other, key=("line", "word", "any").index)


class Part(NamedTuple):
    """A part of a text, and how it begins and ends there."""

    text: str
    ends: Ends


def part_of(text: str, start: int, end: int) -> Part:
    """Return `text[start:end]` with what is at its ends."""
    words = words_at(text, start, end)
    begin = "line" if begins_line(text, start) else words.begin
    stop = "line" if ends_line(text, end) else words.end
    return Part(text[start:end], Ends(begin, stop))


def words_at(text: str, start: int, end: int) -> Ends:
    """Return at which ends `text[start:end]` has whole words, without looking at lines."""
    begins = has_words_at(text, start, end, Ends("word", "any"))
    stops = has_words_at(text, start, end, Ends("any", "word"))
    return Ends("word" if begins else "any", "word" if stops else "any")


def has_ends(text: str, start: int, end: int, ends: Ends, *, escapes: Escapes = "") -> bool:
    """Does `text[start:end]` begin and end so? White space at the ends of a line does not count;
    `escapes` are those of `text`, see `whole`."""
    if ends.begin == "line" and not begins_line(text, start):
        return False
    if ends.end == "line" and not ends_line(text, end):
        return False
    return has_words_at(text, start, end, ends, escapes=escapes)


def has_words_at(text: str, start: int, end: int, ends: Ends, *, escapes: Escapes = "") -> bool:
    """Does `text[start:end]` have whole words at those ends where words are asked for?"""
    begins, stops = ends.begin == "word", ends.end == "word"
    if not (begins or stops):
        return True
    return whole(text, start, end, escapes=escapes, begins=begins, ends=stops)


def begins_line(text: str, start: int) -> bool:
    """Is there nothing but white space before a position in its line?"""
    while start and text[start - 1] != "\n" and text[start - 1].isspace():
        start -= 1
    return start == 0 or text[start - 1] == "\n"


def ends_line(text: str, end: int) -> bool:
    """Is there nothing but white space from a position to the end of its line?"""
    while end < len(text) and text[end] != "\n" and text[end].isspace():
        end += 1
    return end == len(text) or text[end] == "\n"
