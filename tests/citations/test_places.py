"""For every kind of place: a true citation is fresh, one with another number is not, and one whose
text stands elsewhere has moved there. Items of packs and claims are held against the same rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.model import Evidence
from pincite.model.citation import Citation, cite, format_citation, parse_citation
from pincite.support.fields import replace
from tests.citations.moved_texts import KINDS, PASSAGE, World, item_of, text_of

NUMBERS = ("start_line", "end_line", "start_column", "end_column", "start_char", "end_char", "page")
#: Numbers that make a place larger in this direction.
WIDER = {("start", -1), ("end", 1)}


@pytest.fixture(scope="module", params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(request.param, tmp_path_factory.mktemp(request.param))


def others(cited: Citation) -> Iterator[tuple[str, int, Citation]]:
    """The citation with each of its numbers one less and one more."""
    for by in (-1, 1):
        for name in NUMBERS:
            if (value := getattr(cited, name)) is not None:
                yield name, by, replace(cited, **{name: value + by})
        if cited.rows is not None:
            first, last = cited.rows
            yield "start_row", by, replace(cited, rows=(first + by, last))
            yield "end_row", by, replace(cited, rows=(first, last + by))


def parsed(citation: str) -> Citation:
    found = parse_citation(citation)
    assert found is not None
    return found


def as_cited(item: Evidence, cited: Citation) -> Evidence:
    """The item with the fields that this citation has."""
    names = ("start_line", "end_line", "start_column", "end_column")
    if cited.start_char is not None:
        names = ("start_char", "end_char", "page", "rows")
    fields = {name: getattr(cited, name) for name in names}
    return replace(item, citation=format_citation(cited), **fields)


def test_a_true_citation_is_fresh(world: World) -> None:
    chunk = world.chunk()
    citation = cite(chunk)
    assert world.verify(item_of(chunk)).status == "fresh"
    for quote in ("", chunk.text, PASSAGE):
        assert (citation, world.check(citation, quote).status) == (citation, "fresh")


def test_a_citation_with_another_number_is_not_fresh(world: World) -> None:
    chunk = world.chunk()
    item, cited = item_of(chunk), parsed(cite(chunk))
    tried = 0
    for name, by, other in others(cited):
        citation = format_citation(other)
        if parse_citation(citation) != other:
            continue  # it cannot be written
        tried += 1
        assert world.verify(as_cited(item, other)).status != "fresh", citation
        beside = name == "page" or name.endswith("row")  # characters say where it is
        if beside or (name.partition("_")[0], by) not in WIDER:  # a wider place has it, too
            assert world.check(citation, chunk.text).status != "fresh", citation
        if beside:
            assert world.check(citation).status == "changed", citation
        if name == "page":
            page = format_citation(replace(other, start_char=None, end_char=None, rows=None))
            assert world.check(page, PASSAGE).status == "moved", page
    assert tried >= 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_that_stands_elsewhere_has_moved_there(kind: str, tmp_path: Path) -> None:
    world = World(kind, tmp_path)
    chunk = world.chunk()
    item, citation = item_of(chunk), cite(chunk)
    world.put(shifted=True)
    by_item, by_claim = world.verify(item), world.check(citation, chunk.text)
    assert (by_item.status, by_claim.status) == ("moved", "moved")
    if chunk.on_page is None:
        text = text_of(kind, shifted=True)
        start = text.index(chunk.text)
        assert by_item.start_line == by_claim.start_line == text.count("\n", 0, start) + 1
        if kind == "chars":
            assert by_item.start_char == by_claim.start_char == start
            assert by_item.end_char == by_claim.end_char == start + len(chunk.text)
        if kind == "columns":
            end = start + len(chunk.text)
            assert by_claim.detail == f"now L1C{start + 1}-L1C{end}"
            assert by_item.detail.startswith(f"{by_claim.detail}; ")
        return
    world.index()
    now = parsed(cite(world.chunk()))
    assert (by_item.page, by_item.start_char, by_item.end_char) == (
        (now.page, now.start_char, now.end_char)
    )
    assert by_claim.page == now.page
    named = f"{now.page_unit} {now.page}"
    if now.rows is not None:
        named = f"{named}, row {now.rows[0]}-{now.rows[1]}"
    assert by_item.detail.startswith(f"now {named}, ")
    assert by_claim.detail.removeprefix("now ").removeprefix("on ").startswith(named)


@pytest.mark.parametrize("kind", KINDS)
def test_a_citation_of_the_indexed_revision_is_followed_and_an_older_one_is_not_taken_for_it(
    kind: str, tmp_path: Path
) -> None:
    world = World(kind, tmp_path)
    chunk = world.chunk()
    citation = cite(chunk)
    for locator in (citation, f"#{chunk.id}"):
        assert (world.get(locator).text, world.get(locator).warning) == (chunk.text, "")
    world.put(shifted=True)
    if kind != "chars":  # a record has one revision, which is in the index
        for locator in (citation, f"#{chunk.id}"):
            read = world.get(locator)
            assert read.text == chunk.text
            if kind != "rows":  # its characters stay where they are
                assert "has at the cited place is now" in read.warning
                assert read.citation.partition("#")[2] != citation.partition("#")[2]
        assert world.check(citation).status == "moved"
        world.index()
    read = world.get(citation)
    assert read.text != chunk.text or kind == "rows"
    assert read.warning.endswith("is not available: another text may be at this place now")
    assert world.check(citation).status == "unknown"
