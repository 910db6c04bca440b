"""Files that are not in Unicode are indexed as they read, and their encoding is noted."""

from __future__ import annotations

from pathlib import Path

from pincite import Pincite
from tests.ingestion.desk import Desk

CHINESE = "图书馆的开放时间是上午九点到晚上八点。"


def test_an_encoding_that_was_guessed_is_noted(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.write("docs/a.txt", f"{CHINESE}\n")
    for name, text, encoding in (("b", f"{CHINESE}\n", "gbk"), ("c", "Küche\n", "cp1252")):
        (desk.folder / f"docs/{name}.txt").write_bytes(text.encode(encoding))
    (report,) = desk.run("docs")
    assert report.noted_paths == [
        "encoding_guessed: b.txt (gb18030)",
        "encoding_guessed: c.txt (cp1252)",
    ]
    assert {one.path: one.text for one in desk.chunks()} == {
        "a.txt": CHINESE,
        "b.txt": CHINESE,
        "c.txt": "Küche",
    }


def test_lines_of_such_a_file_are_cited_to_the_byte(tmp_path: Path) -> None:
    raw = f"first\r\n{CHINESE}\r\nlast\r\n".encode("gbk")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_bytes(raw)
    with Pincite(tmp_path / ".pincite") as opened:
        opened.index(tmp_path / "docs", lexical=True)
        (one,) = opened.search("图书馆").evidence
        assert CHINESE in one.text
        assert opened.get(one.citation).text == one.text
        assert [check.status for check in opened.check(one.citation)] == ["fresh"]
        assert opened.get("a.txt:2-2").raw == raw.splitlines(keepends=True)[1]
        opened.stop()
