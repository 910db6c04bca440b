"""Find the current position of a text in a file, for packs and for quotes.

The time is linear in the file and the text, whatever they contain: the text is searched once
forwards and once backwards, and never again from each place where it was found.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Final, Literal

from pincite.support.finding.code_letters import Escapes
from pincite.support.finding.ends import ANYWHERE, WORDS, Ends, has_ends, has_words_at
from pincite.support.finding.word_ends import beside, places, whole_places

_MOST_KNOWN: Final = 2_000_000  # positions, of 8 bytes each

Spaces = Literal["exact", "any"]


@dataclass(frozen=True, slots=True)
class Lines:
    """First and last line, 1-based and inclusive."""

    start: int
    end: int


def find_text(
    text: str,
    wanted: str,
    near: Lines,
    *,
    spaces: Spaces = "exact",
    starts_line: bool = False,
    ends_line: bool = False,
    ends: Ends = ANYWHERE,
    escapes: Escapes = "",
) -> Lines | None:
    """Return the lines of `text` that contain `wanted`, None if it does not occur or is empty.

    Of several places the first one inside the lines `near` is returned, else the one that begins
    nearest to their beginning; the earlier of two at the same distance. With `spaces="any"`, all
    white space is equal, including line ends. An end that is "word" in `ends` must then not be
    inside a word or number, see `whole`; `escapes` are those of `text`. Otherwise see `find_span`.
    """
    if spaces == "any":
        return Words(text).find(wanted, near, ends=ends, escapes=escapes)
    span = find_span(text, wanted, near, starts_line=starts_line, ends_line=ends_line)
    if span is None:
        return None
    first = text.count("\n", 0, span[0]) + 1
    return Lines(first, first + text.count("\n", span[0], span[1] - 1))


class Words:
    """A text, for several searches like `find_text` with `spaces="any"`: its white space is read
    once."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _searched(self) -> _Searched:
        return _Searched.words(self._text)

    def find(
        self, wanted: str, near: Lines, *, ends: Ends = ANYWHERE, escapes: Escapes = ""
    ) -> Lines | None:
        """Return the lines that contain `wanted`; see `find_text`."""
        words = " ".join(wanted.split())
        found = self._searched.nearest(words, near, ends=ends, escapes=escapes)
        return None if found is None else found[1]


def find_span(
    text: str, wanted: str, near: Lines, *, starts_line: bool = False, ends_line: bool = False
) -> tuple[int, int] | None:
    """Return the begin and the end in `text` of the place that `find_text` finds.

    Every character counts; `starts_line` and `ends_line` say that `wanted` begins and ends where a
    line does. Lines end with a newline, and a carriage return before it belongs to it. If there is
    no such place, one with other line ends is returned, with "\\n" for "\\r\\n" or the reverse.
    """
    return Exact(text).find(wanted, near, starts_line=starts_line, ends_line=ends_line)


class Exact:
    """A text, for several searches like `find_span`: its lines are read once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _searched(self) -> _Searched:
        return _Searched.exact(self.text)

    @property
    def begins(self) -> Sequence[int]:
        """The positions where the lines begin."""
        return self._searched.begins

    @cached_property
    def _bare(self) -> _Searched:
        return _Searched.exact(without_returns(self.text))

    def find(
        self, wanted: str, near: Lines, *, starts_line: bool = False, ends_line: bool = False
    ) -> tuple[int, int] | None:
        """Return the begin and the end of the place that `find_span` finds."""
        found = self._searched.nearest(wanted, near, starts_line, ends_line)
        if found is not None:
            return found[0], found[0] + len(wanted)
        if "\r\n" not in self.text and "\r\n" not in wanted:
            return None
        searched, bare = self._bare, without_returns(wanted)
        found = searched.nearest(bare, near, starts_line, ends_line)
        if found is None:
            return None
        begins = self._searched.begins  # the same lines, with their carriage returns

        def position(at: int) -> int:
            line = bisect_right(searched.begins, at) - 1
            return begins[line] + at - searched.begins[line]

        return position(found[0]), position(found[0] + len(bare))


def has_words(
    text: str,
    start: int,
    end: int,
    wanted: str,
    *,
    ends: Ends = WORDS,
    escapes: Escapes = "",
) -> bool:
    """Return whether `text[start:end]` contains `wanted`, ignoring differences of white space. An
    end that is "word" in `ends` must have a whole word; `escapes` are those of `text`."""
    part, words = text[start:end], " ".join(wanted.split())
    inside = " ".join(part.split())
    begins, stops = ends.begin == "word", ends.end == "word"
    if not words or not (begins or stops):
        return bool(words) and words in inside
    size = beside(escapes)
    before = text[max(0, start - size) : start] + (" " if part[:1].isspace() else "")
    after = (" " if part[-1:].isspace() else "") + text[end : end + size]
    last = len(before) + len(inside) - len(words)
    joined = f"{before}{inside}{after}"
    found = whole_places(joined, words, escapes=escapes, begins=begins, ends=stops)
    return any(len(before) <= at <= last for at in found)


def without_returns(text: str) -> str:
    """Return the text with "\\n" for "\\r\\n". A carriage return that ends no line stays."""
    return text.replace("\r\n", "\n")


def find_chars(text: str, wanted: str, near: int, ends: Ends = ANYWHERE) -> int | None:
    """Return the position of `wanted` in `text` that is nearest to the position `near`, the earlier
    of two at the same distance; None if it does not occur or is empty. It must have these
    `ends`."""
    found = (at for at in places(text, wanted) if has_ends(text, at, at + len(wanted), ends))
    return min(found, key=lambda at: abs(at - near), default=None)


@dataclass(frozen=True, slots=True)
class _Searched:
    """A text to search in. `begins` are the positions of its lines, `numbers` their numbers in the
    file. `known` are positions of texts that were searched."""

    text: str
    begins: array[int]
    numbers: array[int]
    known: dict[tuple[str, Escapes, Ends], array[int]] = field(default_factory=dict)

    @classmethod
    def exact(cls, text: str) -> _Searched:
        lines = text.split("\n")
        return cls(text, _begins(lines), array("Q", range(1, len(lines) + 1)))

    @classmethod
    def words(cls, text: str) -> _Searched:
        """Return the text as words with single spaces between them; lines without a word are left
        out."""
        lines = [" ".join(line.split()) for line in text.split("\n")]
        numbers = array("Q", (number for number, line in enumerate(lines, 1) if line))
        lines = [line for line in lines if line]
        return cls(" ".join(lines), _begins(lines), numbers)

    def line_at(self, position: int) -> int:
        return self.numbers[bisect_right(self.begins, position) - 1]

    def nearest(
        self,
        wanted: str,
        near: Lines,
        starts_line: bool = False,
        ends_line: bool = False,
        *,
        ends: Ends = ANYWHERE,
        escapes: Escapes = "",
    ) -> tuple[int, Lines] | None:
        """Return position and lines of the place that `find_text` returns."""
        if not wanted:
            return None

        def located(begin: int) -> tuple[int, Lines]:
            return begin, Lines(self.line_at(begin), self.line_at(begin + len(wanted) - 1))

        def order(place: tuple[int, Lines]) -> tuple[bool, int, int]:
            lines = place[1]
            inside = near.start <= lines.start and lines.end <= near.end
            return not inside, abs(lines.start - near.start), lines.start

        places = self.places(wanted, near.start, starts_line, ends_line)
        found = min(map(located, places), key=order, default=None)
        if found is None:
            return None
        if has_words_at(self.text, found[0], found[0] + len(wanted), ends, escapes=escapes):
            return found
        places = self.beside(self.whole_places(wanted, ends, escapes), near.start)
        return min(map(located, places), key=order, default=None)

    def whole_places(self, wanted: str, ends: Ends, escapes: Escapes) -> array[int]:
        """Return all positions where `wanted` has whole words at those ends that are "word". The
        positions of recent texts are cached."""
        key = wanted, escapes, ends
        if key not in self.known:
            if sum(map(len, self.known.values())) + len(self.known) > _MOST_KNOWN:
                self.known.clear()
            begins, stops = ends.begin == "word", ends.end == "word"
            self.known[key] = array(
                "Q", whole_places(self.text, wanted, escapes=escapes, begins=begins, ends=stops)
            )
        return self.known[key]

    def beside(self, places: array[int], line: int) -> Iterator[int]:
        """Yield two of the ascending positions `places`: the first one from the line on, and the
        first one in the last line before it that has any."""
        index = bisect_left(self.numbers, line)
        border = self.begins[index] if index < len(self.begins) else len(self.text)
        after = bisect_left(places, border)
        yield from places[after : after + 1]
        if after:
            begin = self.begins[bisect_right(self.begins, places[after - 1]) - 1]
            yield places[bisect_left(places, begin)]

    def places(self, wanted: str, line: int, starts_line: bool, ends_line: bool) -> Iterator[int]:
        """Yield the positions of the first place that begins in the line or later, and of the last
        one that begins before it, for each form of line end. Every place inside lines from `line`
        on ends no earlier than the first."""
        before, end = "\n" if starts_line else "", "\n" if ends_line else ""
        text = f"{before}{self.text}{end}"
        index = bisect_left(self.numbers, line)
        border = self.begins[index] if index < len(self.begins) else len(text)
        for after in ("\n", "\r\n") if ends_line else ("",):
            needle = f"{before}{wanted}{after}"
            position = text.find(needle, border)
            if position >= 0:
                yield position
            last = max(0, border - 1) + len(needle)
            if border and text.find(needle, 0, last) >= 0:
                head = text[:last]
                # backwards by hand: unlike `find`, `rfind` is quadratic at worst
                yield len(head) - head[::-1].find(needle[::-1]) - len(needle)


def _begins(lines: list[str]) -> array[int]:
    """Return the position of each line if the lines are joined by one character."""
    return array("Q", accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
