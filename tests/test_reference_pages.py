"""The pages of reference have what the program has: commands, codes of warnings, fields of JSON."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import fields
from pathlib import Path

import click
import msgspec
import pytest

from pincite import Pincite
from pincite.model import (
    AbsentTerms,
    Context,
    Evidence,
    EvidencePack,
    Match,
    Notice,
    Omitted,
    Plan,
    Signal,
    Verdict,
)
from pincite.stages.pack import SCHEMA_VERSION
from pincite.surfaces.cli.app import SECTIONS, app
from pincite.surfaces.cli.ask import MODEL_FAILED
from pincite.surfaces.cli.run import ERROR, INTERRUPTED, NOTHING, OK, USAGE

ROOT = Path(__file__).parent.parent
PACK = tuple(one.name for one in fields(EvidencePack))
SOURCES = tuple((ROOT / "src/pincite").rglob("*.py"))


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def rows(text: str) -> list[str]:
    """The first cell of each row of the tables in a part of a page."""
    cells = re.findall(r"^\| (.+?) \|", text, re.MULTILINE)
    return [cell for cell in cells if not set(cell) <= set("-: ")]


def names(text: str) -> list[str]:
    """What stands in backticks in the first cell of each row."""
    return [name for cell in rows(text) for name in re.findall(r"`([^`]+)`", cell)]


def section(text: str, heading: str) -> str:
    return text.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def texts_of(node: ast.expr, constants: dict[str, str]) -> set[str]:
    """The texts that an expression may be. Raises KeyError if it is neither a text nor a constant
    of the module."""
    if isinstance(node, ast.IfExp):
        return texts_of(node.body, constants) | texts_of(node.orelse, constants)
    if isinstance(node, ast.Constant):
        return {str(node.value)}
    return {constants[ast.unparse(node)]}


def codes_of(path: Path) -> set[str]:
    """The codes of the warnings that a module makes, or writes to the log itself."""
    text = path.read_text(encoding="utf-8")
    logged = set(re.findall(r'log\.warning\("([a-z]+_[a-z_]+): ', text))
    if "Notice(" not in text:
        return logged
    tree = ast.parse(text)
    constants = {
        ast.unparse(target): str(one.value.value)
        for one in tree.body
        if isinstance(one, ast.Assign | ast.AnnAssign) and isinstance(one.value, ast.Constant)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
    }
    calls = (one for one in ast.walk(tree) if isinstance(one, ast.Call))
    made = [one for one in calls if ast.unparse(one.func) == "Notice"]
    return logged | {code for one in made for code in texts_of(one.args[0], constants)}


def test_every_command_is_in_the_page_in_the_order_of_the_help_and_nothing_else() -> None:
    table = section(page("cli.md"), "Commands")
    known = app.list_commands(click.Context(app))
    told = names(table)
    assert sorted(told) == known
    assert told == [name for commands in SECTIONS.values() for name in commands]
    assert re.findall(r"^\| \*\*(.+?)\*\* \| \| \|$", table, re.MULTILINE) == list(SECTIONS)


def test_every_command_has_a_link_to_the_page_that_explains_it() -> None:
    table = section(page("cli.md"), "Commands")
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    assert [line for line in lines if not line.endswith(") |") or "](" not in line] == []


def test_the_exit_codes_of_the_page_are_those_of_the_program() -> None:
    table = section(page("cli.md"), "Exit codes").strip().split("\n\n")[0]
    told = [int(cell) for cell in rows(table) if cell.isdigit()]
    assert told == [OK, ERROR, USAGE, NOTHING, MODEL_FAILED, INTERRUPTED]


def test_every_code_of_a_warning_is_in_the_page_and_nothing_else() -> None:
    made = sorted(set().union(*map(codes_of, SOURCES)))
    told = names(page("warnings.md"))
    assert len(told) == len(set(told))
    assert sorted(told) == made


def test_the_fields_of_a_pack_and_of_a_passage_are_in_the_page_and_nothing_else() -> None:
    pack, passage = page("results.md").split("\n| field | content |\n")[1:3]
    of_pack, of_passage = (names(one.split("\n\n")[0]) for one in (pack, passage))
    assert of_pack[: len(PACK)] == list(PACK)
    assert sorted(of_passage) == sorted(Evidence.__struct_fields__)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("`verdict`", Verdict),
        ("`plan`", Plan),
        ("one of `warnings`", Notice),
        ("one of `omitted`", Omitted),
        ("`absent_terms`", AbsentTerms),
        ("one of `signals`", Signal),
        ("`context`", Context),
        ("one of `matches`", Match),
    ],
)
def test_the_fields_of_a_value_within_a_pack_are_in_the_page(value: str, kind: type) -> None:
    table = page("results.md").split("\n| value | fields |\n")[1].split("\n\n")[0]
    (told,) = re.findall(rf"^\| {value} \| (.+) \|$", table, re.MULTILINE)
    names_of = {one.encode_name for one in msgspec.inspect.type_info(kind).fields}  # type: ignore[attr-defined]
    assert set(re.findall(r"`([^`]+)`", told)) >= names_of


def test_the_example_of_a_pack_is_one() -> None:
    (text,) = re.findall(r"^```json\n(.*?)^```", page("results.md"), re.MULTILINE | re.DOTALL)
    example = json.loads(text)
    left_out = ("candidate_id", "content_hash", "start_column", "end_column")
    assert set(example) == set(PACK)
    example["evidence"][0] |= {name: "" if name in left_out[:2] else None for name in left_out}
    read = EvidencePack.from_dict(example)
    assert (read[0].path, read.verdict.level, read.schema_version) == (
        "docs/keys.md",
        "grounded",
        SCHEMA_VERSION,
    )


def test_every_method_is_in_the_page_of_python_and_nothing_else() -> None:
    told = names(section(page("python.md"), "All methods"))
    assert len(told) == len(set(told))
    assert sorted(told) == [name for name in dir(Pincite) if not name.startswith("_")]
