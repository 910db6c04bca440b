"""The daemon of a command, started before the command is imported; and what is imported then."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.daemon.client.json_exchange import SOCKET
from pincite.surfaces.cli import ahead
from tests.surfaces.cli.imported import modules_of
from tests.surfaces.conftest import Cli

#: What an indexing run by words does not need.
NOT_FOR_WORDS = (
    *("importlib.metadata", "httpx", "onnxruntime", "qdrant_edge"),
    *("pincite.search", "pincite.answer", "pincite.retrieval_log", "pincite.current_files.files"),
    *("pincite.surfaces.cli.chat", "pincite.surfaces.cli.serve", "pincite.surfaces.cli.search"),
)


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that processes were started for, in a folder with an index and one without."""
    found: list[Path] = []
    monkeypatch.setattr(ahead, "stand_by", found.append)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there" / ".pincite").mkdir(parents=True)
    (tmp_path / "there" / ".pincite" / "catalog.db").touch()
    return found


@pytest.mark.parametrize(
    ("arguments", "variables", "folder"),
    [
        ("index .", {}, ".pincite"),
        ("index . --index new", {}, "new"),
        ("index . --index=new --lexical", {}, "new"),
        ("index .", {"PINCITE_INDEX": "named"}, "named"),
        ("index . --index given", {"PINCITE_INDEX": "named"}, "given"),
        ("search words --index there/.pincite", {}, "there/.pincite"),
        ("ask words --index there/.pincite", {}, "there/.pincite"),
        ("index . --index there/.pincite", {}, "there/.pincite"),
        ("index . --index ~/x", {}, None),
        ("index . --index", {}, ".pincite"),
        ("index . --index one --index=two", {}, "two"),
        ("index -- --index one", {}, ".pincite"),
        ("index --help", {}, None),
        ("search words", {}, None),
        ("search words --index nowhere", {}, None),
        ("models", {}, None),
        ("--help", {}, None),
        ("", {}, None),
    ],
)
def test_commands_that_ask_the_daemon_start_its_process(
    arguments: str,
    variables: dict[str, str],
    folder: str | None,
    begun: list[Path],
    tmp_path: Path,
) -> None:
    ahead.start_ahead(arguments.split(), variables)
    assert begun == ([] if folder is None else [(tmp_path / folder).resolve()])


def test_the_nearest_index_counts(begun: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    below = Path("there/below")
    below.mkdir()
    monkeypatch.chdir(below)
    ahead.start_ahead(["search", "words"], {})
    assert [one.parent.name for one in begun] == ["there"]


def test_nothing_is_started_where_a_daemon_seems_to_run(begun: list[Path]) -> None:
    Path("there/.pincite", SOCKET).touch()
    ahead.start_ahead(["index", ".", "--index", "there/.pincite"], {})
    assert begun == []


@pytest.mark.parametrize("name", ["a" * 5_000, "loop", "nul\0"])
@pytest.mark.parametrize("command", ["search", "index"])
def test_odd_names_of_folders_are_left_to_the_command(
    command: str, name: str, begun: list[Path]
) -> None:
    Path("loop").symlink_to("loop")
    ahead.start_ahead([command, "words", "--index", name], {})
    assert [one.name for one in begun] == ([name] if command == "index" and name[0] == "a" else [])


def test_an_index_with_an_odd_name_has_an_error_of_its_own(cli: Cli) -> None:
    cli.write("docs/a.md", "# A zebra\n")
    done = cli("index", "docs", "--lexical", "--index", "a" * 300, code=1)
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_an_index_of_the_user_is_no_new_one(
    begun: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config" / "pincite").mkdir(parents=True)
    (tmp_path / "config" / "pincite" / "pincite.toml").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    ahead.start_ahead(["index", "."], {})
    assert begun == []
    (tmp_path / "pincite.toml").touch()
    ahead.start_ahead(["index", "."], {})
    assert begun == [tmp_path.resolve() / ".pincite"]


def test_an_indexing_run_by_words_imports_no_search(cli: Cli) -> None:
    cli.write("docs/a.md", "# A zebra\n\nIt eats grass.\n")
    imported = modules_of(cli, "index", "docs", "--lexical")
    assert {"pincite.ingest", "pincite.engine"} <= set(imported)
    assert [one for one in NOT_FOR_WORDS if one in imported] == []
    assert cli.json("search", "zebra")["evidence"]
    cli("stop")


def test_a_mistyped_command_is_told_the_one_that_is_like_it(cli: Cli) -> None:
    assert "'search'" in cli("serch", "words", code=2).stderr
    assert "'verify'" in cli("verfy", code=2).stderr


def test_an_odd_name_of_a_collection_leaves_no_index(cli: Cli) -> None:
    cli.write("docs/a.md", "# A zebra\n")
    assert "cannot name a collection" in cli("index", "docs", "-c", "--x", code=2).stderr
    assert not (cli.folder / ".pincite").exists()


def test_a_mistyped_path_leaves_nothing(cli: Cli) -> None:
    cli("index", "dcos", code=1)
    assert not (cli.folder / ".pincite").exists()
