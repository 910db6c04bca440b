"""Citations are read as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model.chunks import OnPage
from pincite.model.citation import (
    Citation,
    cite,
    format_citation,
    parse_citation,
    place_of,
    with_chars,
    with_lines,
)
from pincite.model.documents import PAGE_UNITS
from tests.builders import chunk


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("acme@c0ffee:a/b.py#L3-L9", ("acme", "c0ffee", "a/b.py", 3, 9)),
        ("acme@c0ffee:a/b.py#L3", ("acme", "c0ffee", "a/b.py", 3, 3)),
        ("acme@v1:a.py#L3C10-L9C2", ("acme", "v1", "a.py", 3, 9, 10, 2)),
        ("acme@v1:a.py#L3C10-L3", ("acme", "v1", "a.py", 3, 3, 10, None)),
        ("acme@v1:a.py#L3C10", ("acme", "v1", "a.py", 3, 3, 10, 10)),
        ("acme@v1:a.py", ("acme", "v1", "a.py", None, None)),
        (
            "google/adk@v1:https://x.org/a/#top",
            ("google/adk", "v1", "https://x.org/a/#top", None, None),
        ),
        (" acme@v1:a b.md#L1 ", ("acme", "v1", "a b.md", 1, 1)),
        ("acme/docs:a.md#L1-L2", ("acme/docs", "", "a.md", 1, 2)),
        ("acme@react@18.0:a.md", ("acme", "react@18.0", "a.md", None, None)),
        (
            "records@sha256-0123:ticket/7#char=120,480",
            ("records", "sha256-0123", "ticket/7", None, None, None, None, 120, 480),
        ),
        ("records@v1:7#char=120", ("records", "v1", "7#char=120", None, None)),
        ("notes@v1:a.pdf#page=3", ("notes", "v1", "a.pdf", *[None] * 6, 3, "page")),
        (
            "notes@v1:a.pdf#page=3&char=120,480",
            ("notes", "v1", "a.pdf", None, None, None, None, 120, 480, 3, "page"),
        ),
        ("notes@v1:b.xlsx#sheet=2", ("notes", "v1", "b.xlsx", *[None] * 6, 2, "sheet")),
        (
            "notes@v1:a.xlsx#sheet=2&row=4-9",
            ("notes", "v1", "a.xlsx", *[None] * 6, 2, "sheet", (4, 9)),
        ),
        (
            "notes@v1:a.xlsx#sheet=2&row=4&char=120,480",
            ("notes", "v1", "a.xlsx", *[None] * 4, 120, 480, 2, "sheet", (4, 4)),
        ),
        ("notes@v1:a.xlsx#row=4", ("notes", "v1", "a.xlsx#row=4", None, None)),
        ("notes@v1:a.pdf#page=x", ("notes", "v1", "a.pdf#page=x", None, None)),
        ("notes@v1:a.pdf#side=3", ("notes", "v1", "a.pdf#side=3", None, None)),
        ("notes@v1:a.pdf#page=3&", ("notes", "v1", "a.pdf#page=3&", None, None)),
    ],
)
def test_a_citation_has_its_parts(text: str, parts: tuple[object, ...]) -> None:
    assert parse_citation(text) == Citation(*parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["", "#0123abcd", "a/b.py:3:9", "a/b.py:3", "a.py", "acme@v1", "https://x.org/a"]
)
def test_what_is_no_citation_is_none(text: str) -> None:
    assert parse_citation(text) is None


def test_what_a_pack_cites_can_be_read() -> None:
    one = chunk("a", text="x\ny", start_line=4, end_line=5, start_column=3, end_column=1)
    read = parse_citation(cite(one))
    assert read == Citation("acme/docs", "c0ffee", "docs/a.md", 4, 5, 3, 1)


#: Words whose meaning depends on where they stand, among any others.
_PARTS = st.sampled_from(
    (
        *("#", "@", ":", "%", " ", "\n", "\t", "L3", "#L3", "#L3-L9", "#L3C2-L9", "-L9", "C4"),
        *("%23L3", "%2523L3C1", "%20", "%2520", "%0A", "7", "3:9", "//", ".md", "é", "中"),
        *("#char=1,2", "char=", ",", "%23char=1,2", "%2523char=12,3"),
        *(
            "#page=3",
            "page=",
            "&",
            "&char=1,2",
            "#sheet=2&char=1,2",
            "#sheet=2&row=1-2",
            "&row=3",
            "%23cell=4",
            "%2523slide=7",
        ),
        "https://x.org/a/#top",
    )
)
_NAMES = st.lists(_PARTS | st.text(max_size=3), min_size=1, max_size=5).map("".join).filter(bool)
_LINE = st.integers(1, 10**9 - 1)
_COLUMN = st.none() | _LINE


@st.composite
def _citations(draw: st.DrawFn) -> Citation:
    named = draw(_NAMES), draw(st.just("") | _NAMES), draw(_NAMES)
    if draw(st.booleans()):
        return Citation(*named)
    if draw(st.booleans()):
        start, end = draw(st.integers(0, 10**9 - 1)), draw(st.integers(0, 10**9 - 1))
        return Citation(*named, start_char=start, end_char=end)
    if draw(st.booleans()):
        page, unit = draw(_LINE), draw(st.sampled_from(PAGE_UNITS))
        rows = draw(st.none() | st.tuples(_LINE, _LINE))
        if draw(st.booleans()):
            return Citation(*named, page=page, page_unit=unit, rows=rows)
        chars = draw(st.integers(0, 10**9 - 1)), draw(st.integers(0, 10**9 - 1))
        return Citation(*named, None, None, None, None, *chars, page, unit, rows)
    return Citation(*named, draw(_LINE), draw(_LINE), draw(_COLUMN), draw(_COLUMN))


@given(_citations())
def test_every_citation_is_read_as_it_was_written(citation: Citation) -> None:
    assert parse_citation(format_citation(citation)) == citation


@given(_NAMES, _NAMES)
def test_two_citations_never_look_alike(one: str, other: str) -> None:
    written = [format_citation(Citation("acme", "v1", place)) for place in (one, other)]
    assert (written[0] == written[1]) == (one == other)


def test_common_names_and_places_are_not_escaped() -> None:
    for text in (
        "google/adk@v1.2:docs/a b.md#L3C10-L9C2",
        "acme@sha256-0123456789ab:src/@types/a:b#c.ts#L1",
        "acme@v1:https://x.org/a%20b/#top#L3-L9",
        "acme@v1:100%.md",
    ):
        parsed = parse_citation(text)
        assert parsed is not None
        assert format_citation(parsed) == text


def test_a_number_that_no_line_has_is_a_part_of_the_place() -> None:
    place = f"a.md#L{'1' * 5000}"
    assert parse_citation(f"acme@v1:{place}") == Citation("acme", "v1", place)


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [(3, 5, "L3C4-L5"), (3, 3, "L3C4-L3"), (4, 9, "L4-L9C2"), (3, 9, "L3C4-L9C2"), (4, 5, "L4-L5")],
)
def test_the_lines_of_a_citation_are_replaced_with_their_columns(
    start: int, end: int, lines: str
) -> None:
    found = with_lines("acme@v1:a#b.md#L3C4-L9C2", start, end)
    assert found == f"acme@v1:a#b.md#{lines}"


def test_only_a_citation_gets_other_lines() -> None:
    with pytest.raises(ValueError, match="not a citation"):
        with_lines("a.md", 1, 2)


def test_a_record_is_cited_by_its_id_and_characters_even_if_it_has_an_address() -> None:
    one = chunk("a", path="ticket 7", url="https://x.org/7", start=5, end=19, cited_in="char")
    assert cite(one) == "acme/docs@c0ffee:ticket 7#char=5,19"
    assert place_of(one) == "ticket 7#char=5,19"


def test_the_characters_of_a_citation_are_replaced() -> None:
    assert with_chars("acme@v1:7#char=3,9", 0, 5) == "acme@v1:7#char=0,5"
    assert with_chars("acme@v1:7#L3-L9", 0, 5) == "acme@v1:7#char=0,5"
    with pytest.raises(ValueError, match="not a citation"):
        with_chars("a.md", 1, 2)


def test_a_passage_of_an_extracted_document_is_cited_by_its_page_and_characters() -> None:
    one = chunk("a", path="b.pdf", start=5, end=19, cited_in="page", on_page=OnPage(3))
    assert cite(one) == "acme/docs@c0ffee:b.pdf#page=3&char=5,19"
    assert place_of(one) == "b.pdf#page=3"
    assert with_chars(cite(one), 6, 7) == "acme/docs@c0ffee:b.pdf#page=3&char=6,7"
    rows = OnPage(3, visual=True, rows=(4, 9))
    one = chunk("a", path="b.xlsx", start=5, end=19, cited_in="sheet", on_page=rows)
    assert cite(one) == "acme/docs@c0ffee:b.xlsx#sheet=3&row=4-9&char=5,19"
    assert with_chars(cite(one), 6, 7) == "acme/docs@c0ffee:b.xlsx#sheet=3&char=6,7"
