"""The page on records does what it says: its Python is run, one block after the other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click

from pincite.records.normalise import MOST_ID_CHARS, MOST_TEXT_CHARS
from pincite.surfaces.cli.records import delete, import_
from tests.environment import clean_environment

PAGE = (Path(__file__).parents[2] / "docs/records.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_python_of_the_page_works_as_it_stands(tmp_path: Path) -> None:
    printed = []
    for block in blocks("python"):
        done = subprocess.run(
            [sys.executable, "-c", block],
            cwd=tmp_path,
            env=clean_environment() | {"PINCITE_IDLE_S": "30", "PINCITE_OFFLINE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout.splitlines())
    first, update, removal = printed
    assert first[0] == "2 0"
    assert re.match(r"records@sha256-\w+:T-7#char=0,78 https://desk\.example/T-7 ", first[1])
    assert re.search(r"`(records@sha256-\w+:T-7#char=0,78)`", PAGE)[1] == first[1].split()[0]  # type: ignore[index]
    assert (update, removal) == (["1 0 0"], ["1", "1"])


def test_the_commands_of_the_page_have_the_options_that_it_names() -> None:
    for line in "".join(blocks("sh")).splitlines():
        words = line.partition("pincite ")[2].split()
        command: click.Command = {"import": import_, "delete": delete}[words[0]]
        known = {option for one in command.params for option in one.opts}
        assert {word for word in words if word.startswith("--")} <= known


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    assert f"up to {MOST_ID_CHARS} characters" in PAGE
    assert f"up to {MOST_TEXT_CHARS:,} characters" in PAGE


def test_every_code_of_a_failure_is_on_the_page() -> None:
    source = Path(__file__).parents[2] / "src/pincite"
    codes: set[str] = set()
    for file in (
        "records/normalise.py",
        "records/formats.py",
        "records/csv_rows.py",
        "ingestion/attributes/normalise.py",
    ):
        text = (source / file).read_text(encoding="utf-8")
        codes |= set(re.findall(r'(?:_Refused|Unreadable)\(\s*"(\w+)"', text))
        codes |= set(re.findall(r'code="(\w+)"', text))
    assert len(codes) > 15
    assert [code for code in sorted(codes) if f"`{code}`" not in PAGE] == []
