"""Uploads whose pages are pictures: read by OCR where the server's settings say so."""

from __future__ import annotations

import pytest

from pincite.workspace.worker import WorkerConfig, work_once
from tests.readers.pdf.files import photographed, typeset
from tests.workspace.test_worker import yard

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
