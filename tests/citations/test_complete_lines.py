"""A citation without a quote stands for all text of its lines, columns or page in its revision."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.citations.claims import check_claims
from pincite.citations.compare_claim import Claim, ClaimCheck
from pincite.citations.get import get
from pincite.citations.passage import Passage
from pincite.errors import UsageError
from tests.ingestion.office import Office
from tests.readers.office_files import pptx
from tests.sources.helpers import commit

OLD = "zebra allowed = 1\nwalrus enabled\nthe end\n"


class Folder(Office):
    """One indexed file, of a folder or of a checkout."""

    def __init__(self, folder: Path, content: bytes, path: str = "a.txt", *, git: bool = False):
        super().__init__(folder)
        self.path = path
        self.put(path, content)
        sha = commit(self.folder / "docs") if git else ""
        self.run("docs")
        self.chunk = self.chunks()[0]
        assert not git or self.chunk.ref == sha
        self.cited = f"{self.chunk.repo}@{self.chunk.ref}:{path}"

    def check(self, citation: str) -> ClaimCheck:
        return asyncio.run(check_claims(self.index, [Claim(citation)], self.folder))[0]

    def get(self, locator: str) -> Passage:
        return asyncio.run(get(self.index, locator, 0, self.folder))


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
