"""What could not be read is not tried again by the next process, until something has changed."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from unittest.mock import Mock

import pytest

from pincite import Pincite
from pincite.errors import IndexUnavailable, SourceError
from pincite.ingestion import read as reading
from pincite.ingestion.refusals import FILE, Refusals
from pincite.readers.extraction import extractors
from pincite.readers.extraction.result import refused
from pincite.settings.load import load_settings
from pincite.support.fields import replace
from tests.readers.office_files import docx

HANGS = refused("timed_out", "it takes more than 120 s")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "odd.docx").write_bytes(docx("A zeppelin."))
    (tmp_path / "docs" / "plain.md").write_text("# Plain\n\nOnly text.\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def extract(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """In place of the extraction, which hangs with every file."""
    made = Mock(side_effect=HANGS)
    monkeypatch.setattr(reading, "extract", made)
    return made


def indexed(folder: Path, **options: bool) -> dict[str, int]:
    """What a new process leaves out."""
    with Pincite(load_settings({}, folder)) as pincite:
        (report,) = pincite.index(folder / "docs", lexical=True, **options)  # type: ignore[arg-type]
        pincite.stop()
        return dict(report.skipped)


def test_a_file_that_hangs_costs_its_time_once(folder: Path, extract: Mock) -> None:
    assert indexed(folder) == {"timed_out": 1}
    assert indexed(folder) == {"timed_out": 1}
    assert extract.call_count == 1
    with Pincite(load_settings({}, folder)) as pincite:
        (source,) = pincite.collections()[0].sources
        pincite.stop()
    said = "timed_out: odd.docx (it takes more than 120 s; not tried again without --retry)"
    assert source.skipped_paths == (said,)


def test_other_bytes_and_other_versions_are_tried(
    folder: Path, extract: Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed(folder)
    (folder / "docs" / "odd.docx").write_bytes(docx("Another zeppelin."))
    indexed(folder)
    assert extract.call_count == 2
    newer = replace(extractors.EXTRACTORS["docx"], rules=99)
    monkeypatch.setitem(extractors.EXTRACTORS, "docx", newer)
    indexed(folder)
    assert extract.call_count == 3


@pytest.mark.parametrize("option", ["retry", "rebuild"])
def test_who_asks_for_it_has_it_tried_again_and_what_is_read_then_is_no_longer_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(reading, "extract", Mock(side_effect=HANGS))
        indexed(folder)
    assert indexed(folder) == {"timed_out": 1}
    assert indexed(folder, **{option: True}) == {}
    (folder / "docs" / "odd.docx").unlink()
    indexed(folder)
    (folder / "docs" / "odd.docx").write_bytes(docx("A zeppelin."))
    assert indexed(folder) == {}


def test_in_one_process_it_is_tried_again_as_well(folder: Path) -> None:
    (folder / "docs" / "odd.docx").write_bytes(b"PK\x03\x04 no archive")
    with Pincite(load_settings({}, folder)) as pincite:
        for retry in (False, True):
            (report,) = pincite.index(folder / "docs", lexical=True, retry=retry)
            assert report.skipped == {"failed": 1}
        pincite.stop()


def test_what_lacks_its_extractor_is_read_as_soon_as_that_is_there(
    folder: Path, extract: Mock
) -> None:
    extract.side_effect = SourceError("no_extractor: pip install 'pincite[documents]'")
    assert indexed(folder) == {"no_extractor": 1}
    assert indexed(folder) == {"no_extractor": 1}
    asked = extract.call_count  # words and vectors are two passes, or one
    extract.side_effect = HANGS
    assert indexed(folder) == {"timed_out": 1}
    assert extract.call_count > asked


@pytest.mark.parametrize("damage", ["noise", "other"])
def test_a_damaged_list_costs_nothing_but_what_it_knew(
    folder: Path, extract: Mock, damage: str
) -> None:
    indexed(folder)
    place = folder / ".pincite" / FILE
    for left in place.parent.glob(f"{FILE}*"):
        left.unlink()
    if damage == "noise":
        place.write_bytes(b"\xffnoise" * 1_000)
    else:
        with sqlite3.connect(place) as db:
            db.execute("CREATE TABLE notes (text)")
    assert indexed(folder) == {"timed_out": 1}


@pytest.mark.parametrize("damage", ["link", "pipe"])
def test_a_list_that_others_put_there_is_not_opened(
    folder: Path, extract: Mock, damage: str
) -> None:
    indexed(folder)
    place = folder / ".pincite" / FILE
    place.unlink()
    if damage == "link":
        place.symlink_to(folder / "docs" / "plain.md")
    else:
        os.mkfifo(place)
    with pytest.raises(IndexUnavailable, match="remove it if you did not make it"):
        indexed(folder)
    assert (folder / "docs" / "plain.md").read_text(encoding="utf-8").startswith("# Plain")


def test_the_list_is_bounded_and_keeps_the_latest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.ingestion.refusals._MOST", 3)
    refusals = Refusals(tmp_path)
    for n in range(6):
        refusals.keep(f"{n}", "docx/1", "failed", "x" * 10_000)
    assert [n for n in range(6) if refusals.known(f"{n}", "docx/1")] == [3, 4, 5]
    assert refusals.known("5", "docx/1") == ("failed", "x" * 500)
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    refusals.close()
