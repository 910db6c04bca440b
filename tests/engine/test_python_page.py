"""docs/python.md does what it says: its blocks are run, one after the other, as one program."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

from pincite.asking import SearchOptions
from pincite.surfaces.mcp.tools import SearchArguments
from tests.environment import clean_environment

PAGE = (Path(__file__).parents[2] / "docs/python.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^(`{3,})(sh|python|text)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_MARK = "-- next --"


def test_the_program_prints_what_the_page_shows(tmp_path: Path) -> None:
    (made, *blocks) = [(kind, text) for _, kind, text in _BLOCK.findall(PAGE)]
    assert made[0] == "sh"
    subprocess.run(["bash", "-ec", made[1]], cwd=tmp_path, check=True)
    programs = [text for kind, text in blocks if kind == "python"]
    assert len(programs) == 8
    program = f"\nprint({_MARK!r})\n".join(programs)
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", "program.py"],
        cwd=tmp_path,
        env=clean_environment() | {"PINCITE_IDLE_S": "60"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert (done.returncode, done.stderr) == (0, "")
    shown = ["" for _ in programs]
    place = -1
    for kind, text in blocks:
        place += kind == "python"
        shown[place] = text if kind == "text" else ""
    printed = done.stdout.split(f"{_MARK}\n")
    for got, want in zip(printed, shown, strict=True):
        assert doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS), got


def test_the_table_names_what_mcp_and_python_take() -> None:
    table = PAGE.split("\n| argument | meaning |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|.*\| ([^|]+) \|$", table, re.MULTILINE)
    named = {name for python, _ in rows for name in re.findall(r"`(\w+)`", python)}
    by_mcp = {name for _, mcp in rows for name in re.findall(r"`(\w+)`", mcp)}
    beside = {"text", "scope", "profile", "show_all", "corpus", "here", "optimise"}
    assert named == {*SearchOptions.__dataclass_fields__} - beside
    assert by_mcp == {*SearchArguments.__struct_fields__} - {"query", "max_tokens", "detail"}
