"""Escaped text in data is cited as it is written, and found as it reads."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import pytest

from pincite import Pincite
from pincite.chunkers import ChunkerConfig
from pincite.chunkers.escapes import decoded
from tests.chunkers.laws import lawful_chunks

NAMES = ["Zürcher Röschti", "杭州的茶叶罐", "party 🎉 hat"]


def plain_of(path: str, text: str) -> str | None:
    (chunk,) = lawful_chunks(path, text, ChunkerConfig())
    assert chunk.text == text.rstrip("\n")
    return chunk.plain


def test_json_as_python_writes_it_is_indexed_as_it_reads() -> None:
    rows = [{"name": name} for name in NAMES]
    assert plain_of("a.json", json.dumps(rows)) == json.dumps(rows, ensure_ascii=False)
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    shown = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    assert plain_of("a.jsonl", lines) == shown


def test_keys_are_headings_as_they_read() -> None:
    long = " ".join(["word"] * 60)
    text = json.dumps({"Küche": long, "Tür": long}, indent=1)
    assert {chunk.headings for chunk in lawful_chunks("a.json", text)} == {("Küche",), ("Tür",)}


@pytest.mark.parametrize(
    ("path", "written", "read"),
    [
        ("a.json", r'"one\ntwo \"so\" C:\\new \/ \tx"', '"one\ntwo "so" C:\\new / \tx"'),
        ("a.json", r'"\\u00fc \u00FC"', r'"\u00fc ü"'),
        ("a.json", r'"\ud83c\udf89 \uD83C\uDF89"', '"🎉 🎉"'),
        ("a.json", r'"\ud83c x \udf89 \u00f \q \u0000 \u001b \u0085"', None),
        (
            "a.xml",
            "<a>K&#252;che K&#xFC;che &lt;b&gt; &amp;amp;</a>",
            "<a>Küche Küche <b> &amp;</a>",
        ),
        ("a.xml", "<a>T&uuml;r</a>", "<a>Tür</a>"),
        ("a.xml", "<a>&no_such; &nosuch; &#27; &#0; &#xD83C; a&copy=1</a>", None),
        ("a.properties", r"k=K\u00fcche C:\\u00fc \new \x41", r"k=Küche C:\\u00fc \new \x41"),
        ("a.ini", r"path=C:\u00fc", None),
        ("a.yaml", r'a: "K\xFCche \U0001F389 \\u00fc \new"', r'a: "Küche 🎉 \\u00fc \new"'),
        ("a.toml", r'a = "K\u00fcche \UFFFFFFFF"', r'a = "Küche \UFFFFFFFF"'),
        ("a.yaml", "a: 'R&amp;D'", None),
        ("a.yaml", r"tool: C:\tools\x64\link.exe", None),
        ("a.yaml", r"tool: 'C:\x64'", None),
        ("a.toml", r"lib = 'C:\sdk\x64 \u00fc'", None),
        ("a.yaml", "a: it's \"K\\xFCche\" # isn't", None),
        ("a.json", '{"a": "Tür &#252;"}', None),
    ],
)
def test_only_valid_escapes_are_decoded(path: str, written: str, read: str | None) -> None:
    assert plain_of(path, written) == read


@pytest.mark.parametrize("unit", ["\\", "\\u", "&", "&#", "&a", "\\ud83c"])
def test_what_looks_like_escapes_takes_linear_time(unit: str) -> None:
    began = perf_counter()
    for language, path in (("json", "a.json"), ("xml", "a.xml"), ("yaml", "a.yaml")):
        decoded(unit * (2_000_000 // len(unit)), language, path)
    assert perf_counter() - began < 10


def test_escaped_words_are_found_and_cited_as_they_are_written(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    written = {
        "a.json": (
            json.dumps({"items": NAMES}, indent=1),
            "Röschti",
            r'"Z\u00fcrcher R\u00f6schti",',
        ),
        "b.json": (json.dumps({"city": "成都"}), "成都", r'"city": "\u6210\u90fd"'),
        "c.xml": ("<a>\n<b>K&#252;che</b>\n</a>\n", "Küche", "<b>K&#252;che</b>"),
        "d.properties": ("door=T\\u00fcr offen\n", "Tür", r"door=T\u00fcr offen"),
    }
    for name, (text, _, _) in written.items():
        (docs / name).write_text(text, encoding="ascii")
    with Pincite(tmp_path / ".pincite") as opened:
        opened.index(docs, lexical=True)
        for name, (_, word, shown) in written.items():
            (one,) = opened.search(word).evidence
            assert (one.path, shown in one.text) == (name, True)
            assert opened.get(one.citation).text == one.text
            assert [check.status for check in opened.check(one.citation)] == ["fresh"]
        opened.stop()
