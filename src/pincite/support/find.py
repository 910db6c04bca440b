"""Where a text stands in a file now: the one finder, for packs and for quotes.

Its time grows with the file and the text alone, whatever is in them: a text is looked for once
forwards and once backwards, and never again from each place where it was found.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

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
) -> Lines | None:
    """The lines of `text` where `wanted` stands, None where it does not, or is empty.

    If it stands there several times: the first place inside the lines `near`, else the place that
    begins nearest to their beginning, the earlier of two that are equally near. With `spaces="any"`
    white space is all the same, and so are line ends. Otherwise every character counts;
    `starts_line` and `ends_line` say that `wanted` begins and ends where a line does. Lines end
    with a newline, and a carriage return before it belongs to it.
    """
    searched = _Searched.exact(text) if spaces == "exact" else _Searched.words(text)
    if spaces == "any":
        wanted = " ".join(wanted.split())
    found = searched.nearest(wanted, near, starts_line, ends_line)
    return None if found is None else found[1]


def find_position(
    text: str, wanted: str, near: Lines, *, starts_line: bool = False, ends_line: bool = False
) -> int | None:
    """As `find_text`, every character counting: where in `text` it begins."""
    found = _Searched.exact(text).nearest(wanted, near, starts_line, ends_line)
    return None if found is None else found[0]


def find_chars(text: str, wanted: str, near: int) -> int | None:
    """Where `wanted` begins in `text`, nearest to the position `near`, the earlier of two; None
    where it does not stand there, or is empty."""
    if not wanted:
        return None
    after = text.find(wanted, near)
    head = text[: near + len(wanted) - 1]
    back = head[::-1].find(wanted[::-1])  # as below: `rfind` is quadratic at worst
    found = [at for at in (len(head) - back - len(wanted) if back >= 0 else -1, after) if at >= 0]
    return min(found, key=lambda at: abs(at - near), default=None)


@dataclass(frozen=True, slots=True)
class _Searched:
    """A text that is searched. `begins` says where its lines begin in it, `numbers` which lines of
    the file they are."""

    text: str
    begins: array[int]
    numbers: array[int]

    @classmethod
    def exact(cls, text: str) -> _Searched:
        lines = text.split("\n")
        return cls(text, _begins(lines), array("Q", range(1, len(lines) + 1)))

    @classmethod
    def words(cls, text: str) -> _Searched:
        """Words with single spaces between them; lines without a word are left out."""
        lines = [" ".join(line.split()) for line in text.split("\n")]
        numbers = array("Q", (number for number, line in enumerate(lines, 1) if line))
        lines = [line for line in lines if line]
        return cls(" ".join(lines), _begins(lines), numbers)

    def line_at(self, position: int) -> int:
        return self.numbers[bisect_right(self.begins, position) - 1]

    def nearest(
        self, wanted: str, near: Lines, starts_line: bool, ends_line: bool
    ) -> tuple[int, Lines] | None:
        """Position and lines of the place that `find_text` gives."""
        if not wanted:
            return None
        found = [
            (begin, Lines(self.line_at(begin), self.line_at(begin + len(wanted) - 1)))
            for begin in self.places(wanted, near.start, starts_line, ends_line)
        ]

        def order(place: tuple[int, Lines]) -> tuple[bool, int, int]:
            lines = place[1]
            inside = near.start <= lines.start and lines.end <= near.end
            return not inside, abs(lines.start - near.start), lines.start

        return min(found, key=order, default=None)

    def places(self, wanted: str, line: int, starts_line: bool, ends_line: bool) -> Iterator[int]:
        """Positions of the first place that begins in the line or later, and of the last one that
        begins before it; one of each for each way in which a line can end. Every place inside of
        lines from `line` on ends no earlier than the first."""
        before, end = "\n" if starts_line else "", "\n" if ends_line else ""
        text = f"{before}{self.text}{end}"
        index = bisect_left(self.numbers, line)
        border = self.begins[index] if index < len(self.begins) else len(text)
        for after in ("\n", "\r\n") if ends_line else ("",):
            needle = f"{before}{wanted}{after}"
            position = text.find(needle, border)
            if position >= 0:
                yield position
            head = text[: max(0, border - 1) + len(needle)]
            # backwards by hand: unlike `find`, `rfind` is quadratic at worst
            back = head[::-1].find(needle[::-1]) if border else -1
            if back >= 0:
                yield len(head) - back - len(needle)


def _begins(lines: list[str]) -> array[int]:
    """Where each of the lines begins if they are joined by one character."""
    return array("Q", accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
