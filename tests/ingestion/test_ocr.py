"""A scan, indexed with OCR: found, marked, cited by page, checked against the picture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pincite import Pincite
from pincite.errors import ConfigError
from pincite.settings.load import load_settings
from pincite.surfaces.text.render import render
from pincite.surfaces.text.table import Look
from tests.readers.pdf.files import photographed, typeset
from tests.surfaces.packs import text_of

SENTENCE = "The zeppelin moors at the northern harbour before noon."
SCAN = photographed(
    typeset(f'#set page(width: 420pt, height: 200pt)\n#set text(font: "DejaVu Sans")\n{SENTENCE}')
)


def another_scan(where: str) -> bytes:
    page = '#set page(width: 420pt, height: 200pt)\n#set text(font: "DejaVu Sans")\n'
    return photographed(typeset(page + SENTENCE.replace("northern", where)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "scan.pdf").write_bytes(SCAN)
    (tmp_path / "docs" / "plain.md").write_text("# Plain\n\nOnly text.\n", encoding="utf-8")
    return tmp_path


def opened(folder: Path) -> Pincite:
    return Pincite(load_settings({"PINCITE_CACHE": str(folder / "vectors.db")}, folder))


@pytest.fixture
def pincite(folder: Path) -> Iterator[Pincite]:
    with opened(folder) as made:
        yield made
        made.stop()


def test_a_scan_is_searched_quoted_and_checked_and_said_to_be_read_by_ocr(
    pincite: Pincite, folder: Path
) -> None:
    (report,) = pincite.index(folder / "docs", lexical=True)
    assert report.skipped == {"scanned": 1}
    (report,) = pincite.index(folder / "docs", lexical=True, ocr=True)
    assert (report.new, report.skipped) == (1, {})
    assert report.noted == {"ocr": 1}
    pack = pincite.search("zeppelin harbour")
    found = pack[0]
    assert (found.text, found.page, found.recognised) == (SENTENCE, 1, True)
    assert "#page=1&char=0," in found.citation
    assert pincite.get(found.citation).text == SENTENCE
    assert {one.status for one in pincite.verify(pack)} == {"fresh"}
    assert not pincite.search("only text")[0].recognised
    assert msgspec.to_builtins(found)["recognised"] is True
    assert "scan.pdf, page 1, read by OCR" in text_of(render(pack, "table", Look()))
    for said in (text_of(render(pack, "md")), pack.to_prompt()):
        assert "read by OCR in a picture of the page: letters may be wrong" in said
    answer = pincite.answer("Where does the zeppelin moor?")
    assert [one.recognised for one in answer.sources] == [True]


def test_ocr_stays_as_it_was_until_somebody_says_otherwise(pincite: Pincite, folder: Path) -> None:
    pincite.index(folder / "docs", lexical=True, ocr=True)
    (report,) = pincite.index()
    assert (report.unchanged, report.skipped) == (2, {})
    assert [one.source.ocr for one in pincite.collections()[0].sources] == [True]
    (report,) = pincite.index(ocr=False)
    assert report.skipped == {"scanned": 1}
    assert not [one for one in pincite.search("zeppelin harbour") if one.path == "scan.pdf"]


def test_a_changed_scan_says_so(pincite: Pincite, folder: Path) -> None:
    pincite.index(folder / "docs", lexical=True, ocr=True)
    pack = pincite.search("zeppelin harbour")
    (folder / "docs" / "scan.pdf").write_bytes(another_scan("southern"))
    (checked,) = pincite.verify(pack)
    assert checked.status == "changed"


@pytest.mark.parametrize(
    "said",
    ["[documents]\nocr = true\n", '[[source]]\npath = "docs"\nocr = true\n'],
)
def test_the_configuration_asks_for_ocr(folder: Path, said: str) -> None:
    (folder / "pincite.toml").write_text(said, encoding="utf-8")
    with opened(folder) as pincite:
        (report,) = pincite.index(folder / "docs", lexical=True)
        assert (report.new, report.skipped) == (2, {})
        (report,) = pincite.index(folder / "docs", ocr=False)  # who runs it has the last word
        assert report.skipped == {"scanned": 1}
        pincite.stop()


def test_a_source_has_more_to_say_than_all_documents(folder: Path) -> None:
    said = '[documents]\nocr = true\n[[source]]\npath = "docs"\nocr = false\n'
    (folder / "pincite.toml").write_text(said, encoding="utf-8")
    with opened(folder) as pincite:
        (report,) = pincite.index(folder / "docs", lexical=True)
        assert report.skipped == {"scanned": 1}
        pincite.stop()


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("[documents]\nocr = 'yes'\n", "documents"),
        ("[documents]\nocrs = true\n", "documents.ocrs"),
        ("documents = 3\n", "'documents' is a table"),
    ],
)
def test_a_wrong_setting_is_named(folder: Path, said: str, named: str) -> None:
    (folder / "pincite.toml").write_text(said, encoding="utf-8")
    with pytest.raises(ConfigError, match=named):
        opened(folder)


def test_ocr_that_is_not_installed_is_an_error_with_the_command_and_nothing_is_lost(
    pincite: Pincite, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pincite.index(folder / "docs", lexical=True, ocr=True)
    monkeypatch.setattr("pincite.ingestion.sources.source_settings.ocr_is_missing", lambda: True)
    monkeypatch.setattr("pincite.readers.extraction.run.ocr_is_missing", lambda: True)
    monkeypatch.setattr("pincite.ingestion.sources.changes.is_missing", lambda _, ocr: ocr)
    with pytest.raises(ConfigError) as caught:
        pincite.index(folder / "docs", ocr=True)
    assert caught.value.hint == "pip install 'pincite[ocr]'"
    (folder / "docs" / "new.pdf").write_bytes(another_scan("eastern"))
    (report,) = pincite.index()
    assert (report.unchanged, report.skipped) == (2, {"no_extractor": 1})
    assert pincite.search("zeppelin harbour")[0].text == SENTENCE
