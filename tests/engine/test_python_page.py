"""docs/python.md does what it says: its blocks are run, one after the other, as one program."""

from __future__ import annotations

import ast
import builtins
import collections.abc
import doctest
import inspect
import re
import subprocess
import sys
import typing
from pathlib import Path
from typing import get_type_hints

import pincite.errors
from pincite import AsyncPincite, Pincite, load_settings
from pincite.asking import SearchOptions
from pincite.asking.answers import AnswerKeywords, AnswerOptions, asked_of
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
    assert len(programs) == 9
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


def table_rows() -> list[tuple[str, str]]:
    """The arguments of each row, by their names in Python and in MCP."""
    table = PAGE.split("\n| argument | meaning |")[1].split("\n\n")[0]
    return re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|.*\| ([^|]+) \|$", table, re.MULTILINE)


def test_an_answer_takes_the_arguments_of_a_search() -> None:
    named = {name for python, _ in table_rows() for name in re.findall(r"`(\w+)`", python)}
    taken = named - {"mode", "show_all"} | {"scope", "profile"}
    assert {*get_type_hints(AnswerKeywords)} == taken
    said = AsyncPincite.answer.__doc__ or ""
    assert [name for name in sorted(taken) if f"`{name}`" not in said] == []


def test_rephrasings_of_an_answer_are_searched(tmp_path: Path) -> None:
    options = AnswerOptions(SearchOptions("how long?", subqueries="lex: ttl"))
    asked, _ = asked_of(options, load_settings({}, tmp_path))
    assert asked.question.subqueries == ("lex: ttl",)


def test_the_table_of_errors_is_that_of_the_package() -> None:
    table = PAGE.split("\n| error | when |")[1].split("\n\n")[0]
    above: list[type[Exception]] = [pincite.PinciteError]
    for dashes, names in re.findall(r"^\| ((?:– )*)(`.+?`) \|", table, re.MULTILINE):
        depth = dashes.count("–")
        found = [getattr(pincite, name) for name in re.findall(r"`(\w+)`", names)]
        assert all(issubclass(one, above[depth]) for one in found), names
        above[depth + 1 :] = found[-1:]
    listed = set(re.findall(r"`([A-Z]\w+)`(?=[ ,])", table))
    errors = {name for name in pincite.__all__ if name in vars(pincite.errors)}
    assert errors - {"PinciteError"} == listed


def test_the_table_names_what_mcp_and_python_take() -> None:
    rows = table_rows()
    named = {name for python, _ in rows for name in re.findall(r"`(\w+)`", python)}
    by_mcp = {name for _, mcp in rows for name in re.findall(r"`(\w+)`", mcp)}
    beside = {"text", "scope", "profile", "corpus", "here", "optimise"}
    assert named == {*SearchOptions.__dataclass_fields__} - beside
    assert by_mcp == {*SearchArguments.__struct_fields__} - {"query", "max_tokens", "detail"}


#: Keywords are documented one by one; nobody passes these types themselves.
KEYWORDS = {"AnswerKeywords", "IndexKeywords", "RecordKeywords", "SearchKeywords"}
#: What `client` and `deps` of AsyncPincite return: parts of the program, not of its interface.
INTERNAL = {"ServedIndex", "Deps"}


def test_types_of_public_methods_can_be_imported_from_pincite() -> None:
    named = types_of(Pincite) | types_of(AsyncPincite)
    assert {"AnswerEvent", "ChatMode", "Freshness", "Reembedding", "SearchOptions"} <= named
    assert named - KEYWORDS - INTERNAL - set(pincite.__all__) == set()
    assert types_of(Pincite).isdisjoint(INTERNAL)
    table = PAGE.split("\n## Types\n")[1]
    assert named - KEYWORDS - INTERNAL - set(re.findall(r"`(\w+)`", table)) == set()


def types_of(shown: type) -> set[str]:
    """The names in the annotations of all public methods, of the constructor and of properties,
    without those of Python."""
    named: set[str] = set()
    for name, member in inspect.getmembers(shown):
        method = member.fget if isinstance(member, property) else member
        if not inspect.isfunction(method) or (name[0] == "_" and name != "__init__"):
            continue
        for annotation in method.__annotations__.values():
            tree = ast.parse(str(annotation), mode="eval")
            named |= {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
    known = {*dir(builtins), *dir(typing), *dir(collections.abc), "PathLike", "TracebackType"}
    return named - known
