"""An upload has the chunks that `pincite index` makes of the same file: headings, pages, rows."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from pincite.engine import AsyncPincite
from pincite.model import Chunk, Record
from pincite.settings.load import load_settings
from pincite.workspace.files.uploads import read_upload
from tests.readers.office_files import docx, xlsx
from tests.readers.pdf.files import drawn
from tests.surfaces.http.workspace_server import Person, WorkspaceServer, workspace_server

FOOTER = "Confidential draft of the lighthouse board"
PLACES = ("Reykjavik", "Bergen", "Aalborg", "Turku")


def _report(canvas: Canvas) -> None:
    for number, place in enumerate(PLACES, start=1):
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawString(72, 760, f"The lamp of {place}")
        canvas.setFont("Helvetica", 11)
        for line in range(8):
            canvas.drawString(72, 720 - 16 * line, f"Sentence {line} on the lamp of {place}.")
        canvas.drawString(72, 30, f"{FOOTER}, page {number}")
        canvas.showPage()


FILES = {
    "report.pdf": drawn(_report),
    "parts.xlsx": xlsx(
        {
            "Bolts": [
                ["Part", "Colour", "Price"],
                *([f"bolt number {n}", "rather dark grey", n] for n in range(120)),
            ],
            "Nuts": [["Part", "Price"], ["a nut of brass", 7]],
        }
    ),
    "lab.docx": docx(
        (1, "Centrifuge"),
        "It runs at 4200 revolutions. " * 40,
        (2, "Rotors"),
        [["Rotor", "Speed"], ["fixed angle", "15000 rpm"]],
        (1, "Freezer"),
        "It is kept at minus eighty degrees.",
    ),
}


@dataclass(frozen=True)
class Told:
    """The chunks of each file in both indexes, and what the server says of one user's uploads."""

    uploaded: dict[str, Sequence[Chunk]]
    indexed: dict[str, Sequence[Chunk]]
    packs: dict[str, Any]
    places: dict[str, list[tuple[str, str]]]
    read: dict[str, Any]
    verified: dict[str, Any]
    pictured: Any


QUESTIONS = {
    "report.pdf": "lamp of Bergen",
    "parts.xlsx": "bolt number 77",
    "lab.docx": "freezer minus eighty degrees",
}


async def _uploaded(made: WorkspaceServer, who: Person, id_: str) -> Sequence[Chunk]:
    client, path = made.resources.workspace._engine.client(), f"{who.personal}/{id_}"
    infos = await client.collections()
    found = [await client.document(info.spec.name, "documents", path) for info in infos]
    return next(tuple(one) for one in found if one)


async def _indexed(folder: Path) -> dict[str, Sequence[Chunk]]:
    (folder / "files").mkdir()
    for name, raw in FILES.items():
        (folder / "files" / name).write_bytes(raw)
    async with AsyncPincite(load_settings({"PINCITE_OFFLINE": "1"}, folder)) as engine:
        await engine.index(folder / "files", lexical=True)
        client = engine.client()
        (info,) = await client.collections()
        (source,) = info.sources
        name = info.spec.name
        return {
            path: tuple(await client.document(name, source.source.name, path)) for path in FILES
        }


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    async def session() -> Told:
        indexed = await _indexed(tmp_path_factory.mktemp("indexed"))
        uploaded, packs, places, read, verified = {}, {}, {}, {}, {}
        async with workspace_server() as made:
            ada = await made.person("ada")
            ids = {name: (await ada.upload(name, raw))["id"] for name, raw in FILES.items()}
            await made.work()
            for name, id_ in ids.items():
                uploaded[name] = await _uploaded(made, ada, id_)
                asked = {"question": QUESTIONS[name], "document_ids": [id_]}
                packs[name] = (await ada.client.post("/v1/search", json=asked)).json()
                said = await ada.client.post("/ui/api/ask", json={"text": QUESTIONS[name]})
                places[name] = [(one["place"], one["page"]) for one in said.json()["results"]]
                first = packs[name]["evidence"][0]
                cited = {"citation": first["citation"]}
                read[name] = (await ada.client.post("/v1/evidence/read", json=cited)).json()
                claims = {"claims": [cited, cited | {"quote": first["text"]}]}
                verified[name] = (await ada.client.post("/v1/evidence/verify", json=claims)).json()
            cited = {"citation": packs["report.pdf"]["evidence"][0]["citation"]}
            pictured = (await ada.client.post("/ui/api/picture", json=cited)).json()
        return Told(uploaded, indexed, packs, places, read, verified, pictured)

    return asyncio.run(session())


def _shape(one: Chunk) -> tuple[object, ...]:
    place = one.on_page
    assert place is not None
    return (
        *(one.start, one.end, one.text, one.headings, one.plain, one.cited_in, one.space_before),
        *(place.number, place.visual, place.box, place.rows, place.recognised),
    )


@pytest.mark.parametrize("name", FILES)
def test_the_chunks_are_those_of_the_indexed_file(told: Told, name: str) -> None:
    assert list(map(_shape, told.uploaded[name])) == list(map(_shape, told.indexed[name]))
    assert len(told.uploaded[name]) > 1


def test_a_running_footer_is_not_indexed(told: Told) -> None:
    assert not any(FOOTER in one.text for one in told.uploaded["report.pdf"])


def test_every_part_of_a_table_is_indexed_with_its_header(told: Told) -> None:
    parts = [one for one in told.uploaded["parts.xlsx"] if one.page == 1]
    assert len(parts) > 2
    assert all("Part | Colour | Price" in one.read_as for one in parts)


def test_evidence_has_the_unit_the_rows_and_the_headings(told: Told) -> None:
    first = {name: pack["evidence"][0] for name, pack in told.packs.items()}
    names = ("page", "page_unit", "headings", "visual")
    found = {name: tuple(one[key] for key in names) for name, one in first.items()}
    assert found["report.pdf"] == (2, "page", ["The lamp of Bergen"], False)
    assert found["parts.xlsx"] == (1, "sheet", ["Bolts"], True)
    top, bottom = first["parts.xlsx"]["rows"]
    assert top <= 79 <= bottom  # the header is row 1, and bolt number 0 row 2
    assert found["lab.docx"][1:] == ("chapter", ["Freezer"], False)
    for one in first.values():
        assert f"#{one['page_unit']}={one['page']}&" in one["citation"]
        assert one["record_id"] == one["attributes"]["document_id"]
        assert one["attributes"]["page_number"] == one["page"]


def test_the_page_of_the_server_names_the_unit(told: Told) -> None:
    number = told.packs["lab.docx"]["evidence"][0]["page"]
    assert told.places["lab.docx"][0] == (f"lab.docx#chapter={number}", f"Chapter {number}")
    assert told.places["parts.xlsx"][0] == ("parts.xlsx#sheet=1", "Sheet 1")
    assert told.places["report.pdf"][0] == ("report.pdf#page=2", "Page 2")


@pytest.mark.parametrize("name", FILES)
def test_a_citation_is_read_and_checked(told: Told, name: str) -> None:
    first, read = told.packs[name]["evidence"][0], told.read[name]
    assert (read["text"], read["citation"]) == (first["text"], first["citation"])
    assert [one["status"] for one in told.verified[name]] == ["fresh", "fresh"]


def test_the_page_of_a_pdf_is_drawn_with_boxes(told: Told) -> None:
    assert told.pictured["page"] == 2
    assert told.pictured["boxes"]


def test_chunks_of_an_upload_stay_as_they_are_if_only_their_feeds_change() -> None:
    async def session() -> tuple[Sequence[Chunk], Sequence[Chunk]]:
        async with workspace_server() as made:
            ada = await made.person("ada")
            id_ = (await ada.upload("parts.xlsx", FILES["parts.xlsx"]))["id"]
            await made.work()
            before = await _uploaded(made, ada, id_)
            async with made.resources.workspaces.of(ada.id) as session:
                feed = await session.add_feed(ada.personal, "parts")
                await session.add_to_feed(feed.id, [id_])
            await made.work()
            return before, await _uploaded(made, ada, id_)

    before, after = asyncio.run(session())
    assert [(one.id, _shape(one)) for one in before] == [(one.id, _shape(one)) for one in after]
    assert "feed_ids" in after[0].attributes


def test_an_upload_of_an_earlier_version_is_read_as_it_was_indexed() -> None:
    async def session() -> tuple[Any, ...]:
        async with workspace_server() as made:
            ada = await made.person("ada")
            id_ = (await ada.upload("report.pdf", FILES["report.pdf"]))["id"]
            await made.work()
            (now, *_) = (await ada.client.post("/v1/search", json=asked)).json()["evidence"]
            text = read_upload(FILES["report.pdf"], "report.pdf")
            pages = [text.text[page.start : page.end] for page in text.pages]
            given = {name: now["attributes"][name] for name in ("space_id", "document_id")}
            then = Record(id_, pages=pages, attributes=given | {"filename": "report.pdf"})
            engine = made.resources.workspace._engine
            await engine.upsert([then], source="documents", lexical=True)
            (first, *_) = (await ada.client.post("/v1/search", json=asked)).json()["evidence"]
            cited = {"citation": first["citation"]}
            read = (await ada.client.post("/v1/evidence/read", json=cited)).json()
            picture = (await ada.client.post("/ui/api/picture", json=cited)).json()
            said = (await ada.client.post("/ui/api/ask", json={"text": asked["question"]})).json()
            async with made.resources.workspaces.of(ada.id) as session:
                feed = await session.add_feed(ada.personal, "reports")
                await session.add_to_feed(feed.id, [id_])
            await made.work()
            return first, read, picture, said["results"][0], await _uploaded(made, ada, id_)

    asked = {"question": QUESTIONS["report.pdf"]}
    first, read, picture, shown, after = asyncio.run(session())
    assert (first["page"], first["attributes"]["page_number"]) == (None, 2)
    assert read["text"] == first["text"]
    assert picture["page"] == 2
    assert (shown["place"], shown["page"]) == ("report.pdf#page=2", "Page 2")
    assert after[0].cited_in == "char", "another feed is no reason to cut it again"


def test_a_document_says_what_was_noted_when_it_was_read() -> None:
    async def session() -> list[dict[str, str]]:
        async with workspace_server() as made:
            ada = await made.person("ada")
            made_of = {
                "old.txt": "The café behind the façade is closed.".encode("cp1252"),
                "plain.txt": b"The bridge is closed.",
            }
            for name, raw in {**made_of, "hidden.xlsx": _hidden()}.items():
                await ada.upload(name, raw)
            await made.work()
            found = (await ada.client.get("/v1/documents")).json()["items"]
            return [one["metadata"] for one in sorted(found, key=lambda one: one["filename"])]

    hidden, old, plain = asyncio.run(session())
    assert hidden["notes"].startswith("hidden: ")
    assert old["notes"].startswith("encoding_guessed: ")
    assert "notes" not in plain


def _hidden() -> bytes:
    from openpyxl import Workbook

    from tests.readers.office_files import saved

    made = Workbook()
    made.active.append(["a sheet that is seen"])
    other = made.create_sheet("Other")
    other.append(["a sheet that is hidden"])
    other.sheet_state = "hidden"
    return saved(made)
