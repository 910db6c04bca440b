"""Pages that are pictures, read by OCR: what is read, where it stands, and what it may cost."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pypdfium2 as pdfium
import pytest
from PIL import Image

from pincite.errors import SourceError
from pincite.model import PageSpan
from pincite.readers.extraction import run
from pincite.readers.extraction.extractors import extractor_name, is_missing, recognises
from pincite.readers.extraction.result import Extraction, reason_of
from pincite.readers.extraction.run import Extracting
from pincite.readers.pdf import recognised
from pincite.readers.pdf.extract import extract_pdf
from pincite.support.processes.pipes import read_block
from tests.readers.pdf.files import photographed, scan, texts, typeset

LEFT = (
    "Der Kühlschrank im Übungsraum hält Äpfel, Öl und Süßes bei vier Grad. Seine Größe ist hundert"
    " Zentimeter, und er schließt von selbst, wenn man die Tür losläßt."
)
RIGHT = (
    "Vor dem Öffnen des Ofens ist die Lüftung einzuschalten, sonst meldet der Wächter einen Fehler."
    " Danach kühlt er für zehn Minuten ab, bis man ihn wieder berühren darf."
)
COLUMNS = f"""
#set page(width: 500pt, height: 300pt, columns: 2, margin: 40pt)
#set text(font: "DejaVu Sans", size: 11pt)
{LEFT}
#colbreak()
{RIGHT}
"""


@pytest.fixture(scope="module")
def columns() -> bytes:
    return photographed(typeset(COLUMNS))


@pytest.fixture(scope="module")
def extracting() -> Iterator[Extracting]:
    """Its process loads the models once."""
    made = Extracting()
    yield made
    made.close()


def copies(raw: bytes, count: int) -> bytes:
    """A PDF whose first page is there so many times."""
    written = io.BytesIO()
    with pdfium.PdfDocument(raw) as document:
        for _ in range(count - 1):
            with pdfium.PdfDocument(raw) as again:
                document.import_pages(again)
        document.save(written)
    return written.getvalue()


def ocr(extracting: Extracting, raw: bytes, path: str = "a.pdf") -> Extraction:
    return extracting.extract(path, raw, hashlib.sha256(raw).hexdigest(), ocr=True)


def test_columns_of_a_picture_are_read_one_after_the_other_with_their_umlauts(
    extracting: Extracting, columns: bytes
) -> None:
    found = ocr(extracting, columns)
    assert texts(found, "paragraph") == [LEFT, RIGHT]
    assert found.notes == ("ocr: page 1",)
    assert [page.recognised for page in found.pages] == [True]
    left, right = [one.box for one in found.elements if one.kind == "paragraph"]
    assert left is not None
    assert right is not None
    assert 35 < left[0] < left[2] < 250 < right[0] < right[2] < 470
    assert 30 < left[1] < left[3] < 150


def test_the_same_picture_has_the_same_text_in_another_process(
    extracting: Extracting, columns: bytes
) -> None:
    other = Extracting()
    try:
        assert ocr(extracting, columns) == ocr(other, columns)
    finally:
        other.close()


def test_without_being_asked_nobody_reads_pictures(extracting: Extracting, columns: bytes) -> None:
    with pytest.raises(SourceError) as caught:
        extracting.extract("a.pdf", columns, "x")
    code, detail = reason_of(caught.value)
    assert code == "scanned"
    assert "pincite index --ocr" in detail
    assert ocr(extracting, columns).text.startswith("Der Kühl")  # a refusal is of one way to read


def test_pages_with_text_are_read_as_ever_and_only_the_others_are_marked(
    extracting: Extracting, columns: bytes
) -> None:
    written = io.BytesIO()
    with pdfium.PdfDocument(typeset("Plain words of page one.")) as document:
        with pdfium.PdfDocument(columns) as more:
            document.import_pages(more)
        document.save(written)
    raw = written.getvalue()
    plain = extracting.extract("a.pdf", raw, "both")
    assert plain.notes == ("scanned: page 2",)
    found = ocr(extracting, raw)
    assert found.notes == ("ocr: page 2",)
    assert texts(found, page=1) == texts(plain, page=1) == ["Plain words of page one."]
    assert texts(found, "paragraph", 2) == [LEFT, RIGHT]
    assert [page.recognised for page in found.pages] == [False, True]


def test_pictures_without_text_stay_scanned_and_the_message_says_that_ocr_was_tried(
    extracting: Extracting,
) -> None:
    with pytest.raises(SourceError) as caught:
        ocr(extracting, scan("white", "blue"))
    code, detail = reason_of(caught.value)
    assert code == "scanned"
    assert "OCR finds no text" in detail


def test_a_page_that_claims_any_size_is_painted_small(extracting: Extracting) -> None:
    page = Image.new("RGB", (3000, 3000), "white")
    written = io.BytesIO()
    page.save(written, "PDF", resolution=15)  # 14,400 points to a side
    with pytest.raises(SourceError, match="scanned"):
        ocr(extracting, written.getvalue())
    strip = Image.new("RGB", (3000, 3), "white")
    written = io.BytesIO()
    strip.save(written, "PDF", resolution=72)
    with pytest.raises(SourceError, match="scanned"):
        ocr(extracting, written.getvalue())


def test_so_many_pages_are_read_and_the_rest_stays_scanned(
    monkeypatch: pytest.MonkeyPatch, columns: bytes
) -> None:
    monkeypatch.setattr(recognised, "MOST_RECOGNISED", 1)
    read: list[None] = []
    found = extract_pdf(copies(columns, 3), lambda: read.append(None))
    assert len(read) == 1
    assert found.notes == ("scanned: page 2", "scanned: page 3", "ocr: page 1")
    assert found.pages[2] == PageSpan(len(found.text) - 7, len(found.text), number=3)


def test_a_page_that_is_read_allows_time_for_the_next(
    monkeypatch: pytest.MonkeyPatch, columns: bytes
) -> None:
    until_s: list[float] = []

    def waiting(stream: Any, until: float, most: int) -> bytes:
        until_s.append(until)
        return read_block(stream, until, most)

    monkeypatch.setattr(run, "PAGE_S", 300.0)
    monkeypatch.setattr(run, "read_block", waiting)
    with closing(Extracting(limit_s=300.0)) as extracting:
        assert len(ocr(extracting, copies(columns, 2)).pages) == 2
    assert len(until_s) == 3  # two pages and the answer
    assert until_s[0] < until_s[1] < until_s[2]


def test_what_reads_pictures_is_part_of_the_name_where_it_was_asked_for() -> None:
    assert recognises("pdf")
    assert "rapidocr" not in extractor_name("pdf")
    for package in ("rapidocr", "onnxruntime", "opencv-python-headless"):
        assert f" {package}/" in extractor_name("pdf", ocr=True)
    assert not recognises("docx")
    assert extractor_name("docx", ocr=True) == extractor_name("docx")
    assert not is_missing("pdf", ocr=True)


def test_without_the_library_a_file_says_how_to_get_it_and_one_with_text_is_read(
    monkeypatch: pytest.MonkeyPatch, columns: bytes
) -> None:
    monkeypatch.setattr("pincite.readers.extraction.run.ocr_is_missing", lambda: True)
    with closing(Extracting()) as extracting:  # it has not read the picture
        assert ocr(extracting, typeset("Plain words.")).text == "Plain words."
        with pytest.raises(SourceError) as caught:
            ocr(extracting, columns)
    code, detail = reason_of(caught.value)
    assert code == "no_extractor"
    assert "pip install 'pincite[ocr]'" in detail
