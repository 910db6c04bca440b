"""The ends of a part of a text: those of a line, of a word or number, or inside one.

In an extracted text, pages, cells and rows of tables end with a line.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from pincite.support.finding.code_letters import Escapes
from pincite.support.finding.word_ends import whole

End = Literal["line", "word", "any"]


class Ends(NamedTuple):
    """The required or existing ends of a part of a text: those of a line, of a word or number, or
    "any", also inside a word."""

    begin: End
    end: End

    def looser(self, other: Ends) -> Ends:
        """Return the less strict one of both at each end."""
        return Ends(_looser(self.begin, other.begin), _looser(self.end, other.end))


LINES: Final = Ends("line", "line")
WORDS: Final = Ends("word", "word")
ANYWHERE: Final = Ends("any", "any")


def _looser(one: End, other: End) -> End:
    return max(one, other, key=("line", "word", "any").index)


class Part(NamedTuple):
    """A part of a text, and its ends."""

    text: str
    ends: Ends


def part_of(text: str, start: int, end: int) -> Part:
    """Return `text[start:end]` with its strictest ends."""
    words = words_at(text, start, end)
    begin = "line" if begins_line(text, start) else words.begin
    stop = "line" if ends_line(text, end) else words.end
    return Part(text[start:end], Ends(begin, stop))


def words_at(text: str, start: int, end: int) -> Ends:
    """Return at which ends `text[start:end]` has whole words. Lines are not considered."""
    begins = has_words_at(text, start, end, Ends("word", "any"))
    stops = has_words_at(text, start, end, Ends("any", "word"))
    return Ends("word" if begins else "any", "word" if stops else "any")


def has_ends(text: str, start: int, end: int, ends: Ends, *, escapes: Escapes = "") -> bool:
    """Return whether `text[start:end]` has these ends. White space at the ends of a line does not
    count; `escapes` are those of `text`, see `whole`."""
    if ends.begin == "line" and not begins_line(text, start):
        return False
    if ends.end == "line" and not ends_line(text, end):
        return False
    return has_words_at(text, start, end, ends, escapes=escapes)


def has_words_at(text: str, start: int, end: int, ends: Ends, *, escapes: Escapes = "") -> bool:
    """Return whether `text[start:end]` has whole words at those ends that must be "word"."""
    begins, stops = ends.begin == "word", ends.end == "word"
    if not (begins or stops):
        return True
    return whole(text, start, end, escapes=escapes, begins=begins, ends=stops)


def begins_line(text: str, start: int) -> bool:
    """Return whether only white space precedes a position in its line."""
    while start and text[start - 1] != "\n" and text[start - 1].isspace():
        start -= 1
    return start == 0 or text[start - 1] == "\n"


def ends_line(text: str, end: int) -> bool:
    """Return whether only white space follows a position in its line."""
    while end < len(text) and text[end] != "\n" and text[end].isspace():
        end += 1
    return end == len(text) or text[end] == "\n"
