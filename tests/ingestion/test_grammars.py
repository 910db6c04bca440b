"""Files of languages whose grammars come with an extra."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.chunkers import lacks_grammar
from pincite.chunkers.code.grammars import is_installed
from tests.ingestion.desk import Desk

PACK = ("tree_sitter_language_pack", "tree_sitter_language_pack.bindings.proto")
PROGRAM = Path(__file__).parents[1] / "chunkers/programs/library.proto"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def without_pack() -> Iterator[pytest.MonkeyPatch]:
    """A Python in which the pack cannot be imported, until the patch is undone."""
    pytest.importorskip("tree_sitter_language_pack.bindings")
    with pytest.MonkeyPatch.context() as patch:
        for name in PACK:
            patch.setitem(sys.modules, name, None)
        is_installed.cache_clear()
        yield patch
    is_installed.cache_clear()


def test_a_file_without_its_grammar_is_noted_and_cut_again_once_there_is_one(
    desk: Desk, without_pack: pytest.MonkeyPatch
) -> None:
    desk.write("api/library.proto", PROGRAM.read_text(encoding="utf-8"))
    desk.write("api/schema.sql", "CREATE TABLE loans (id INT);\n")
    assert lacks_grammar("protobuf")
    assert not lacks_grammar("sql")
    (report,) = desk.run("api")
    assert report.noted == {"no_grammar": 1}
    assert "pip install 'pincite[languages]'" in report.noted_paths[0]
    assert {name for chunk in desk.chunks() for name in chunk.symbols} == {"loans", "id"}
    (again,) = desk.run("api")
    assert (again.unchanged, again.noted) == (2, {"no_grammar": 1})

    without_pack.undo()
    is_installed.cache_clear()
    (report,) = desk.run("api")
    assert (report.changed, report.unchanged, report.noted) == (1, 1, {})
    names = {name for chunk in desk.chunks() for name in chunk.symbols}
    assert {"Book", "Lending", "Lend", "loans"} <= names


def test_a_file_that_was_cut_at_blank_lines_before_is_cut_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("lib/Scanner.pm", "package Scanner;\n\nsub scan {\n    return 1;\n}\n")
    desk.write("lib/notes.txt", "The scanner stops after ten pages.\n")
    with monkeypatch.context() as before:
        before.setattr("pincite.ingestion.sources.revisions.outlined", lambda _language: False)
        desk.run("lib")
    (report,) = desk.run("lib")
    assert (report.changed, report.unchanged) == (1, 1)
    (report,) = desk.run("lib")
    assert (report.changed, report.unchanged) == (0, 2)


def test_a_file_whose_language_has_other_definitions_since_is_cut_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("app/Ports.kt", "interface Sink { fun put(x: Int) }\n")
    desk.write("app/Page.vue", "<script>\nconst limit = 3\n</script>\n")
    desk.write("app/Scanner.pm", "package Scanner;\nhas 'limit';\n")
    desk.write("app/README.md", "# Ports\n")
    with monkeypatch.context() as before:
        before.setattr("pincite.ingestion.sources.revisions.grammar_revision", lambda _language: 0)
        before.setattr("pincite.ingestion.sources.revisions.line_revision", lambda _language: 0)
        desk.run("app")
    (report,) = desk.run("app")
    assert (report.changed, report.unchanged) == (3, 1)
    (report,) = desk.run("app")
    assert (report.changed, report.unchanged) == (0, 4)


def test_manual_pages_that_an_earlier_version_read_as_text_are_read_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("man/tool.1", ".TH TOOL 1\n.SH NAME\n\\fBtool\\fP \\- does it\n")
    desk.write("man/notes.txt", "The tool does it.\n")
    with monkeypatch.context() as before:
        before.setattr("pincite.ingestion.sources.revisions.may_be_manual", lambda _path: False)
        desk.run("man")
    (report,) = desk.run("man")
    assert (report.changed, report.unchanged) == (1, 1)
    assert {chunk.path: chunk.language for chunk in desk.chunks()}["tool.1"] == "roff"
    (report,) = desk.run("man")
    assert (report.changed, report.unchanged) == (0, 2)


def test_headers_that_an_earlier_version_read_as_c_are_read_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("app/sink.h", "namespace app {\nclass Sink {\n public:\n  void put(int x);\n};\n}\n")
    desk.write("app/sink.hpp", "class Drain {\n public:\n  void take();\n};\n")
    with monkeypatch.context() as before:
        before.setattr("pincite.ingestion.sources.revisions.is_header", lambda _path: False)
        before.setattr("pincite.readers.is_header", lambda _path: False)
        desk.run("app")
    assert {chunk.path: chunk.language for chunk in desk.chunks()}["sink.h"] == "c"
    (report,) = desk.run("app")
    assert (report.changed, report.unchanged) == (1, 1)
    assert {chunk.language for chunk in desk.chunks()} == {"cpp"}
    assert "Sink" in {name for chunk in desk.chunks() for name in chunk.symbols}
    (report,) = desk.run("app")
    assert (report.changed, report.unchanged) == (0, 2)
