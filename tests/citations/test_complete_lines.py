"""A citation without a quote stands for all text of its lines, columns or page in its revision."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path

import pytest

from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim
from pincite.errors import UsageError
from pincite.model.citation import cite
from pincite.support.finding.find import _Searched
from tests.citations.indexed_file import Folder
from tests.ingestion.office import Office
from tests.readers.office_files import pptx, xlsx

OLD = "zebra allowed = 1\nwalrus enabled\nthe end\n"


@pytest.mark.parametrize("git", [False, True])
def test_a_line_that_became_part_of_another_has_changed(tmp_path: Path, git: bool) -> None:
    made = Folder(tmp_path, OLD.encode(), git=git)
    made.put("a.txt", b"zebra allowed = 10\nnever walrus enabled by default\nthe end\n")
    for place in ("#L1", "#L2", "#L1-L2", "#L2C1-L3"):
        assert (place, made.check(made.cited + place).status) == (place, "changed")
        assert "no longer in the file" in made.get(made.cited + place).warning
    assert made.check(f"#{made.chunk.id}").status == "changed"
    assert made.check(made.cited + "#L3").status == "fresh"
    assert made.get(made.cited + "#L3").warning == ""
    assert made.check(made.cited + "#L2C1-L2C6").detail == "now L2C7-L2C12"
    made.put("a.txt", f"zebra allowed = 10\n{OLD}".encode())
    assert made.check(made.cited + "#L1").detail == "now lines 2-2"
    read = made.get(made.cited + "#L1")
    assert (read.text, read.start_line) == ("zebra allowed = 1", 2)
    made.put("a.txt", OLD.replace("\n", "\r\n").encode())
    assert made.check(made.cited + "#L1-L2").status == "fresh"
    assert made.get(made.cited + "#L1-L2").warning == ""


def test_a_slide_with_more_text_has_changed(tmp_path: Path) -> None:
    first, second = ("One", "zebra allowed = 1"), ("Two", "walrus enabled")
    made = Folder(tmp_path, pptx(first, second), "a.pptx", git=True)
    made.put("a.pptx", pptx(("One", "zebra allowed = 10"), ("New", "slide"), second))
    assert made.check(made.cited + "#slide=1").status == "changed"
    assert "no longer in the file" in made.get(made.cited + "#slide=1").warning
    moved = made.check(made.cited + "#slide=2")
    assert (moved.status, moved.page, moved.detail) == ("moved", 3, "now on slide 3")
    assert made.get(made.cited + "#slide=2").page == 3


@pytest.mark.parametrize("git", [False, True])
def test_a_text_is_followed_from_lines_that_the_file_no_longer_has(
    tmp_path: Path, git: bool
) -> None:
    made = Folder(tmp_path, f"one\ntwo\n{OLD}".encode(), git=git)
    made.put("a.txt", b"walrus enabled\nthe end\n")
    read = made.get(made.cited + "#L4-L5")
    assert (read.text, read.start_line, read.end_line) == ("walrus enabled\nthe end", 1, 2)
    assert read.warning.endswith("is now in lines 1-2")
    for gone in (f"{made.cited}#L3", "a.txt#L4"):
        with pytest.raises(UsageError, match="has 2 lines: line"):
            made.get(gone)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_text_that_ended_in_a_blank_line_is_at_lines_that_the_file_has(
    tmp_path: Path, end: str
) -> None:
    made = Folder(tmp_path, f"first{end}walrus enabled{end}{end}end{end}".encode(), git=True)
    made.put("a.txt", f"first{end}new{end}walrus enabled{end}".encode())
    found = made.check(made.cited + "#L2-L3")
    assert (found.status, found.detail, found.end_line) == ("moved", "now lines 3-3", 3)
    read = made.get(made.cited + "#L2-L3")
    assert (read.text, read.start_line, read.end_line) == ("walrus enabled", 3, 3)
    assert read.warning.endswith("is now in lines 3-3")
    made.put("a.txt", f"first{end}new{end}walrus enabled{end}{end}".encode())
    assert made.check(made.cited + "#L2-L3").detail == "now lines 3-4"


def test_an_id_is_read_without_a_warning_where_only_another_slide_has_changed(
    tmp_path: Path,
) -> None:
    first, second = ("One", "zebra allowed = 1"), ("Two", "walrus enabled")
    made = Folder(tmp_path, pptx(first, second), "a.pptx")
    chunk = next(one for one in made.chunks() if "zebra" in one.text)
    made.put("a.pptx", pptx(first, ("Two", "walrus never enabled")))
    read = made.get(f"#{chunk.id}")
    assert (read.text, read.page, read.warning) == (chunk.text, 1, "")
    made.put("a.pptx", pptx(second, first))
    found = made.check(f"#{chunk.id}")
    assert (found.status, found.page, found.start_line) == ("moved", 2, None)


def test_an_empty_line_is_not_said_to_be_no_longer_in_the_file(tmp_path: Path) -> None:
    made = Folder(tmp_path, b"one\n\ntwo\n", git=True)
    made.put("a.txt", b"one\n\ntwo\nthree\n")
    assert made.get(made.cited + "#L2").warning == ""
    made.put("a.txt", b"new\none\n\ntwo\n")
    read = made.get(made.cited + "#L2")
    assert read.text == "one"
    assert read.warning.endswith(" has no words at this place")


@pytest.mark.parametrize("place", ["#L1C5-L1C2", "#L2C1-L1C3", "#L1C0-L1C3"])
def test_columns_that_no_line_can_have_are_an_error(tmp_path: Path, place: str) -> None:
    made = Folder(tmp_path, OLD.encode())
    for locator in (made.cited + place, f"a.txt{place}"):
        with pytest.raises(UsageError, match=r"(names|has) no place"):
            made.get(locator)


LONG = "x = 'abc def' " * 400
BLANK = "# Top\n\nword one\n\n## Second\n\nword two\n\n\n\n## Third\n\nthe end\n"


@pytest.mark.parametrize(
    ("text", "place", "lines"),
    [
        (BLANK, "#L1-L4", (2, 5)),
        (BLANK, "#L4-L7", (5, 8)),
        (BLANK, "#L8-L12", (9, 13)),
        (f"\n\n{BLANK}", "#L1-L3", (2, 4)),
        (LONG.strip(), "#L1", (2, 2)),
        (f"{LONG.strip()}\n", "#L1C9-L1", (2, 2)),
    ],
)
def test_the_index_has_the_text_of_its_revision(
    tmp_path: Path, text: str, place: str, lines: tuple[int, int]
) -> None:
    made = Folder(tmp_path, text.encode())
    made.put("a.txt", f"new\n{text}\nmore".encode())
    found = made.check(made.cited + place)
    assert (found.status, found.start_line, found.end_line) == ("moved", *lines)
    read = made.get(made.cited + place)
    assert (read.start_line, read.end_line) == lines
    made.put("a.txt", b"another text\n" * 20)
    assert made.check(made.cited + place).status == "changed"


@pytest.mark.parametrize("git", [False, True])
@pytest.mark.parametrize("path", ["a.txt", "a.pptx"])
def test_a_whole_file_has_changed_or_has_only_other_line_ends(
    tmp_path: Path, path: str, git: bool
) -> None:
    content, other = b"one\ntwo\n", b"one\ntwo\nthree\n"
    if path == "a.pptx":
        content, other = pptx(("One", "a")), pptx(("One", "a"), ("Two", "b"))
    made = Folder(tmp_path, content, path, git=git)
    assert made.check(made.cited).status == "fresh"
    made.put(path, other)
    found = made.check(made.cited)
    if path == "a.pptx" and not git:  # its bytes are not in the index
        assert found.status == "unknown"
        return
    assert (found.status, found.detail) == ("changed", "the text of the file has changed")
    if path == "a.txt":
        made.put(path, content.replace(b"\n", b"\r\n"))
        assert made.check(made.cited).status == "fresh"


def test_the_index_has_the_text_of_pages_and_rows(tmp_path: Path) -> None:
    slides = ("One", "zebra a"), ("Two", "walrus b"), ("Three", "cow c")
    made = Folder(tmp_path, pptx(*slides), "a.pptx")
    made.put("a.pptx", pptx(("New", "slide"), *slides))
    assert made.check(made.cited + "#slide=2").detail == "now on slide 3"
    assert made.get(made.cited + "#slide=2").page == 3
    assert made.check(made.cited + "#slide=3").status == "unknown"  # a footer is not indexed
    made.put("a.pptx", pptx(slides[0], ("Two", "walrus bad"), slides[2]))
    assert made.check(made.cited + "#slide=2").status == "changed"
    fares: list[list[str | int]] = [["City", "Fare"], ["Ulm", 3], ["Bonn", 4], ["Kiel", 5]]
    made.put("a.xlsx", xlsx({"S": [["n"]], "Fares": fares}))
    made.run("docs")
    chunk = next(one for one in made.chunks() if one.path == "a.xlsx")
    made.put("a.xlsx", xlsx({"S": [["n"]], "Fares": [fares[0], ["Aachen", 1], *fares[1:]]}))
    cited = f"{chunk.repo}@{chunk.ref}:a.xlsx#sheet=2&row="
    assert made.check(f"{cited}2-3").detail == "now on sheet 2, row 3-4"
    assert made.check(f"{cited}1").status == "fresh"
    assert made.check(f"{cited}9").status == "unknown"


def test_a_last_line_that_is_empty_is_moved_with_the_others(tmp_path: Path) -> None:
    made = Folder(tmp_path, b"alpha\nbeta\n\ngamma\n", git=True)
    made.put("a.txt", b"new\nalpha\nbeta\n\ngamma\n")
    assert made.check(made.cited + "#L1-L3").detail == "now lines 2-4"
    assert made.check(made.cited + "#L2C2-L3").detail == "now L3C2-L4"
    read = made.get(made.cited + "#L1-L3")
    assert (read.raw, read.start_line, read.end_line) == (b"alpha\nbeta\n\n", 2, 4)
    assert made.get(made.cited + "#L2C2-L3").raw == b"eta\n\n"


def test_the_lines_of_a_file_are_read_once_for_all_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"line {number}\r\n" for number in range(40))
    made = Folder(tmp_path, text.encode(), git=True)
    made.put("a.txt", f"new\r\n{text}".encode())
    read: list[str] = []
    before = _Searched.exact

    def counted(text: str) -> _Searched:
        read.append(text)
        return before(text)

    monkeypatch.setattr(_Searched, "exact", counted)
    claims = [Claim(f"{made.cited}#L{number}-L{number + 1}") for number in range(1, 30)]
    found = asyncio.run(check_claims(made.index, claims, made.folder))
    assert {one.status for one in found} == {"moved"}
    assert len(read) <= 2  # with and without carriage returns


def test_columns_after_an_empty_first_line_are_not_the_whole_lines(tmp_path: Path) -> None:
    made = Folder(tmp_path, b"alpha\n\nsecret beta gamma\n")
    read = made.get(made.cited + "#L2-L3C6")
    assert read.text == "\nsecret"
    assert read.citation == made.cited + "#L2-L3C6"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("#L1C5", "line 1 of a.txt has 1 character: column 5 does not exist"),
        ("#L2C1", "line 2 of a.txt has 0 characters: column 1 does not exist"),
        ("#L1-L3C9", "line 3 of a.txt has 3 characters: column 9 does not exist"),
        ("#L0C1-L3", "line 0 does not exist"),
    ],
)
def test_columns_that_the_unchanged_file_lacks_are_an_error(
    tmp_path: Path, place: str, said: str
) -> None:
    made = Folder(tmp_path, b"a\n\nbcd\n")
    for locator in (made.cited + place, f"a.txt{place}"):
        with pytest.raises(UsageError, match=said):
            made.get(locator)
    assert made.check(made.cited + place).status == "changed"


@pytest.mark.parametrize("place", ["#slide=2", "#slide=1&char=0,9999", "#slide=2&char=14,20"])
def test_a_page_that_the_cited_revision_did_not_have_is_read_with_a_warning(
    tmp_path: Path, place: str
) -> None:
    made = Folder(tmp_path, pptx(("One", "a b c")), "a.pptx", git=True)
    made.put("a.pptx", pptx(("One", "a b c d"), ("Two", "x y")))
    assert made.check(made.cited + place).status == "changed"
    assert "has no such text" in made.get(made.cited + place).warning


def test_a_renamed_file_does_not_have_other_places_than_before(tmp_path: Path) -> None:
    made = Folder(tmp_path, b"x\nsame\n", git=True)
    docs = made.folder / "docs"
    (docs / "a.txt").rename(docs / "b.txt")
    assert made.check(made.cited + "#L2").detail == "now in b.txt"
    said = "a.txt has 2 lines: line 9 does not exist, now in b.txt"
    for place in ("#L9", "#L2C9", "#L0", "#L2-L1"):
        assert (place, made.check(made.cited + place).status) == (place, "changed")
    assert made.check(made.cited + "#L9").detail == said


def test_a_renamed_document_does_not_have_other_pages_than_before(tmp_path: Path) -> None:
    made = Folder(tmp_path, pptx(("One", "a b c")), "a.pptx", git=True)
    docs = made.folder / "docs"
    (docs / "a.pptx").rename(docs / "b.pptx")
    assert made.check(made.cited + "#slide=1").detail == "now in b.pptx"
    gone = made.check(made.cited + "#slide=9")
    assert (gone.status, "has 1 slide: slide 9" in gone.detail) == ("changed", True)


def test_white_space_is_followed_nowhere(tmp_path: Path) -> None:
    made = Folder(tmp_path, b"x y\n   \n\t\ny\n\n\nz\n", git=True)
    made.put("a.txt", b"new\nx y\n   \n\t\ny\n\n\nz\n")
    for place in ("#L2", "#L1C2-L1C2", "#L5-L6"):
        found = made.check(made.cited + place)
        assert (place, found.status) == (place, "changed")
        assert found.detail.endswith(" has no words at this place")
        assert made.get(made.cited + place).warning == found.detail
    made.put("a.txt", b"x y\n   \n\t\nyes\n\n\nz\n")
    for place in ("#L2", "#L2C2", "#L1C2-L1C2", "#L5-L6"):
        assert made.check(made.cited + place).status == "fresh"
        assert made.get(made.cited + place).warning == ""


def test_an_archive_that_is_half_written_may_still_have_its_files(tmp_path: Path) -> None:
    made = Office(tmp_path)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        files.writestr("x/a.md", "# A\n\nzebra = 1\n")
    made.put("a.zip", packed.getvalue())
    made.run("docs/a.zip")
    (chunk,) = made.chunks()
    made.put("a.zip", packed.getvalue()[:40])
    (found,) = asyncio.run(check_claims(made.index, [Claim(cite(chunk))], made.folder))
    assert (found.status, "cannot be opened as a zip file" in found.detail) == ("unknown", True)
    (made.folder / "docs" / "a.zip").unlink()
    (found,) = asyncio.run(check_claims(made.index, [Claim(cite(chunk))], made.folder))
    assert found.status == "deleted"


@pytest.mark.parametrize("git", [False, True])
def test_blank_lines_are_compared_with_the_indexed_revision(tmp_path: Path, git: bool) -> None:
    old = "# cfg\nlimit = 1\nother = 2\n\n\nend\n"
    made = Folder(tmp_path, old.encode(), "a.md", git=git)

    def verdicts(new: str, quote: str = "") -> list[str]:
        made.put("a.md", new.encode())
        return [made.check(made.cited + place, quote).status for place in ("#L4-L5", "#L4")]

    assert verdicts(f"{old}x\n") == ["fresh", "fresh"]
    assert verdicts(f"{old}x\n", " \n") == ["fresh", "fresh"]
    assert verdicts(old.replace("\n\n\n", "\r\n\r\n\r\n")) == ["fresh", "fresh"]
    assert verdicts(f"new\n{old}") == ["changed", "changed"]
    assert verdicts("# cfg\n") == ["changed", "changed"]
    found = made.check(made.cited + "#L4-L5")
    assert "has no words at this place" in found.detail
