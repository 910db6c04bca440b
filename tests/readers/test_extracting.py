"""What a stranger's file breaks costs that file: it is extracted by a process of its own."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections.abc import Iterator

import pytest

from pincite.errors import SourceError
from pincite.readers.extraction.result import reason_of, refused
from pincite.readers.extraction.run import Extracting
from tests.readers.extracted import member
from tests.readers.office_files import (
    docx,
    epub,
    markdown,
    notebook,
    pptx,
    rezipped,
    xlsx,
    zipped,
)


@pytest.fixture
def extracting() -> Iterator[Extracting]:
    made = Extracting()
    yield made
    made.close()


def ask(extracting: Extracting, name: str, raw: bytes) -> str:
    """The text, or the code of the reason for which there is none."""
    try:
        return extracting.extract(name, raw, hashlib.sha256(raw).hexdigest()).text
    except SourceError as error:
        code, detail = reason_of(error)
        assert detail
        return f"refused: {code}"


def test_one_process_reads_file_after_file_and_what_it_read_is_kept(
    extracting: Extracting,
) -> None:
    raw = notebook(markdown("hello"))
    assert ask(extracting, "a.ipynb", raw) == "hello"
    (process,) = extracting._idle
    assert ask(extracting, "a.docx", docx("hello")) == "hello"
    assert extracting._idle == [process]
    found = extracting.extract("a.ipynb", raw, "x")
    assert extracting.extract("b.ipynb", raw, "x") is found


def test_a_process_that_was_killed_is_replaced(extracting: Extracting) -> None:
    assert ask(extracting, "a.ipynb", notebook(markdown("one"))) == "one"
    (process,) = extracting._idle
    os.killpg(process._process.pid, signal.SIGKILL)
    assert ask(extracting, "a.ipynb", notebook(markdown("two"))) == "two"


def test_a_file_that_takes_too_long_costs_itself_and_its_process() -> None:
    hasty = Extracting(limit_s=0.001)
    assert ask(hasty, "a.docx", docx("never read")) == "refused: timed_out"
    assert hasty._idle == []


def test_who_does_not_wait_gets_the_text_later_and_it_is_extracted_once(
    extracting: Extracting,
) -> None:
    assert ask(extracting, "a.ipynb", notebook(markdown("one"))) == "one"
    (process,) = extracting._idle
    pid, raw = process._process.pid, notebook(markdown("two"))
    key = hashlib.sha256(raw).hexdigest()
    os.kill(pid, signal.SIGSTOP)
    try:
        assert extracting.extract_soon("b.ipynb", raw, key, 0.01) is None
        assert extracting.extract_soon("b.ipynb", raw, key, 0.01) is None
    finally:
        os.kill(pid, signal.SIGCONT)
    assert extracting.extract("b.ipynb", raw, key).text == "two"
    assert extracting._running == {}
    soon = extracting.extract_soon("b.ipynb", raw, key, 0.0)
    assert soon is extracting.extract("b.ipynb", raw, key)
    until = time.monotonic() + 60
    while extracting._idle != [process] and time.monotonic() < until:
        time.sleep(0.01)
    assert extracting._idle == [process]  # no other one was started


def test_a_file_that_takes_too_much_memory_is_too_large() -> None:
    small = Extracting(memory_bytes=400_000_000)
    rows = [[f"{row} {column}" for column in range(50)] for row in range(40)]
    huge = notebook(*({"cell_type": "code", "source": ["x" * 1000] * 9000} for _ in range(30)))
    assert ask(small, "a.ipynb", huge) in ("refused: too_large", "refused: failed")
    assert "0 0 | 0 1" in ask(small, "a.xlsx", xlsx({"Rates": rows}))
    small.close()


def bomb() -> bytes:
    return rezipped(docx("x"), {"word/media/a.bin": b"\0" * 60_000_000})


def entities(raw: bytes, name: str, root: str) -> bytes:
    """The file with an external entity, and one that grows, in a member."""
    declared = (
        '<!DOCTYPE r [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY a "aaaaaaaaaa">'
        + "".join(f'<!ENTITY a{n} "{"&a;" * 10 if n == 1 else f"&a{n - 1};" * 10}">'
                  for n in range(1, 12))
        + "]>"
    )  # fmt: skip
    text = member(raw, name)
    at = text.index(root)
    return rezipped(raw, {name: f"{text[:at]}{declared}{text[at:]}"})


def deep(tag: str, count: int) -> str:
    return f"<{tag}>" * count + f"</{tag}>" * count


ATTACKS = {
    "bomb.docx": (bomb(), "too_large"),
    "entities.docx": (entities(docx("x"), "word/document.xml", "<w:document"), "failed"),
    "entities.xlsx": (
        entities(xlsx({"a": [[1]]}), "xl/worksheets/sheet1.xml", "<worksheet"),
        "failed",
    ),
    "entities.pptx": (entities(pptx(("a", "b")), "ppt/slides/slide1.xml", "<p:sld"), "failed"),
    "encrypted.docx": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
        "encrypted",
    ),
    "locked.epub": (
        epub(
            "<p>x</p>",
            more={
                "META-INF/encryption.xml": '<encryption><EncryptionMethod Algorithm="aes"/>'
                "</encryption>"
            },
        ),
        "encrypted",
    ),
    "old.docx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "failed"),
    "truncated.docx": (docx("x" * 5000)[:3000], "failed"),
    "nothing.xlsx": (xlsx({"a": []}), "empty"),
    "zeros.pptx": (b"\0" * 10_000, "failed"),
    "deep.ipynb": (b'{"cells": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "failed"),
    "parts.docx": (zipped({f"{n}.xml": "" for n in range(20_001)}), "too_large"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_costs_its_own_file_by_its_reason(name: str, extracting: Extracting) -> None:
    raw, code = ATTACKS[name]
    assert ask(extracting, name, raw) == f"refused: {code}"
    assert ask(extracting, "good.docx", docx("still here")) == "still here"


def test_deeply_nested_books_and_word_files_are_read_or_refused(extracting: Extracting) -> None:
    assert ask(extracting, "a.epub", epub(f"<p>before</p>{deep('div', 100_000)}")).startswith(
        ("before", "refused: ")
    )
    raw = docx("x")
    nested = member(raw, "word/document.xml").replace(
        "<w:body>", f"<w:body>{deep('w:customXml', 300)}"
    )
    said = ask(extracting, "b.docx", rezipped(raw, {"word/document.xml": nested}))
    assert said == "refused: failed"


def test_a_book_leads_nowhere_but_into_itself(extracting: Extracting) -> None:
    page = '<p>text</p><img src="../../../../etc/passwd"/><img src="http://127.0.0.1:9/x.png"/>'
    found = extracting.extract("a.epub", epub(page, more={"../../evil": "x"}), "x")
    assert (found.text, dict(found.images)) == ("text", {})


def test_a_sheet_of_a_million_rows_is_too_large(extracting: Extracting) -> None:
    row = '<row><c t="inlineStr"><is><t>some words in a cell</t></is></c></row>'
    raw = xlsx({"a": [["b"]]})
    sheet = member(raw, "xl/worksheets/sheet1.xml")
    at = sheet.index("</sheetData>")
    large = rezipped(
        raw, {"xl/worksheets/sheet1.xml": f"{sheet[:at]}{row * 1_000_000}{sheet[at:]}"}
    )
    assert ask(extracting, "a.xlsx", large) in ("refused: too_large", "refused: timed_out")


def test_a_sheet_that_claims_to_be_as_large_as_sheets_can_be_is_read(
    extracting: Extracting,
) -> None:
    raw = xlsx({"a": [["first"]]})
    sheet = member(raw, "xl/worksheets/sheet1.xml").replace('ref="A1"', 'ref="A1:XFD1048576"')
    far = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>last</t></is></c></row>'
    at = sheet.index("</sheetData>")
    claimed = rezipped(raw, {"xl/worksheets/sheet1.xml": f"{sheet[:at]}{far}{sheet[at:]}"})
    assert "first" in ask(extracting, "a.xlsx", claimed)


def test_an_extractor_that_is_not_installed_says_what_to_install(
    extracting: Extracting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.readers.extraction.run.is_missing", lambda _: True)
    with pytest.raises(SourceError, match=r"no_extractor: pip install 'pincite\[documents\]'"):
        extracting.extract("a.docx", docx("x"), "x")


@pytest.mark.parametrize(
    ("said", "code", "detail"),
    [
        ("encrypted", "encrypted", ""),
        ("encrypted: needs a password", "encrypted", "needs a password"),
        ("Scanned. No text.", "scanned", "No text."),
        ("something else", "failed", "something else"),
        ("encryptedness", "failed", "encryptedness"),
    ],
)
def test_a_reason_is_read_as_extractors_say_it(said: str, code: str, detail: str) -> None:
    assert reason_of(SourceError(said)) == (code, detail)
    assert reason_of(refused("too_large", "x")) == ("too_large", "x")


def test_a_file_that_was_refused_is_not_tried_again_in_the_same_process() -> None:
    hasty = Extracting(limit_s=0.001)
    raw = docx("never read")
    assert ask(hasty, "a.docx", raw) == "refused: timed_out"
    hasty._limit_s = 100.0
    assert ask(hasty, "b.docx", raw) == "refused: timed_out"
    assert ask(hasty, "b.docx", docx("another")) == "another"
    hasty.close()
