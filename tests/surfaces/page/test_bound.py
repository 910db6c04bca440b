"""`pincite ui --tag` shows what has the tags alone; records, PDFs and languages in the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from pincite import Pincite
from pincite.engine import AsyncPincite
from pincite.settings.load import Settings, load_settings
from pincite.surfaces.page.app import PageResources, make_app
from tests.readers.pdf.files import typeset

QUESTION = "how is a key rotated in the oral exam?"
MARKS = {"north": "quetzal", "south": "zanzibar"}
TEXT = "The oral exam of {0} asks how a key is rotated. The answer of {0} is short.\n"
NORTH = {"institution": "north"}


@dataclass(frozen=True)
class Shelf:
    """An index of two tenants, each with Markdown, a PDF and a record; the citations of each."""

    settings: Settings
    citations: Mapping[str, tuple[str, ...]]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    folder = tmp_path_factory.mktemp("bound")
    made = load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, folder)
    with Pincite(made) as pincite:
        for tenant, mark in MARKS.items():
            place = folder / tenant
            place.mkdir()
            (place / "exam.md").write_text(f"# Exam\n\n{TEXT.format(mark)}", encoding="utf-8")
            (place / "paper.pdf").write_bytes(typeset(f"= Paper\n{TEXT.format(mark)}"))
            attributes = {"institution": tenant}
            pincite.index(place, lexical=True, name=tenant, attributes=attributes)
            pincite.upsert([{"id": mark, "text": TEXT.format(mark), "attributes": attributes}])
        pack = pincite.search(QUESTION, limit=20)
        citations = {
            tenant: tuple(one.citation for one in pack if mark in one.text)
            for tenant, mark in MARKS.items()
        }
        assert all(len(found) == 3 for found in citations.values())
        yield Shelf(made, citations)
        pincite.stop()


@asynccontextmanager
async def page(
    settings: Settings, golden: Path, tags: Mapping[str, Any]
) -> AsyncIterator[httpx.AsyncClient]:
    async with AsyncPincite(settings) as engine:
        resources = PageResources(engine, golden, tags)
        transport = httpx.ASGITransport(make_app(resources, ["page.test"], "token"))
        headers = {"X-Pincite-Token": "token"}
        try:
            async with httpx.AsyncClient(
                transport=transport, base_url="http://page.test", headers=headers, timeout=60
            ) as client:
                yield client
        finally:
            await resources.colours.close()


def said(
    settings: Settings, golden: Path, tags: Mapping[str, Any], *asked: tuple[str, object]
) -> list[httpx.Response]:
    async def session() -> list[httpx.Response]:
        async with page(settings, golden, tags) as client:
            return [await client.post(f"/api/{name}", json=body) for name, body in asked]

    return asyncio.run(session())


def test_results_stages_and_answers_have_the_tags(shelf: Shelf, tmp_path: Path) -> None:
    asked = [(name, {"text": QUESTION}) for name in ("ask", "why", "answer")]
    for found in said(shelf.settings, tmp_path / "q.jsonl", NORTH, *asked):
        assert found.status_code == 200
        assert MARKS["south"] not in found.text
        assert "south" not in found.text
    assert MARKS["north"] in found.text


@pytest.mark.parametrize("name", ["source", "picture"])
def test_what_has_other_tags_is_not_there(shelf: Shelf, tmp_path: Path, name: str) -> None:
    theirs = [(name, {"citation": one}) for one in shelf.citations["south"]]
    absent = [(name, {"citation": one}) for one in ("south/nothing.md:1:1", "nothing")]
    for found in said(shelf.settings, tmp_path / "q.jsonl", NORTH, *theirs, *absent):
        assert found.status_code == 400
        assert "no indexed file is named" in found.json()["message"]


def test_own_markdown_pdf_and_record_are_opened(shelf: Shelf, tmp_path: Path) -> None:
    own = shelf.citations["north"]
    asked = [("source", {"citation": one}) for one in own]
    texts = said(shelf.settings, tmp_path / "q.jsonl", NORTH, *asked)
    for found in texts:
        view = found.json()
        marked = "\n".join(
            "".join(piece for _, piece in view["lines"][int(row)][first:last])
            for row, (first, last) in view["marks"].items()
        )
        assert MARKS["north"] in marked
    views = {Path(one.json()["path"]).suffix: one.json() for one in texts}
    assert set(views) == {".md", ".pdf", ""}
    assert MARKS["north"] in json.dumps(views[".md"]["rendered"]["nodes"])
    assert [view["pictured"] for view in views.values()].count(True) == 1
    (pdf,) = [one for one in own if ".pdf" in one]
    (picture,) = said(shelf.settings, tmp_path / "q.jsonl", NORTH, ("picture", {"citation": pdf}))
    assert picture.json()["boxes"]


def test_a_file_whose_secrets_are_masked_has_no_picture(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files/paper.pdf").write_bytes(typeset(f"= Paper\n{TEXT.format('ocelot')}"))
    made = load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, tmp_path)
    with Pincite(made) as pincite:
        pincite.index(tmp_path / "files", lexical=True, name="masked", mask_secrets=True)
        (one,) = pincite.search(QUESTION)
        asked = ("picture", {"citation": one.citation})
        (found,) = said(made, tmp_path / "q.jsonl", {}, asked)
        pincite.stop()
    assert found.status_code == 400
    assert "secrets are masked" in found.json()["message"]


def test_words_are_marked_as_the_language_of_the_index_has_them(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files/a.txt").write_text("Die alten Häuser stehen am Fluss.\n", encoding="utf-8")
    made = load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, tmp_path)
    with Pincite(made) as pincite:
        pincite.index(tmp_path / "files", lexical=True, language="german")
        (found,) = said(made, tmp_path / "q.jsonl", {}, ("ask", {"text": "altes Haus"}))
        pincite.stop()
    view = found.json()
    pieces = [piece for one in (*view["results"], *view["closest"]) for piece in one["snippet"][0]]
    assert ["hit", "Häuser"] in pieces
