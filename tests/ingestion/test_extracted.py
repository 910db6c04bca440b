"""Files whose text is extracted are indexed by page; what cannot be read says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.model import OnPage
from pincite.readers.extraction import extractors
from pincite.sources import SourceLimits
from pincite.support.fields import replace
from tests.ingestion.office import Office
from tests.readers.office_files import code, docx, markdown, notebook, pptx, xlsx

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")


@pytest.fixture
def office(tmp_path: Path) -> Office:
    made = Office(tmp_path)
    made.put("safety.docx", docx((1, "Safety"), "Wear goggles in the laboratory."))
    made.put("rates.xlsx", xlsx({"Rates": [["City", "Rate"], ["Ulm", 3]]}))
    made.put("keys.ipynb", notebook(markdown("# Keys"), code("rotate_key()")))
    made.put("plain.md", b"# Plain\n\nOnly text.\n")
    return made


def test_chunks_have_a_page_and_no_lines_and_text_files_are_as_ever(office: Office) -> None:
    (report,) = office.run("docs")
    assert (report.new, report.skipped) == (4, {})
    by_path = {chunk.path: chunk for chunk in office.chunks()}
    safety = by_path["safety.docx"]
    assert (safety.cited_in, safety.on_page) == ("chapter", OnPage(1))
    assert (safety.start_line, safety.end_line) == (0, 0)
    assert safety.text == "Safety\n\nWear goggles in the laboratory."
    assert by_path["rates.xlsx"].on_page == OnPage(1, visual=True, rows=(1, 2))
    assert (by_path["rates.xlsx"].source_type, by_path["keys.ipynb"].language) == (
        "data",
        "notebook",
    )
    plain = by_path["plain.md"]
    assert (plain.on_page, plain.cited_in, plain.start_line) == (None, "", 1)


def test_a_file_without_text_costs_itself_and_says_why(office: Office) -> None:
    office.put("locked.docx", OLE)
    office.put("broken.pptx", pptx(("a", "b"))[:500])
    office.put("nothing.xlsx", xlsx({"Empty": []}))
    (report,) = office.run("docs")
    assert report.skipped == {"encrypted": 1, "failed": 1, "empty": 1}
    assert "encrypted: locked.docx (it needs a password)" in report.skipped_paths
    assert sorted(office.records()) == ["keys.ipynb", "plain.md", "rates.xlsx", "safety.docx"]


def test_a_file_that_cannot_be_read_any_more_is_no_longer_indexed(office: Office) -> None:
    office.run("docs")
    office.put("safety.docx", OLE)
    office.run("docs")
    assert "safety.docx" not in office.records()


def test_another_version_of_an_extractor_reads_its_files_again_and_only_those(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.run("docs")
    assert office.run("docs")[0].unchanged == 4
    newer = replace(extractors.EXTRACTORS["docx"], rules=99)
    monkeypatch.setitem(extractors.EXTRACTORS, "docx", newer)
    (report,) = office.run("docs")
    assert (report.changed, report.unchanged) == (1, 3)


def test_what_an_extractor_has_read_stays_where_it_is_not_installed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.run("docs")
    for module in ("pincite.ingestion.sources.changes", "pincite.readers.extraction.run"):
        monkeypatch.setattr(f"{module}.is_missing", lambda suffix, **_: suffix == "docx")
    office.put("more.docx", docx("New"))
    (report,) = office.run("docs")
    assert "safety.docx" in office.records()
    assert report.skipped == {"no_extractor": 1}
    assert "pip install 'pincite[documents]'" in report.skipped_paths[0]


def test_extracted_files_have_a_limit_of_their_own() -> None:
    limits = SourceLimits(max_file_bytes=10, max_extracted_bytes=1000)
    assert (limits.most_bytes("a.md"), limits.most_bytes("b/c.DOCX")) == (10, 1000)
    assert limits.most_bytes(".docx") == 10


def test_what_is_remarkable_is_noted(office: Office) -> None:
    office.put("sums.xlsx", xlsx({"Sums": [["a", "=1+1"]]}))
    (report,) = office.run("docs")
    assert report.noted == {"no_values": 1}
