"""Passages of extracted documents are held against the file before they are shown."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pincite.chunkers import ChunkerConfig, chunks_of, sections_of
from pincite.model import Chunk, Context, Match, Source
from pincite.model.citation import cite
from pincite.model.revisions import content_ref
from pincite.ports import Quote, Seen
from pincite.readers import read_document
from pincite.readers.extraction.run import Extracting
from pincite.support.fields import replace
from pincite.support.fields import replace as replaced
from tests.current_files.looks import files_of, look, record
from tests.readers.office_files import docx, pptx
from tests.time_limits import HANGS_S

SLIDES = (("One", "first words"), ("Two", "second words\nin two lines"))


def chunked(raw: bytes) -> tuple[Chunk, ...]:
    source = Source("acme", "/acme", "folder")
    ref = content_ref(hashlib.sha256(raw).hexdigest())
    document = read_document(raw, source=source, path="a.pptx", ref=ref)
    return chunks_of(document, sections_of(document, ChunkerConfig()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.pptx").write_bytes(pptx(*SLIDES))
    return tmp_path


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no failure."""
    monkeypatch.setattr("pincite.current_files.find_again_extracted.WAIT_S", HANGS_S)


def seen(folder: Path, chunk: Chunk, context: Context | None = None) -> Seen:
    return look(files_of(record(folder)), Quote("main", chunk, context))[0]


def test_a_passage_is_fresh_then_on_another_slide_then_gone(folder: Path) -> None:
    _, second = chunked((folder / "a.pptx").read_bytes())
    assert seen(folder, second).truth == "fresh"
    (folder / "a.pptx").write_bytes(raw := pptx(("Zero", "new"), *SLIDES))
    moved = seen(folder, second)
    assert (moved.truth, moved.chunk.page, moved.chunk.text) == ("moved", 3, second.text)
    assert moved.chunk == replace_id(chunked(raw)[2], second)
    assert cite(moved.chunk) == cite(chunked(raw)[2])
    (folder / "a.pptx").write_bytes(pptx(SLIDES[0], ("Two", "second word\nin two lines")))
    assert seen(folder, second).gone == "stale"
    (folder / "a.pptx").write_bytes(docx("no slides any more"))
    assert seen(folder, second).gone == "stale"
    (folder / "a.pptx").unlink()
    assert seen(folder, second).gone == "deleted"


def test_a_file_that_takes_long_to_read_costs_its_own_passages_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, slide = chunked((folder / "a.pptx").read_bytes())
    (folder / "b.pptx").write_bytes((folder / "a.pptx").read_bytes())
    other = replaced(slide, path="b.pptx")
    (folder / "a.pptx").write_bytes(pptx(("Zero", "never seen before"), *SLIDES))
    monkeypatch.setattr("pincite.current_files.find_again_extracted.WAIT_S", 0.0)
    extract, held = Extracting._work, threading.Event()

    def slowly(self: Extracting, *of: Any) -> None:
        held.wait(HANGS_S)
        extract(self, *of)

    monkeypatch.setattr(Extracting, "_work", slowly)
    files = files_of(record(folder))
    late, fine = look(files, Quote("main", slide), Quote("main", other))
    assert (late.truth, late.gone) == ("unchecked", None)
    assert late.notice is not None
    assert "a.pptx has changed" in late.notice.message
    assert fine.truth == "fresh"
    held.set()
    monkeypatch.setattr("pincite.current_files.find_again_extracted.WAIT_S", HANGS_S)
    assert look(files, Quote("main", slide))[0].truth == "moved"


def replace_id(found: Chunk, then: Chunk) -> Chunk:
    return replaced(found, id=then.id, space_before=then.space_before)


def test_what_is_shown_around_it_moves_along_or_is_left_out(folder: Path) -> None:
    first, _ = chunked((folder / "a.pptx").read_bytes())
    part = part_of(first, "first words")
    whole = Match(cite(part), part.id, 0, 0, part.start, part.end)
    context = Context(0, 0, first.text, cite(first), (whole,))
    (folder / "a.pptx").write_bytes(raw := pptx(("Zero", "new"), *SLIDES))
    moved = seen(folder, part, context)
    assert moved.context is not None
    assert moved.context.text == first.text
    assert moved.context.citation == cite(chunked(raw)[1])
    assert moved.context.matches[0].citation == cite(moved.chunk)
    (folder / "a.pptx").write_bytes(pptx(("Another title", "first words")))
    alone = seen(folder, part, replace(context, matches=()))
    assert (alone.truth, alone.context, alone.chunk.text) == ("moved", None, "first words")


def part_of(chunk: Chunk, text: str) -> Chunk:
    start = chunk.start + chunk.text.index(text)
    return replaced(chunk, text=text, start=start, end=start + len(text))


def test_a_passage_whose_last_number_grew_is_gone(folder: Path) -> None:
    (folder / "a.pptx").write_bytes(raw := pptx(("One", "uploads allowed = 1"), ("Two", "end")))
    first, _ = chunked(raw)
    (folder / "a.pptx").write_bytes(pptx(("One", "uploads allowed = 10 MB"), ("Two", "end")))
    assert seen(folder, first).gone == "stale"


def test_a_passage_of_an_archive_is_held_against_its_member(tmp_path: Path) -> None:
    indexed = pptx(*SLIDES)
    _, second = chunked(indexed)
    place = tmp_path / "docs.zip"

    def archived(member: bytes) -> Seen:
        with zipfile.ZipFile(place, "w") as made:
            made.writestr("a.pptx", member)
        source = Source("acme", str(place), "archive")
        return look(files_of(record(tmp_path, source=source)), Quote("main", second, None))[0]

    assert archived(indexed).truth == "fresh"
    moved = archived(pptx(("Zero", "new"), *SLIDES))
    assert (moved.truth, moved.chunk.page) == ("moved", 3)
