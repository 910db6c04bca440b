"""Text that has moved is found again, by one finder."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.support.finding.ends import WORDS
from pincite.support.finding.find import Lines, Words, find_text

_MANY = 300_000


def test_the_place_inside_the_lines_counts_before_a_nearer_one() -> None:
    text = "x\nfish\nx\nx\nfish\n"
    assert find_text(text, "fish", Lines(3, 5)) == Lines(5, 5)
    assert find_text(text, "fish", Lines(3, 4)) == Lines(2, 2)


def test_of_equally_near_places_it_is_the_earlier() -> None:
    assert find_text("fish\nx\nfish", "fish", Lines(2, 2)) == Lines(1, 1)


def test_white_space_is_all_the_same_where_that_is_asked_for() -> None:
    text = "\n a\twalrus \n\n sleeps\r\non ice"
    assert find_text(text, "walrus sleeps  on\n", Lines(1, 1), spaces="any") == Lines(2, 5)
    assert find_text(text, "walrus sleeps on", Lines(1, 1)) is None


def test_what_was_whole_lines_is_found_as_whole_lines() -> None:
    text = "xa\nb\na\nbx\na\nb"
    assert find_text(text, "a\nb", Lines(1, 2)) == Lines(1, 2)
    assert find_text(text, "a\nb", Lines(1, 2), ends_line=True) == Lines(1, 2)
    assert find_text(text, "a\nb", Lines(1, 2), starts_line=True) == Lines(3, 4)
    assert find_text(text, "a\nb", Lines(1, 2), starts_line=True, ends_line=True) == Lines(5, 6)
    assert find_text("a\r\nb", "a", Lines(2, 2), starts_line=True, ends_line=True) == Lines(1, 1)


@pytest.mark.parametrize("wanted", ["", " \n"])
def test_no_words_are_nowhere(wanted: str) -> None:
    assert find_text("a  \n b", wanted, Lines(1, 1), spaces="any") is None
    assert find_text("", wanted, Lines(1, 1)) is None


_TEXTS = st.text(alphabet="ab \n\r", max_size=30)


def looked_for(
    text: str, wanted: str, near: Lines, starts_line: bool, ends_line: bool
) -> Lines | None:
    """The lines of the place that `find_text` describes, by a look at every position."""
    ended = f"{text}\n" if ends_line else text
    places = []
    for begin in range(len(text)) if wanted else ():
        end = begin + len(wanted)
        begins = not starts_line or begin == 0 or text[begin - 1] == "\n"
        ends = not ends_line or ended.startswith(("\n", "\r\n"), end)
        if text.startswith(wanted, begin) and begins and ends:
            places.append(Lines(1 + text.count("\n", 0, begin), 1 + text.count("\n", 0, end - 1)))
    inside = [one for one in places if near.start <= one.start and one.end <= near.end]
    return min(inside or places, key=lambda one: abs(one.start - near.start), default=None)


@given(_TEXTS, _TEXTS, st.integers(1, 9), st.integers(0, 4), st.booleans(), st.booleans())
@example("\n", "\r\n", 1, 0, False, False)
@example("a\r\nb\n", "a\nb", 1, 0, True, True)
def test_it_finds_what_looking_at_every_position_finds(
    text: str, wanted: str, first: int, more: int, starts_line: bool, ends_line: bool
) -> None:
    near = Lines(first, first + more)
    expected = looked_for(text, wanted, near, starts_line, ends_line)
    if expected is None:  # with other line ends
        bare = text.replace("\r\n", "\n"), wanted.replace("\r\n", "\n")
        expected = looked_for(*bare, near, starts_line, ends_line)
    found = find_text(text, wanted, near, starts_line=starts_line, ends_line=ends_line)
    assert found == expected


@given(_TEXTS, _TEXTS, st.integers(1, 9))
def test_words_are_found_in_the_lines_where_they_stand(text: str, wanted: str, line: int) -> None:
    found = find_text(text, wanted, Lines(line, line), spaces="any")
    words = " ".join(wanted.split())
    assert (found is not None) == (bool(words) and words in " ".join(text.split()))
    if found is not None:
        lines = text.split("\n")[found.start - 1 : found.end]
        assert words in " ".join("\n".join(lines).split())
        assert all(lines[end].split() for end in (0, -1))


@pytest.mark.timeout(120)  # they took minutes when each place was looked for by itself
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a\n" * _MANY, "a"),
        ("a\n" * _MANY, "a\n" * (_MANY // 2) + "b"),
        ("a\n" * _MANY, "b\n" + "a\n" * (_MANY // 2)),
        ("a\n" * _MANY, "a\n" * (_MANY // 2) + "a"),
        ("a" * 2 * _MANY, "b" + "a" * _MANY),
    ],
    ids=["one word", "nearly half", "nearly half backwards", "half", "one long word"],
)
def test_a_hostile_file_is_searched_in_bounded_time(text: str, wanted: str) -> None:
    middle = Lines(_MANY // 2, _MANY // 2)
    known = wanted in text
    for alike in (True, False):
        whole = find_text(text, wanted, middle, starts_line=alike, ends_line=alike)
        assert (whole is not None) == known
    assert (find_text(text, wanted, middle, spaces="any") is not None) == known


def test_the_places_of_a_quote_are_looked_for_once() -> None:
    """A line that a text has very often, quoted without the beginning of a word."""
    lines = 60_000
    words = Words("the same line again\n" * lines)
    for line in range(1, lines, 300):
        found = words.find("he same line", Lines(line, line), ends=WORDS)
        assert found is None


@given(st.text("ab \n", max_size=40), st.text("ab ", max_size=5), st.integers(1, 12))
def test_a_second_search_finds_the_same(text: str, wanted: str, line: int) -> None:
    words, near = Words(text), Lines(line, line + 1)
    words.find(wanted, Lines(1, 1), ends=WORDS)
    assert words.find(wanted, near, ends=WORDS) == find_text(
        text, wanted, near, spaces="any", ends=WORDS
    )
