"""The tutorial on records does what it says: its blocks are run in order, its outputs compared."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

from tests.environment import clean_environment

PAGE = (Path(__file__).parents[2] / "docs/tutorial-records.md").read_text(encoding="utf-8")
BLOCKS = [
    (kind, text)
    for _, kind, text in re.findall(
        r"^(`{3,})(python|text|toml|jsonl|sh)\n(.*?)^\1$", PAGE, re.MULTILINE | re.DOTALL
    )
]
_FILES = {"toml": "pincite.toml", "jsonl": "notes.jsonl"}
_MARK = "-- next --"


def program() -> str:
    """The page as one program: files are written and commands run where they stand."""
    parts = ["import pathlib, subprocess"]
    for kind, text in BLOCKS:
        if kind in _FILES:
            parts.append(f"pathlib.Path({_FILES[kind]!r}).write_text({text!r})")
        elif kind == "sh":
            parts.append(f"subprocess.run({text!r}, shell=True, check=True, capture_output=True)")
        elif kind == "python":
            parts += [text, f"print({_MARK!r})"]
    return "\n".join(parts)


def test_the_page_prints_what_it_shows(tmp_path: Path) -> None:
    found = clean_environment() | {"PINCITE_IDLE_S": "30", "PINCITE_OFFLINE": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program()],
        cwd=tmp_path,
        env=found | {"PATH": f"{Path(sys.executable).parent}:{found.get('PATH', '')}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    printed = done.stdout.split(f"{_MARK}\n")[:-1]
    shown: list[str] = []
    for kind, text in BLOCKS:
        if kind == "python":
            shown.append("")
        elif kind == "text":
            shown[-1] = text
    checker = doctest.OutputChecker()
    for got, want in zip(printed, shown, strict=True):
        assert checker.check_output(want, got, doctest.ELLIPSIS), f"{got}instead of\n{want}"


def test_it_is_as_long_as_a_notebook() -> None:
    lines = [line for kind, text in BLOCKS if kind == "python" for line in text.splitlines()]
    assert 60 <= len([line for line in lines if line.strip()]) <= 120
    assert {kind for kind, _ in BLOCKS} == {"python", "text", "toml", "jsonl", "sh"}
