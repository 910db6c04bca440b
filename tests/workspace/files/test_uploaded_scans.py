"""Uploads whose pages are pictures: read by OCR where the server's settings say so."""

from __future__ import annotations

import pytest

from pincite.workspace import Access
from pincite.workspace.worker.deps import WorkerConfig
from pincite.workspace.worker.loop import work_once
from tests.readers.pdf.files import photographed, typeset
from tests.workspace.yard import yard

pytestmark = pytest.mark.anyio

SCAN = photographed(
    typeset(
        '#set page(width: 420pt, height: 200pt)\n#set text(font: "DejaVu Sans")\n'
        "The zeppelin moors at the northern harbour before noon."
    )
)


async def test_a_scan_is_read_where_the_settings_say_so() -> None:
    async with yard("[documents]\nocr = true\n") as made:
        scan = await made.upload("scan.pdf", SCAN)
        plain = await made.upload("plain.md", "# Plain\n\nThe heron wades.\n")
        while await work_once(made.deps, WorkerConfig()):
            pass
        read = await made.document(scan.id)
        assert (read.status, read.error) == ("ready", "")
        assert read.metadata["ocr_pages"] == "1"
        assert await made.found("zeppelin harbour") == [scan.id]
        assert "ocr_pages" not in (await made.document(plain.id)).metadata


async def test_elsewhere_a_scan_says_why_it_has_no_text() -> None:
    async with yard() as made:
        scan = await made.upload("scan.pdf", SCAN)
        assert await work_once(made.deps, WorkerConfig())
        read = await made.document(scan.id)
        assert (read.status, read.error.partition(":")[0]) == ("failed", "scanned")


async def test_evidence_of_a_scan_says_that_ocr_has_read_it() -> None:
    async with yard("[documents]\nocr = true\n") as made:
        scan = await made.upload("scan.pdf", SCAN)
        await made.upload("plain.md", "# Plain\n\nThe heron of the harbour wades.\n")
        while await work_once(made.deps, WorkerConfig()):
            pass
        access = Access(made.user_id)
        workspace = made.deps.workspace
        for _ in range(2):
            pack = await workspace.search(access, "zeppelin harbour", limit=10)
            read = {one.attributes["filename"]: one.recognised for one in pack}
            assert read == {"scan.pdf": True, "plain.md": False}
            answer = await workspace.answer(access, "where does the zeppelin moor?")
            assert [one.recognised for one in answer.sources] == [True]
            async with made.deps.workspaces.of(made.user_id) as session:
                feed = await session.add_feed(made.space_id, "scans")
                await session.add_to_feed(feed.id, [scan.id])
            while await work_once(made.deps, WorkerConfig()):
                pass  # points that are written again for their feeds say so, too


async def test_a_file_without_a_reader_leaves_the_remedy_to_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with yard() as made:
        note = await made.upload("note.docx", b"PK")
        with monkeypatch.context() as patch:
            patch.setattr("pincite.readers.extraction.run.is_missing", lambda suffix: bool(suffix))
            assert await work_once(made.deps, WorkerConfig())
        read = await made.document(note.id)
        assert read.status == "failed"
        assert read.error == "no_extractor: this server has no reader for it"
    assert ".docx cannot be read: pip install 'pincite[documents]'" in caplog.text
