"""A PDF with a picture, indexed with a vision model over HTTP: the note finds it, and is never
quoted."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from pincite import Pincite
from pincite.settings.load import load_settings
from pincite.testing.contract_server import ContractServer


def pdf(path: Path, *, caption: str = "") -> None:
    """A page with a sentence, and a picture that has a caption or none."""
    drawn = Image.effect_noise((160, 120), 60).convert("RGB")
    held = io.BytesIO()
    drawn.save(held, "PNG")
    canvas = Canvas(str(path))
    canvas.drawString(72, 760, "Rain is measured with a gauge, once a day, at nine.")
    canvas.drawImage(ImageReader(io.BytesIO(held.getvalue())), 72, 500, 300, 200)
    if caption:
        canvas.drawString(72, 484, caption)
    canvas.showPage()
    canvas.save()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    pdf(tmp_path / "docs" / "rain.pdf")
    return tmp_path


def opened(folder: Path, server: ContractServer | None) -> Pincite:
    if server is not None:
        (folder / "pincite.toml").write_text(
            f'[models]\nvision = "openai:{server.url("openai")}#sees"\n', encoding="utf-8"
        )
    environ = {"OPENAI_API_KEY": "secret", "PINCITE_CACHE": str(folder / "vectors.db")}
    return Pincite(load_settings(environ, folder))


def test_a_picture_without_words_is_found_by_what_is_said_of_it(folder: Path) -> None:
    with ContractServer(key="secret") as server, opened(folder, server) as pincite:
        (report,) = pincite.index(folder / "docs", lexical=True)
        assert (report.new, len(report.skipped)) == (1, 0)
        pack = pincite.search("describe a picture png", where="kind = 'docs'", limit=5)
        (seen,) = [one for one in pack if one.visual]
        assert seen.page == 1
        assert seen.box is not None
        assert seen.note.startswith("[Visual Analysis] ")
        assert "[Visual Analysis]" not in seen.text
        assert pincite.get(seen.citation).text == seen.text
        assert {one.status for one in pincite.verify(pack)} == {"fresh"}
        asked = server.record.requests
        pincite.index(folder / "docs")
        pincite.stop()
        assert server.record.requests == asked  # what has not changed is not described again


def test_without_a_vision_model_a_picture_without_words_is_no_result(folder: Path) -> None:
    with opened(folder, None) as pincite:
        (report,) = pincite.index(folder / "docs", lexical=True)
        assert report.chunks == 1
        assert not [one for one in pincite.search("image picture rain gauge") if one.visual]
        pincite.stop()


def test_a_caption_is_text_of_the_page_that_is_cited(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    pdf(tmp_path / "docs" / "rain.pdf", caption="Figure 1: Rain over the year")
    with opened(tmp_path, None) as pincite:
        pincite.index(tmp_path / "docs", lexical=True)
        (seen,) = [one for one in pincite.search("rain over the year figure") if one.visual]
        assert seen.text == "Figure 1: Rain over the year"
        assert (seen.page, seen.note) == (1, "")
        pincite.stop()


def test_files_that_are_indexed_already_get_their_notes_with_a_rebuild(folder: Path) -> None:
    with opened(folder, None) as pincite:
        pincite.index(folder / "docs", lexical=True)
        pincite.stop()
    with ContractServer(key="secret") as server, opened(folder, server) as pincite:
        pincite.index(folder / "docs")
        assert not server.record.requests  # unchanged files are left alone
        pincite.index(folder / "docs", lexical=True, rebuild=True)
        (seen,) = [one for one in pincite.search("picture", limit=5) if one.visual]
        assert seen.note.startswith("[Visual Analysis] ")
        pincite.stop()
