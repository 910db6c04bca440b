"""Pages, and what is a table or an image, are asked for by filters, in every store."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite import Pincite
from pincite.errors import UsageError
from pincite.settings.load import load_settings
from pincite.surfaces.text.render import render
from tests.readers.office_files import docx, pptx, xlsx
from tests.surfaces.packs import text_of

SLIDES = tuple((f"Part {n}", f"The zeppelin of part {n} is moored.") for n in range(1, 5))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "talk.pptx").write_bytes(pptx(*SLIDES))
    sheets: dict[str, list[list[object]]] = {
        "Fares": [["Zeppelin", "Fare"], ["Ulm", 3]],
        "More": [["Zeppelin"], ["Bern"]],
    }
    (docs / "fares.xlsx").write_bytes(xlsx(sheets))
    (docs / "plain.md").write_text("# Plain\n\nA zeppelin, in lines.\n", encoding="utf-8")
    return tmp_path


def opened(folder: Path, toml: str = "") -> Pincite:
    (folder / "pincite.toml").write_text(toml, encoding="utf-8")
    return Pincite(load_settings({"PINCITE_CACHE": str(folder / "vectors.db")}, folder))


def found(pincite: Pincite, where: str) -> list[tuple[str, int | None]]:
    pack = pincite.search("zeppelin", where=where, limit=20)
    return sorted((one.path, one.page) for one in (*pack.evidence, *pack.closest))


@pytest.mark.parametrize("kind", ["edge", "sqlite", "chroma"])
def test_filters_ask_for_pages_and_tables_in_every_store(folder: Path, kind: str) -> None:
    with opened(folder, f'[store]\nkind = "{kind}"\n') as pincite:
        pincite.index(folder / "docs", lexical=True)
        assert found(pincite, "page = 2") == [("fares.xlsx", 2), ("talk.pptx", 2)]
        assert found(pincite, "3 <= page <= 4") == [("talk.pptx", 3), ("talk.pptx", 4)]
        assert found(pincite, "visual = true") == [("fares.xlsx", 1), ("fares.xlsx", 2)]
        assert found(pincite, "page = 1 and visual = false") == [("talk.pptx", 1)]
        assert found(pincite, "not page exists") == [("plain.md", None)]
        assert found(pincite, "page = 9") == []
        (fares,) = pincite.search("zeppelin", where="path = fares.xlsx and page = 1").evidence
        assert fares.rows == (1, 2)
        pincite.stop()


def test_a_place_is_shown_once(folder: Path) -> None:
    with opened(folder) as pincite:
        pincite.index(folder / "docs", lexical=True)
        pack = pincite.search("zeppelin", where="page = 3")
        assert pack[0].attributes == {"page": 3, "visual": False}
        assert "page=3" not in text_of(render(pack, "table"))
        assert "Attributes:" not in text_of(render(pack, "md"))
        pincite.stop()


def test_a_user_is_told_of_attributes_that_files_have_and_not_of_places(folder: Path) -> None:
    (folder / "docs/plain.md").write_text("---\nyear: 2026\n---\nA zeppelin.\n", encoding="utf-8")
    told: list[str] = []
    with opened(folder) as pincite:
        pincite.index(folder / "docs", lexical=True, on_notice=lambda one: told.append(one.message))
        assert found(pincite, "page = 3") == [("talk.pptx", 3)]
        pincite.stop()
    assert [message.split()[:2] for message in told] == [["attribute", "`year`"]]


def test_attributes_of_these_names_mean_what_their_owner_says(folder: Path) -> None:
    with opened(folder) as pincite:
        pincite.index(folder / "docs", lexical=True, attributes={"page": "front"})
        assert {path for path, _ in found(pincite, "page = front")} == {
            "fares.xlsx",
            "plain.md",
            "talk.pptx",
        }
        assert found(pincite, "visual = true") == [("fares.xlsx", 1), ("fares.xlsx", 2)]
        pincite.stop()


def test_a_collection_that_has_such_a_name_of_another_type_keeps_it(folder: Path) -> None:
    with opened(folder, '[attributes]\nvisual = "keyword"\n') as pincite:
        (report,) = pincite.index(folder / "docs", lexical=True)
        assert (report.new, report.noted) == (3, {})
        assert found(pincite, "page = 4") == [("talk.pptx", 4)]
        assert found(pincite, "visual = yes") == []
        pincite.stop()


def test_without_extracted_documents_there_are_no_pages(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "plain.md").write_text("# Plain\n\nA zeppelin.\n", encoding="utf-8")
    with opened(tmp_path) as pincite:
        pincite.index(tmp_path / "docs", lexical=True)
        with pytest.raises(UsageError, match="no field is named 'page'"):
            pincite.search("zeppelin", where="page = 1")
        pincite.stop()


def test_a_table_is_shown_among_the_text_of_its_page(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    parts = ((1, "Fares"), "A zeppelin flies to these towns.", [["City", "Fare"], ["Ulm", "3"]])
    (tmp_path / "docs" / "fares.docx").write_bytes(docx(*parts))
    with opened(tmp_path) as pincite:
        pincite.index(tmp_path / "docs", lexical=True)
        pack = pincite.search("zeppelin flies to towns", context="section")
        assert not pack[0].visual
        assert pack[0].context is not None
        assert "Ulm | 3" in pack[0].context.text
        pincite.stop()
