"""The revision that lines of a file are cited at when they are read."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pincite.citations.passage import IndexedFile, read_lines
from pincite.model import Source, SourceRecord
from pincite.model.citation import parse_citation
from pincite.model.revisions import content_ref, dirty_ref
from tests.sources.archives import zipped
from tests.sources.helpers import commit, git, plant

TEXT = "one\ntwo\n"


def content_of(text: str) -> str:
    return content_ref(hashlib.sha256(text.encode()).hexdigest())


def ref_of(source: Source, ref: str) -> str:
    """Where the first line of `a.md` is cited, which had `TEXT` when it was indexed at `ref`."""
    digest = hashlib.sha256(TEXT.encode()).hexdigest()
    known = IndexedFile("main", SourceRecord(source), "a.md", ref, digest)
    cited = parse_citation(read_lines(known, 1, 1, 0, None).citation)
    assert cited is not None
    return cited.ref


def test_an_unchanged_file_is_cited_at_the_commit_that_is_checked_out(tmp_path: Path) -> None:
    first = commit(plant(tmp_path, {"a.md": TEXT}))
    source = Source("notes", str(tmp_path), "git", first)
    assert ref_of(source, first) == first
    git(tmp_path, "commit", "-q", "--amend", "-m", "another message")  # the first may be gone soon
    second = git(tmp_path, "rev-parse", "HEAD")
    assert second != first
    assert ref_of(source, first) == second
    (tmp_path / "a.md").write_text("0ne\n")
    assert ref_of(source, first) == dirty_ref(second, hashlib.sha256(b"0ne\n").hexdigest())


def test_other_content_is_not_cited_at_a_revision_that_was_given_by_name(tmp_path: Path) -> None:
    source = Source("notes", str(tmp_path), "folder", "v1", pinned=True)
    plant(tmp_path, {"a.md": TEXT})
    assert ref_of(source, "v1") == "v1"
    plant(tmp_path, {"a.md": "0ne\n"})
    assert ref_of(source, "v1") == content_of("0ne\n")


def test_other_content_is_not_cited_at_the_version_of_an_archive(tmp_path: Path) -> None:
    place = zipped(tmp_path / "notes-1.2.3.zip", {"notes/a.md": TEXT, "notes/b.md": TEXT})
    source = Source("notes", str(place), "archive", "1.2.3")
    assert ref_of(source, "1.2.3") == "1.2.3"
    zipped(place, {"notes/a.md": "0ne\n", "notes/b.md": TEXT})
    assert ref_of(source, "1.2.3") == content_of("0ne\n")
    assert ref_of(source, "1.2.2") == "1.2.3"


@pytest.mark.parametrize(
    "text",
    ["one\ntwo\n", "one\ntwo", "one\n\n", "one", "\n", "one\r\ntwo\r\n", "\r\n\r\n", "one\r"],
)
def test_the_bytes_of_lines_are_those_of_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.md").write_bytes(text.encode())
    known = IndexedFile(
        "main", SourceRecord(Source("notes", str(tmp_path), "folder")), "a.md", "", ""
    )
    rows = text.splitlines(keepends=True)
    for first in range(1, len(rows) + 1):
        for last in range(first, len(rows) + 1):
            passage = read_lines(known, first, last, 0, None)
            assert passage.raw.decode() == "".join(rows[first - 1 : last])
            raw = passage.raw.decode()
            assert passage.text == raw.removesuffix("\r\n" if passage.crlf else "\n")
            assert passage.crlf == raw.endswith("\r\n")
