"""Citations of records lead back to what was stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.citations.compare_claim import ClaimCheck
from pincite.citations.pages import chars_of_quote
from pincite.citations.resolve import NotNamed
from pincite.errors import UsageError
from pincite.model import Evidence
from pincite.support.fields import replace
from pincite.support.finding.find import Lines, find_chars, find_text
from tests.citations.shelf import TEXT, Shelf, pack_of
from tests.records.desk import run


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    made = Shelf(tmp_path)
    run(made.upsert([{"id": "a:7", "text": TEXT}, {"id": "b", "text": "Another one."}]))
    return made


def test_a_citation_gives_exactly_its_characters(shelf: Shelf) -> None:
    whole = shelf.cited("a:7")
    assert whole.endswith(f":a:7#char=0,{len(TEXT)}")
    assert shelf.get(whole).text == TEXT
    part = whole.replace(f"char=0,{len(TEXT)}", "char=16,23")
    passage = shelf.get(part)
    assert (passage.text, passage.raw, passage.citation) == ("printer", b"printer", part)
    assert (passage.start_line, passage.end_line) == (2, 2)
    around = shelf.get(part, 1)
    assert around.text == "First line.\nThe printer is on fire.\nCall the brigade."
    assert around.citation.endswith("#char=0,53")


def test_an_id_of_two_sources_is_ambiguous_until_one_is_named(shelf: Shelf) -> None:
    run(shelf.upsert([{"id": "a:7", "text": "x"}, {"id": "b", "text": "y"}], source="other"))
    for path, text in (("a:7", "x"), ("b", "y")):
        said = f"'{path}' is ambiguous between other:{path}, records:{path}: name the source"
        with pytest.raises(UsageError, match=said) as caught:
            shelf.get(path)
        assert not isinstance(caught.value, NotNamed)
        assert shelf.check(path, text) == ClaimCheck(path, "unknown", said)
        assert shelf.get(f"other:{path}").text == text
        assert shelf.check(f"other:{path}", text).status == "fresh"


@pytest.mark.parametrize("path", ["7", "20261128", "deadbeef"])
def test_an_id_of_hex_digits_is_found_as_any_other(shelf: Shelf, path: str) -> None:
    assert shelf.check(path, "Ten.").status == "unknown"
    run(shelf.upsert([{"id": path, "text": "Ten."}]))
    assert shelf.get(path).text == "Ten."
    assert shelf.check(path, "Ten.") == ClaimCheck(path, "fresh", "", path, 1, 1, 0, 4)
    assert shelf.check(path, "Nine.").status == "changed"


@pytest.mark.parametrize("locator", ["a:7", "records:a:7", "records:a:7#char=0,11"])
def test_a_record_is_read_by_its_id(shelf: Shelf, locator: str) -> None:
    passage = shelf.get(locator)
    assert passage.text == TEXT[: 11 if "#" in locator else None]
    assert not passage.changed


def test_lines_of_a_record_are_cited_by_characters(shelf: Shelf) -> None:
    passage = shelf.get("a:7:2:1")
    assert passage.text == "The printer is on fire."
    assert passage.citation.endswith(":a:7#char=12,35")


def test_characters_that_a_record_does_not_have_are_named(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="a:7 has 64 characters: 100 to 120 is outside of them"):
        shelf.get("records:a:7#char=100,120")
    with pytest.raises(UsageError, match="no indexed file is named 'c'"):
        shelf.get("c")


def test_a_quote_is_fresh_moved_changed_or_deleted(shelf: Shelf) -> None:
    citation = shelf.cited("a:7").replace(f"char=0,{len(TEXT)}", "char=12,35")
    assert shelf.check(citation, "printer  is on\nfire").status == "fresh"
    assert shelf.check(citation, "Call the brigade").status == "moved"
    assert shelf.check(citation, "cold").status == "changed"
    assert shelf.check(citation).status == "fresh"
    assert shelf.check(citation.replace("12,35", "12,99")).status == "changed"
    run(shelf.upsert([{"id": "a:7", "text": "It is out."}]))
    assert shelf.check(citation).status == "unknown"
    assert shelf.check(citation, "printer is on fire").status == "changed"
    run(shelf.delete(ids=["a:7"]))
    assert shelf.check(citation, "printer is on fire").status == "unknown"


def test_a_quote_has_whole_words_and_numbers(shelf: Shelf) -> None:
    text = "Unable to log in: kept for 130 days."
    run(shelf.upsert([{"id": "c", "text": text}]))
    citation = shelf.cited("c")
    for quote in ("able to log in", "30 days", "kept for 1", "log i"):
        assert shelf.check(citation, quote).status == "changed", quote
    for quote in ("to log in", "130 days", ": kept", text):
        assert shelf.check(citation, quote).status == "fresh", quote
    inside = citation.replace(f"char=0,{len(text)}", "char=2,9")
    assert shelf.check(inside, "able to").status == "fresh"  # exactly the cited characters


def test_evidence_of_a_record_is_verified_against_what_is_stored(shelf: Shelf) -> None:
    pack = pack_of(shelf)
    item: Evidence = pack.evidence[0]
    assert (item.start_char, item.end_char, item.path) == (0, len(TEXT), "a:7")
    found = shelf.verify(pack)
    assert (found.status, found.revision, found.end_char) == ("fresh", "confirmed", len(TEXT))
    run(shelf.upsert([{"id": "a:7", "text": f"Before it.\n{TEXT}"}]))
    moved = shelf.verify(pack)
    assert (moved.status, moved.start_char, moved.start_line) == ("moved", 11, 2)
    run(shelf.upsert([{"id": "a:7", "text": f"{TEXT}\nAfter it."}]))
    assert shelf.verify(pack).status == "fresh"
    assert "the revision is now" in shelf.verify(pack).detail
    run(shelf.upsert([{"id": "a:7", "text": "Something else."}]))
    assert shelf.verify(pack).status == "changed"
    run(shelf.delete(ids=["a:7"]))
    assert shelf.verify(pack).status == "deleted"


def test_a_pack_that_claims_another_text_is_caught(shelf: Shelf) -> None:
    pack = pack_of(shelf)
    forged = replace(pack, evidence=(type(pack.evidence[0])(**{
        **{name: getattr(pack.evidence[0], name) for name in pack.evidence[0].__struct_fields__},
        "text": "The printer is fine.",
    }),))  # fmt: skip
    found = shelf.verify(forged)
    assert (found.status, found.revision) == ("changed", "refuted")


@given(st.text("ab", max_size=30), st.text("ab", min_size=1, max_size=3), st.integers(0, 35))
def test_the_nearest_place_is_found(text: str, wanted: str, near: int) -> None:
    places = [at for at in range(len(text)) if text.startswith(wanted, at)]
    expected = min(places, key=lambda at: (abs(at - near), at), default=None)
    assert find_chars(text, wanted, near) == expected


def test_a_moved_quote_has_the_characters_of_its_words(shelf: Shelf) -> None:
    start = TEXT.index("on fire")
    end = TEXT.index(" the brigade")
    citation = shelf.cited("a:7").replace(f"char=0,{len(TEXT)}", "char=0,5")
    moved = shelf.check(citation, " on  fire. Call")
    said = "now in lines 2-3 of the record"
    assert moved == ClaimCheck(citation, "moved", said, "a:7", 2, 3, start, end)
    assert TEXT[start:end] == "on fire.\nCall"
    by_id = shelf.check("records:a:7", "on fire. Call")
    assert (by_id.status, by_id.start_char, by_id.end_char) == ("fresh", start, end)


@example(text="aa\na a", at=1, size=3)  # as whole words only in the second line alone
@given(
    st.text(st.sampled_from("ab \n\t\x1c\u3000"), max_size=40), st.integers(0), st.integers(1, 9)
)
def test_the_characters_of_a_quote_are_its_words(text: str, at: int, size: int) -> None:
    start = at % (len(text) + 1)
    quote = " ".join(text[start : start + size].split())
    found = find_text(text, quote, Lines(1, 1), spaces="any")
    if found is not None:
        first, last = chars_of_quote(text, quote, found)
        assert " ".join(text[first:last].split()) == quote
        assert text[first:last] == text[first:last].strip()
        assert text.count("\n", 0, first) + 1 == found.start
        assert text.count("\n", 0, last) + 1 == found.end
