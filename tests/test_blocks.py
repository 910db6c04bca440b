"""Blocks of code in all pages hold: commands and options exist, settings load, programs import.

The guides and many other pages have tests that run their blocks. This test reads the rest, too.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pincite.settings.load import load_settings
from pincite.surfaces.cli.app import app

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("*.md", "docs/*.md", "docs/decisions/*.md", "deploy/**/*.md", "bench/*.md")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"
)
#: Tables of other programs' files: of Codex, and of a package that registers a provider.
_OF_OTHERS = {"mcp_servers", "project"}
_BLOCK = re.compile(r"^ *```(?P<kind>\w+)\n(?P<text>.*?)^ *```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^(?: {4}.*)?\n)+", re.MULTILINE)


def blocks(page: str, *kinds: str) -> Iterator[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        if found["kind"] in kinds:
            yield textwrap.dedent(found["text"])


def commands(page: str) -> Iterator[str]:
    """The commands of `pincite` in blocks of a page, without what they are joined with."""
    text = (ROOT / page).read_text(encoding="utf-8")
    indented = _INDENTED.findall(_BLOCK.sub("", text))
    for block in (*blocks(page, "console", "sh"), *map(textwrap.dedent, indented)):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r"\s(?:\||&&|;|>|<|#|&)(?:\s|$)", line.removeprefix("$ ")):
                if re.match(r"pincite [a-z-]", part):
                    yield part.removeprefix("pincite ")


def checked(line: str) -> None:
    """Parse a command as the program does. Raises UsageError for what it does not know."""
    words = shlex.split(line)
    command: click.Command = app
    context = click.Context(app, info_name="pincite")
    while words:
        _, words, _ = command.make_parser(context).parse_args(words)
        if not isinstance(command, click.Group) or not words:
            return
        name = words.pop(0)
        found = command.get_command(context, name)
        if found is None:
            raise click.UsageError(f"no command is named {name!r}")
        command, context = found, click.Context(found, context, name)


@pytest.mark.parametrize("page", PAGES)
def test_commands_of_a_page_and_their_options_exist(page: str) -> None:
    wrong = []
    for line in commands(page):
        try:
            checked(line)
        except (click.UsageError, ValueError) as error:
            wrong.append(f"{line}: {error}")
    assert wrong == []


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page, "toml"))])
def test_settings_of_a_page_load(page: str, tmp_path: Path) -> None:
    for number, text in enumerate(blocks(page, "toml")):
        if tomllib.loads(text).keys() & _OF_OTHERS:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "pincite.toml").write_text(text, encoding="utf-8")
        load_settings({"PINCITE_CONFIG": str(folder / "pincite.toml")}, folder)


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page, "json"))])
def test_json_of_a_page_is_json(page: str) -> None:
    for text in blocks(page, "json"):
        lines = text.splitlines()
        for one in lines if lines[0].endswith("}") else [text]:  # a line each, or one value
            json.loads(one)


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page, "python"))])
def test_programs_of_a_page_import_what_exists(page: str) -> None:
    for text in blocks(page, "python"):
        if text.startswith(">>> "):
            text = "".join(one.source for one in doctest.DocTestParser().get_examples(text))
        tree = compile(text, page, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("pincite"):
                module = importlib.import_module(str(node.module))
                assert [one.name for one in node.names if not hasattr(module, one.name)] == []


#: Names that a page introduces in its text, not in a program.
_GIVEN = {
    "docs/local.md": {"pincite"},
    "docs/workspaces.md": {"Access", "Workspace", "feed", "settings", "user_id", "workspaces"},
}


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page, "python"))])
def test_programs_of_a_page_use_no_name_that_nothing_defines(page: str) -> None:
    programs = "\n".join(text for text in blocks(page, "python") if not text.startswith(">>> "))
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821"]
    command = [*ruff, "--output-format", "concise", "-"]
    done = subprocess.run(command, input=programs, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    undefined = set(re.findall(r"Undefined name `(\w+)`", done.stdout))
    assert undefined == _GIVEN.get(page, set())


@pytest.mark.parametrize(
    "line", ["serch x", "search --nope x", "workspace kee add", "mcp --http --prt 1"]
)
def test_what_the_program_does_not_know_is_seen(line: str) -> None:
    with pytest.raises(click.UsageError):
        checked(line)
    checked("mcp --http --port 1")
