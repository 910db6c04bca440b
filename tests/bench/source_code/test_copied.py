"""Texts that are copied from code."""

from __future__ import annotations

from pathlib import Path

import msgspec
from bench.source_code.copied import CopiedFigures, Copy, Found, draw, texts_of
from bench.source_code.copied_table import copied

CODE = """
# a comment of more than thirty characters (which is no code)
def turn(lamp):
    raise ValueError("the lamp has no oil left")
    parser.add_argument("--oil-level", help="how much oil there is now")
    return turn_the_lamp_off(lamp, slowly=True)
"""
OTHER = """
    raise ValueError("the lamp is out of order")
    parser.add_argument("--oil-level", help="how much oil there is then")
    raise ValueError("the lamp is out of order")
"""


def test_texts_stand_in_one_place_of_the_code(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "b.py").write_text(OTHER, encoding="utf-8")
    (tmp_path / "c.md").write_text('the "words of a page are no code"\n', encoding="utf-8")
    found = texts_of(tmp_path)
    assert [one.text for one in found["message"]] == [
        "how much oil there is then",
        "the lamp has no oil left",
        "how much oil there is now",
    ]
    assert found["message"][1] == Copy("the lamp has no oil left", "deep/a.py", 4)
    assert found["flag"] == []
    lines = [(one.path, one.line) for one in found["line"]]
    assert lines == [("b.py", 3), ("deep/a.py", 4), ("deep/a.py", 5), ("deep/a.py", 6)]
    assert draw(found, 2) == draw(found, 2)
    assert len(draw(found, 2)["line"]) == 2


def test_the_table_has_both_shares_before_and_after() -> None:
    def of(first: int) -> dict[str, dict[str, dict[str, Found]]]:
        return {"keywords only": {"packages": {"line": Found(4, first, 4)}}}

    page = copied(msgspec.to_builtins(CopiedFigures(shipped=of(3), without=of(1))))
    assert "| keywords only, packages: line |     4 | 0.250, 1.000 |    0.750, 1.000 |" in page
