"""A passage of a file that has changed is found again, with what is around it, or not at all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pincite.current_files.find_again import around, at_ref, find_again
from pincite.model import Chunk, Context, Match
from pincite.model.citation import cite
from pincite.support.fields import replace
from tests.builders import chunk

_LINES = st.lists(st.sampled_from(["alpha", "beta", "  gamma", "", "delta  "]), max_size=12)


def of_lines(text: str, first: int, last: int) -> Chunk:
    lines = text.split("\n")
    begin = sum(len(line) + 1 for line in lines[: first - 1])
    part = "\n".join(lines[first - 1 : last])
    places = {"start": begin, "end": begin + len(part), "start_line": first, "end_line": last}
    return chunk("a", text=part, **places)


def lines_of(text: str, one: Chunk | Context) -> str:
    return "\n".join(text.split("\n")[one.start_line - 1 : one.end_line]).removesuffix("\r")


@given(_LINES, _LINES, _LINES, _LINES)
def test_what_is_found_is_at_the_lines_and_characters_that_it_names(
    above: list[str], body: list[str], below: list[str], others: list[str]
) -> None:
    body = ["first", *body, "last"]
    then = of_lines("\n".join([*above, *body, *below]), len(above) + 1, len(above) + len(body))
    text = "\n".join([*others, *body, *above])
    found = find_again(then, text, "ref", "f" * 64)
    assert found is not None
    assert (found.text, found.ref, found.content_hash) == (then.text, "ref", "f" * 64)
    assert lines_of(text, found) == found.text == text[found.start : found.end]
    assert (found.start_column, found.end_column) == (None, None)


@given(_LINES, _LINES, _LINES)
def test_context_is_the_unbroken_lines_around_it_that_are_as_they_were(
    above: list[str], below: list[str], others: list[str]
) -> None:
    before = "\n".join([*above, "first", "last", *below])
    then = of_lines(before, len(above) + 1, len(above) + 2)
    shown = Context(1, before.count("\n") + 1, before)
    text = "\n".join([*others, "first", "last", *below])
    now = find_again(then, text, "ref", "f" * 64)
    assert now is not None
    found = around(shown, then, now, text)
    if found is not None:
        assert found.text == lines_of(text, found)
        assert found.start_line <= now.start_line <= now.end_line <= found.end_line
    else:
        assert below in ([], [""])  # after the last newline is no line


def test_a_text_of_which_one_character_differs_is_not_found() -> None:
    then = of_lines("one\ntwo\nthree", 2, 3)
    assert find_again(then, "one\ntwo\nThree", "ref", "f") is None
    assert find_again(then, "", "ref", "f") is None


def test_what_was_a_whole_line_is_not_found_within_one() -> None:
    assert find_again(of_lines("a\ntwo", 2, 2), "not two\ntwo more", "ref", "f") is None


def test_a_part_of_a_line_gets_the_columns_that_it_has_now() -> None:
    then = replace(of_lines("ab cd ef", 1, 1), text="cd", start=3, end=5)
    then = replace(then, start_column=4, end_column=5)
    found = find_again(then, "x\nlong ab cd ef", "ref", "f")
    assert found is not None
    assert (found.start_line, found.start_column, found.end_column) == (2, 9, 10)
    assert cite(found) == "acme/docs@ref:docs/a.md#L2C9-L2C10"
    alone = find_again(then, "cd", "ref", "f")
    assert alone is not None
    assert (alone.start_column, alone.end_column) == (None, None)


def test_translated_line_ends_are_no_change_and_shown_as_they_are() -> None:
    then = of_lines("# a\none\ntwo\n", 2, 3)
    found = find_again(then, "# a\r\none\r\ntwo\r\n", "ref", "f")
    assert found is not None
    assert found.text == "one\r\ntwo"
    assert find_again(found, "# a\none\ntwo\n", "ref", "f") == replace(
        then, ref="ref", content_hash="f", title="a"
    )


def test_headings_that_are_gone_are_not_shown_and_the_address_names_the_page() -> None:
    then = replace(
        of_lines("# Old\n\nbody", 3, 3), headings=("Old", "body"), url="https://x.org/#old"
    )
    found = find_again(then, "# New\n\nbody", "ref", "f")
    assert found is not None
    assert (found.headings, found.url, found.title) == (("body",), "https://x.org/", "New")


def test_matches_move_with_the_lines_and_those_outside_are_left_out() -> None:
    text = "a\nb\nc\nd\ne"
    then = of_lines(text, 3, 3)
    matches = tuple(Match(f"acme/docs@c0ffee:docs/a.md#L{n}", f"{n}", n, n) for n in (1, 3, 5))
    shown = Context(1, 5, text, "acme/docs@c0ffee:docs/a.md#L1-L5", matches)
    changed = "new\na\nb\nc\nd\nchanged"
    now = find_again(then, changed, "beef", "f")
    assert now is not None
    found = around(shown, then, now, changed)
    assert found is not None
    assert (found.start_line, found.end_line, found.text) == (2, 5, "a\nb\nc\nd")
    assert found.citation == "acme/docs@beef:docs/a.md#L2-L5"
    assert [(one.citation, one.start_line) for one in found.matches] == [
        ("acme/docs@beef:docs/a.md#L2", 2),
        ("acme/docs@beef:docs/a.md#L4", 4),
    ]


def test_context_of_which_nothing_is_left_but_the_passage_is_dropped() -> None:
    then = of_lines("a\nb\nc", 2, 2)
    now = find_again(then, "x\nb\ny", "ref", "f")
    assert now is not None
    assert around(Context(1, 3, "a\nb\nc"), then, now, "x\nb\ny") is None


def test_nothing_after_the_last_newline_of_a_file_is_a_line_of_the_context() -> None:
    then = of_lines("a\nb\n\nc\n", 2, 2)
    text = "new\na\nb\n"
    now = find_again(then, text, "ref", "f")
    assert now is not None
    found = around(Context(1, 4, "a\nb\n\nc"), then, now, text)
    assert found is not None
    assert (found.start_line, found.end_line, found.text) == (2, 3, "a\nb")


def test_another_revision_of_the_same_content_is_cited_everywhere() -> None:
    match = Match("acme/docs@c0ffee:docs/a.md#L2C3-L2C9", "2", 2, 2)
    shown = Context(1, 3, "a\nb\nc", "acme/docs@c0ffee:docs/a.md#L1-L3", (match,))
    found = at_ref(shown, "beef")
    assert found is not None
    assert found.citation == "acme/docs@beef:docs/a.md#L1-L3"
    assert found.matches[0].citation == "acme/docs@beef:docs/a.md#L2C3-L2C9"
