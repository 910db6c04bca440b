"""Locales and streams that are not UTF-8 change neither the names of files nor JSON."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pincite
from tests.environment import clean_environment
from tests.forked import run
from tests.surfaces.conftest import Cli

TEXT = "# Café\n\nThe zebras run – “fast” 🦓.\n"
INDEX_IT = """
import sys
from pincite import Pincite
with Pincite(sys.argv[1]) as engine:
    (report,) = engine.index(sys.argv[2], lexical=True)
    print(ascii([report.new, report.skipped_paths]))
    engine.stop()
"""


@pytest.fixture(scope="module")
def latin_1(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The variables of a locale in Latin-1."""
    folder, name = tmp_path_factory.mktemp("locales"), "de_DE.ISO-8859-1"
    if shutil.which("localedef") is None:
        pytest.skip("no locale can be made here")
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "ISO-8859-1", str(folder / name)],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("the locale cannot be made here")
    return {"LOCPATH": str(folder), "LC_ALL": name}


def test_names_and_json_are_the_same_in_a_locale_that_is_not_utf_8(cli: Cli, latin_1: Any) -> None:
    cli.write("docs/café.md", TEXT)
    cli("index", "docs", "--lexical", **latin_1)  # its daemon, too, starts in this locale
    assert cli("ls", **latin_1).stdout.startswith("docs:café.md ")
    raw = cli("search", "zebras", "--json", **latin_1).stdout
    (found,) = json.loads(raw)["evidence"]
    assert (found["path"], found["text"]) == ("café.md", TEXT.rstrip())
    assert "“fast” 🦓" in cli("search", "zebras", **latin_1).stdout
    assert cli("get", "café.md", **latin_1).stdout == TEXT
    assert cli("search", "café", "-f", "files", **latin_1).stdout == "café.md:1-3\n"
    cli.write("docs/né.md", "# Lions\n\nThey roar.\n")
    assert "1 new, 1 unchanged" in cli("index", "docs", "--lexical").stderr
    names = [one["path"] for one in cli.json("ls")["files"]]
    assert names == ["café.md", "né.md"]
    pack = cli.write("pack.json", raw)
    assert cli("verify", str(pack), **latin_1).stdout.startswith("fresh")


def test_arguments_may_be_in_the_encoding_of_the_locale(cli: Cli, latin_1: Any) -> None:
    cli.write("docs/a.md", "# Öl\n\nhelps\n")
    cli("index", "docs", "--lexical")
    for word in ("Öl".encode("latin-1"), "Öl".encode()):
        command: list[str | bytes] = [
            sys.executable,
            "-m",
            "pincite",
            "search",
            word,
            "-f",
            "files",
        ]
        done = subprocess.run(
            command,
            cwd=cli.folder,
            env=clean_environment() | latin_1,
            capture_output=True,
            check=True,
        )
        assert done.stdout == b"a.md:1-3\n"


def test_a_library_in_such_a_locale_stores_no_wrong_names(tmp_path: Path, latin_1: Any) -> None:
    """A process cannot choose the encoding of file names when it runs."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "café.md").write_text(TEXT)
    (tmp_path / "docs" / "a.md").write_text(TEXT)
    command = [sys.executable, "-c", INDEX_IT, str(tmp_path / ".pincite"), str(tmp_path / "docs")]
    done = subprocess.run(
        command, env=clean_environment() | latin_1, capture_output=True, text=True, check=True
    )
    said = "unreadable: caf\\xe9.md (the locale of this process is not UTF-8: set PYTHONUTF8=1)"
    assert done.stdout == f"[1, ['{said}']]\n"
    (tmp_path / "docs").rename(tmp_path / "dé")
    command[-1] = str(tmp_path / "dé")
    refused = subprocess.run(
        command, env=clean_environment() | latin_1, capture_output=True, check=False
    )
    assert b"the locale of this process is not UTF-8" in refused.stderr
    assert b"PYTHONUTF8=1" in refused.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_pipes_are_utf_8_whatever_python_is_told(cli: Cli, encoding: str) -> None:
    cli.write("docs/café.md", TEXT)
    cli("index", "docs", "--lexical")
    asked: Any = {"PYTHONIOENCODING": encoding}
    assert "“fast” 🦓" in cli("search", "zebras", **asked).stdout
    found = json.loads(cli("search", "zebras", "--json", **asked).stdout)
    assert found["evidence"][0]["text"] == TEXT.rstrip()
    assert json.loads(cli("ls", "--json", **asked).stdout)["files"][0]["path"] == "café.md"
    given = run(["search", "–🦓"], cli.folder, clean_environment() | asked)
    assert b"Traceback" not in given.stderr


def test_every_python_that_is_started_reads_names_as_utf_8() -> None:
    (root,) = pincite.__path__
    started = 0
    for place in Path(root).rglob("*.py"):
        for found in re.finditer(
            r'"-P", (?!"-m", "pip")(?P<next>.{14})', place.read_text(encoding="utf-8")
        ):
            assert (place, found["next"]) == (place, '"-X", "utf8", ')
            started += 1
    assert started > 7
