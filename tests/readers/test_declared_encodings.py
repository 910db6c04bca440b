"""HTML and XML are read in the encoding that they declare, if they are in it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite import Pincite
from pincite.model import Source
from pincite.readers import read_document
from pincite.readers.declared_encodings import declared_encoding
from pincite.readers.decoding import decode
from tests.counting import grows_in_proportion

TEXTS = {
    "windows-1250": "Škola začíná v osm hodin a žáci mají přestávku v deset.",
    "iso-8859-2": "Żółta łódź stoi w muzeum, a wejście kosztuje dziesięć złotych.",
    "windows-1253": "Το μουσείο της Αθήνας κλείνει στις πέντε το απόγευμα.",
    "windows-1254": "İstanbul müzesi pazartesi günleri kapalıdır, giriş beş liradır.",
    "windows-1255": "המוזיאון בירושלים סגור בימי שני והכניסה חינם.",
    "windows-1256": "المتحف في القاهرة مغلق يوم الاثنين والدخول مجاني.",
    "iso-8859-15": "L'entrée coûte 12 € au musée.",
    "tis-620": "ห้องสมุดปิดทุกวันจันทร์",
    "koi8-u": "Бібліотека зачинена щопонеділка.",
}


def page(name: str, text: str) -> bytes:
    head = f'<meta http-equiv="Content-Type" content="text/html; charset={name}">'
    return f"<html><head>{head}<title>x</title></head><body><p>{text}</p></body></html>".encode(
        name
    )


def text_of(raw: bytes, path: str) -> str:
    source = Source("acme", "/nowhere", "folder")
    document = read_document(raw, source=source, path=path, ref="1")
    assert document.text.encode(document.encoding) == raw
    return document.text


@pytest.mark.parametrize("name", TEXTS)
def test_a_page_is_read_in_the_encoding_that_it_declares(name: str) -> None:
    text = TEXTS[name]
    assert text in text_of(page(name, text), "a.html")
    short = f"<META CHARSET='{name.upper()}'><p>{text}".encode(name)
    assert text in text_of(short, "a.htm")
    data = f'<?xml version="1.0" encoding="{name}"?>\n<a>{text}</a>\n'.encode(name)
    assert text in text_of(data, "a.xml")


def test_only_html_and_xml_declare_an_encoding() -> None:
    raw = page("windows-1253", TEXTS["windows-1253"])
    assert TEXTS["windows-1253"] not in text_of(raw, "a.txt")


@pytest.mark.parametrize("name", ["windows-1253", "utf-16", "gb2312"])
def test_valid_utf_8_is_utf_8(name: str) -> None:
    raw = f'<meta charset="{name}"><p>Küche 杭州'.encode()
    assert decode(raw, "html") == (raw.decode(), "utf-8")


@pytest.mark.parametrize(
    "name", ["hex", "punycode", "idna", "unicode_escape", "utf-7", "undefined", "no-such", "x" * 99]
)
def test_a_codec_that_is_no_encoding_of_pages_is_not_used(name: str) -> None:
    raw = f'<meta charset="{name}"><p>gr\\u00f6\xdfe'.encode("latin-1")
    assert decode(raw, "html") == (raw.decode("cp1252"), "cp1252")


def test_what_is_not_in_the_declared_encoding_is_guessed() -> None:
    for raw in (
        b'<meta charset="windows-1253"><p>\xd2 \xaa',  # not defined there
        b'<meta charset="iso-8859-2"><p>\x93so\x94 K\xfcche',  # controls there, quotes in 1252
        b"<meta charset='euc-kr'><p>gr\xf6 e",
    ):
        assert decode(raw, "html") == (raw.decode("cp1252"), "cp1252")


def test_pages_that_declare_latin_1_by_habit_are_guessed() -> None:
    text = '<meta charset="iso-8859-1"><p>Библиотека открыта с девяти утра до восьми вечера.'
    assert decode(text.encode("cp1251"), "html") == (text, "cp1251")


def test_a_declaration_counts_where_a_browser_looks_for_it() -> None:
    text = TEXTS["windows-1253"]
    comment = '<!-- <meta charset="koi8-r"> -->'
    assert declared_encoding(f'{comment}<meta charset="windows-1253">{text}'.encode("cp1253"))
    assert not declared_encoding(f"{comment}{text}".encode("cp1253"))
    far = f'{" " * 1_024}<meta charset="windows-1253">{text}'
    assert not declared_encoding(far.encode("cp1253"))


@given(st.sampled_from([*TEXTS, "big5", "shift_jis", "gb2312", "euc-kr"]), st.binary(max_size=60))
def test_no_byte_is_ever_lost(name: str, rest: bytes) -> None:
    raw = f'<meta charset="{name}">'.encode() + rest
    text, encoding = decode(raw, "html")
    assert raw.decode(encoding) == text
    assert text.encode(encoding) == raw


@pytest.mark.parametrize("name", ["windows-1255", "windows-1253"])
def test_such_a_page_is_found_cited_and_verified_to_the_byte(tmp_path: Path, name: str) -> None:
    raw = page(name, f"\r\n{TEXTS[name]}\r\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.html").write_bytes(raw)
    word = TEXTS[name].split()[1]
    with Pincite(tmp_path / ".pincite") as opened:
        report = opened.index(tmp_path / "docs", lexical=True)
        assert not any("encoding_guessed" in note for one in report for note in one.noted_paths)
        (one,) = opened.search(word).evidence
        assert TEXTS[name] in one.text
        assert opened.get(one.citation).text == one.text
        assert [check.status for check in opened.check(one.citation)] == ["fresh"]
        assert opened.get("a.html:2-2").raw == raw.splitlines(keepends=True)[1]
        opened.stop()


@pytest.mark.parametrize(
    "head",
    [
        '<meta name="description" content="Set charset=koi8-r in Apache">',
        '<script>var x = "<meta charset=macintosh>"</script>',
        "<style>/* <meta charset=koi8-r> */</style>",
        "<!-- <meta charset=koi8-r>",
        "<title><meta charset=koi8-r></title>",
    ],
)
def test_what_only_mentions_an_encoding_declares_none(head: str) -> None:
    raw = f"<html><head>{head}<meta charset=windows-1252><p>Grüße aus Köln</p>".encode("cp1252")
    assert "Grüße aus Köln" in decode(raw, "html")[0]


@pytest.mark.parametrize("declared", ["koi8-r", "windows-1251", "cp866", "macintosh", "shift_jis"])
def test_a_declaration_that_the_text_refutes_is_not_believed(declared: str) -> None:
    text = "中文网页的编码由服务器决定，浏览器按照声明读取它。" * 4
    raw = f"<meta charset={declared}><p>{text}</p>".encode("gb18030")
    assert decode(raw, "html") == (raw.decode("gb18030"), "gb18030")
    assert declared_encoding(raw) == ""


def test_markup_is_looked_at_in_linear_time() -> None:
    for part in (b"<meta ", b"<script", b"<!--", b"<meta http-equiv=content-type ", b"<title>"):
        look = partial(lambda part, size: declared_encoding(part * size), part)
        assert grows_in_proportion(look, 12_000), part
