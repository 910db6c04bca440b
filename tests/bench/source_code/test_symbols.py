"""Names of definitions as questions."""

from __future__ import annotations

from pathlib import Path

import msgspec
from bench.source_code.symbols import Place, SymbolFigures, definitions, draw, draw_values, values
from bench.source_code.symbols_table import symbols

CODE = """
class Route:
    def matches(self): ...

    class Inner:
        async def go(self):
            def hidden(): ...

if True:
    def matches(): ...
"""


def test_definitions_have_their_paths_and_lines(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "broken.py").write_text("def (", encoding="utf-8")
    assert definitions(tmp_path) == {
        "Route": [Place("deep/a.py", 2)],
        "Route.matches": [Place("deep/a.py", 3)],
        "Route.Inner": [Place("deep/a.py", 5)],
        "Route.Inner.go": [Place("deep/a.py", 6)],
        "matches": [Place("deep/a.py", 10)],
    }


def test_values_are_variables_of_modules_and_fields_of_classes(tmp_path: Path) -> None:
    code = (
        "LIMIT = low = 1\nclass Route:\n    name: str\n\n    def __init__(self):\n"
        "        self.size: int = 1\n        local = 2\n        self.age = 3\n"
    )
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    assert values(tmp_path) == {
        "LIMIT": [Place("a.py", 1)],
        "low": [Place("a.py", 1)],
        "Route.name": [Place("a.py", 3)],
        "Route.size": [Place("a.py", 6)],
        "Route.age": [Place("a.py", 8)],
    }


def test_a_value_without_its_path_may_be_any_of_its_name() -> None:
    places = {"Route.name": [Place("a.py", 3)], "LIMIT": [Place("a.py", 1)]}
    defined = {"Mount.name": [Place("a.py", 9)]}
    asked = {
        text: list(found)
        for one in draw_values(places, defined, 10)
        for text, found in one.forms.values()
    }
    assert asked == {
        "name": [Place("a.py", 3), Place("a.py", 9)],
        "where is name defined?": [Place("a.py", 3), Place("a.py", 9)],
        "Route.name": [Place("a.py", 3)],
        "LIMIT": [Place("a.py", 1)],
        "where is LIMIT defined?": [Place("a.py", 1)],
    }


def test_a_declaration_may_be_any_of_its_name_and_a_path_only_one() -> None:
    places = {"Route.matches": [Place("a.py", 3)], "Mount.matches": [Place("a.py", 9)]}
    asked = [one.forms for one in draw(places, 10)]
    texts = {text: list(found) for forms in asked for text, found in forms.values()}
    assert texts["Route.matches"] == [Place("a.py", 3)]
    assert texts["where is Mount.matches defined?"] == [Place("a.py", 9)]
    assert sorted(one.line for one in texts["def matches"]) == [3, 9]
    assert draw(places, 1) == draw(places, 1)


def test_the_table_has_the_mean_of_the_packages() -> None:
    figures = SymbolFigures(4, {"a": {"def name": 0.5}, "b": {"def name": 1.0}})
    page = symbols(msgspec.to_builtins(figures))
    assert "4 names" in page
    assert "0.750" in page
