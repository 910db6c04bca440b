"""Citations of extracted documents lead back to the page, and say when it has changed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.citations.check_item import Checked
from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.get import get
from pincite.citations.passage import Passage
from pincite.citations.verify import verify
from pincite.errors import UsageError
from pincite.model import Candidate, Chosen, Evidence, EvidencePack, Gated, Plan, Query, Verdict
from pincite.model.citation import cite
from pincite.stages.pack import PackConfig, pack
from pincite.support.fields import replace
from tests.ingestion.office import Office
from tests.readers.office_files import docx, pptx

SLIDES = (
    ("Quarter", "Sales rose by 4 percent."),
    ("Costs", "Costs fell.\nA little."),
    ("End", "."),
)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    made = Office(tmp_path)
    made.put("talk.pptx", pptx(*SLIDES))
    made.put("plain.md", b"# Plain\n\nOnly text.\n")
    made.run("docs")
    return made


def cited(office: Office, slide: int) -> str:
    (found,) = [one for one in office.chunks() if one.page == slide]
    return cite(found)


def read(office: Office, locator: str, context: int = 0) -> Passage:
    return asyncio.run(get(office.index, locator, context, office.folder))


def checked(office: Office, citation: str, quote: str = "") -> ClaimCheck:
    return asyncio.run(check_claims(office.index, [Claim(citation, quote)], office.folder))[0]


def packed(office: Office) -> EvidencePack:
    ours = sorted((one for one in office.chunks() if one.page), key=lambda one: one.start)
    found = tuple(Candidate("main", one, ()) for one in ours)
    verdict = Verdict("grounded", "fused", "normalised", 1.0, 0.5, 0.2, calibrated=False, reason="")
    plan = Plan(("main",), "lexical", "rrf", {}, {}, {})
    return pack(Query("q"), Chosen(found), Gated(found, verdict), plan, (), PackConfig())


def verified(office: Office, pack_: EvidencePack) -> list[Checked]:
    return list(asyncio.run(verify(office.index, pack_, folder=office.folder)))


def test_a_citation_gives_exactly_its_characters_and_a_page_all_of_it(office: Office) -> None:
    citation = cited(office, 2)
    assert "talk.pptx#slide=2&char=" in citation
    passage = read(office, citation)
    assert passage.text == "Costs\n\nCosts fell.\nA little."
    assert (passage.page, passage.page_unit, passage.citation) == (2, "slide", citation)
    assert (passage.start_line, passage.end_line) == (0, 0)
    assert passage.raw == passage.text.encode()
    part = read(office, citation.partition("&")[0])
    assert part == passage
    chunk = next(one for one in office.chunks() if one.page == 2)
    assert read(office, f"#{chunk.id[:12]}") == passage


@pytest.mark.parametrize(
    "locator",
    [
        *(
            "talk.pptx#slide=2",
            "talk.pptx, slide 2",
            "docs:talk.pptx#slide=2",
            "(talk.pptx#slide=2).",
        ),
        *("talk.pptx slide 2", "`talk.pptx#slide=2`"),
    ],
)
def test_a_page_is_read_as_people_type_it(office: Office, locator: str) -> None:
    assert read(office, locator).text == "Costs\n\nCosts fell.\nA little."


def test_lines_around_are_those_of_the_same_page(office: Office) -> None:
    citation = cited(office, 2)
    start = int(citation.rpartition("=")[2].split(",")[0])
    inner = f"{citation.partition('&')[0]}&char={start + 7},{start + 12}"
    assert read(office, inner).text == "Costs"
    assert read(office, inner, 1).text == "Costs fell.\nA little."
    assert read(office, inner, 2).text == "Costs\n\nCosts fell.\nA little."
    assert read(office, inner, 100).text == "Costs\n\nCosts fell.\nA little."


def test_all_of_a_document_is_read_by_its_path(office: Office) -> None:
    passage = read(office, "talk.pptx")
    assert passage.text.startswith("Quarter\n\nSales rose")
    assert passage.page is None
    again = read(office, passage.citation)
    assert again.text == passage.text


@pytest.mark.parametrize(
    ("locator", "said"),
    [
        ("talk.pptx#slide=9", "has 3 slides: slide 9 does not exist"),
        ("talk.pptx#slide=0", "slide 0 does not exist"),
        ("talk.pptx#page=1", "has slides, not pages"),
        ("talk.pptx:3", "has slides but no lines"),
        ("plain.md#page=1", "has lines, not pages"),
        ("docs@x:talk.pptx#slide=1&char=9000,9001", "characters: 9000"),
    ],
)
def test_what_a_document_has_not_is_said(office: Office, locator: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read(office, locator)


def test_evidence_has_a_page_and_is_fresh_as_long_as_the_file_is(office: Office) -> None:
    made = packed(office)
    assert [(one.page, one.page_unit, one.record_id) for one in made] == [
        (1, "slide", None),
        (2, "slide", None),
        (3, "slide", None),
    ]
    assert not [one for one in made.warnings if one.code == "line_spans_unavailable"]
    for item, found in zip(made, verified(office, made), strict=True):
        assert (found.status, found.revision, found.page) == ("fresh", "confirmed", item.page)
        assert (found.start_char, found.end_char) == (item.start_char, item.end_char)


def test_evidence_is_moved_to_another_page_changed_by_one_letter_and_deleted(
    office: Office,
) -> None:
    made = packed(office)
    office.put("talk.pptx", pptx(("New", "At the front."), *SLIDES))
    found = verified(office, made)
    assert [(one.status, one.page) for one in found] == [("moved", 2), ("moved", 3), ("moved", 4)]
    assert found[0].detail.startswith("now slide 2, characters ")
    office.put("talk.pptx", pptx(SLIDES[0], ("Costs", "Costs fell.\nA little!"), SLIDES[2]))
    assert [one.status for one in verified(office, made)] == ["fresh", "changed", "fresh"]
    (office.folder / "docs" / "talk.pptx").unlink()
    assert [one.status for one in verified(office, made)] == ["deleted"] * 3


def test_a_file_of_another_name_is_found_by_its_content(office: Office) -> None:
    made = packed(office)
    (office.folder / "docs" / "talk.pptx").rename(office.folder / "docs" / "other.pptx")
    assert {(one.status, one.detail) for one in verified(office, made)} == {
        ("moved", "now in other.pptx")
    }


def test_a_wrong_page_is_not_fresh(office: Office) -> None:
    made = packed(office)
    wrong = replace(made, evidence=(_with(made[0], page=2),))
    (found,) = verified(office, wrong)
    assert found.status != "fresh"


def _with(item: Evidence, **changes: object) -> Evidence:
    return replace(item, **changes)


def test_claims_are_checked_by_page_and_quote(office: Office) -> None:
    citation = cited(office, 1)
    page = citation.partition("&")[0]
    for given in (citation, page):
        found = checked(office, given)
        assert (found.status, found.page) == ("fresh", 1)
        assert checked(office, given, "Sales  rose by\n4 percent").status == "fresh"
    elsewhere = checked(office, page, "Costs fell.")
    assert (elsewhere.status, elsewhere.page) == ("moved", 2)
    assert elsewhere.detail == "now on slide 2"
    assert checked(office, page, "Sales rose by 5 percent").status == "changed"
    assert checked(office, f"{page[:-1]}9").status == "changed"
    assert checked(office, "talk.pptx#slide=2", "Costs fell. A little.").status == "fresh"
    assert checked(office, "docs:talk.pptx", "Costs fell.").status == "fresh"
    assert checked(office, "docs:talk.pptx#L1-L3").status == "unknown"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("slide=1&char={start},{end}", "these characters are on slide 2"),
        ("slide=2&char=0,{end}", "these characters are on several slides"),
        ("page=2&char={start},{end}", "talk.pptx has slides, not pages"),
        ("char=0,9999", "talk.pptx has 71 characters: 0 to 9999 is outside of them"),
    ],
)
def test_numbers_of_one_citation_name_the_same_place(office: Office, place: str, said: str) -> None:
    citation, _, chars = cited(office, 2).partition("#")
    start, _, end = chars.partition("=")[2].partition("=")[2].partition(",")
    wrong = f"{citation}#{place.format(start=start, end=end)}"
    found = checked(office, wrong)
    assert (found.status, found.detail) == ("changed", said)
    moved = checked(office, wrong, "Costs fell. A little.")
    assert (moved.status, moved.page) == ("moved", 2)


def test_a_quote_is_not_at_a_place_that_its_file_cannot_have(office: Office) -> None:
    lines = checked(office, "docs:talk.pptx#L1-L3", "Costs fell.")
    assert (lines.status, lines.detail) == ("moved", "now on slide 2")
    for place in ("page=3", "page=1&char=0,20"):
        assert checked(office, f"docs:plain.md#{place}", "Only text.").status == "moved"
    assert checked(office, "docs:plain.md#L3", "Only text.").status == "fresh"
    assert checked(office, "docs:plain.md#L3-L0", "Only text.").status == "moved"


def test_a_quote_of_a_page_has_whole_words(office: Office) -> None:
    page = cited(office, 1).partition("&")[0]
    for quote in ("ales rose", "Sales rose by 4 per", "osts fell."):
        assert checked(office, page, quote).status == "changed", quote


def test_a_claim_of_another_revision_needs_a_quote(office: Office) -> None:
    citation = cited(office, 1)
    office.put("talk.pptx", pptx(("New", "At the front."), *SLIDES))
    followed = checked(office, citation)  # the index has its text
    assert (followed.status, followed.page) == ("moved", 2)
    office.run("docs")
    assert checked(office, citation).status == "unknown"
    moved = checked(office, citation, "Sales rose by 4 percent.")
    assert (moved.status, moved.page) == ("moved", 2)


def test_a_file_that_cannot_be_extracted_now_is_not_said_to_be_gone(office: Office) -> None:
    made = packed(office)
    office.put("talk.pptx", docx("no slides"))
    assert {one.status for one in verified(office, made)} == {"unknown"}
