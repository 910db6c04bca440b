"""Questions that a command asks on a terminal."""

from __future__ import annotations

import pytest

from tests.surfaces.cli.terminal.screens import CTRL_C, ENTER, terminal
from tests.surfaces.conftest import Cli


@pytest.fixture
def filled(cli: Cli) -> Cli:
    cli.write("docs/keys.md", "# Keys\n\nCall `rotate_key` with the new secret.\n")
    cli.write("rows.jsonl", '{"id": "a", "text": "Backups run every night."}\n')
    cli("index", "docs", "--lexical")
    cli("import", "rows.jsonl", "--collection", "rows", "--source", "rows", "--lexical")
    cli("memory", "add", "prefers tables", "--user", "anna")
    return cli


ASKING = [
    (("eval", "label", "mine.jsonl", "--add", "how is a key rotated?"), "grade>"),
    (("delete", "--collection", "rows", "--source", "rows", "--id", "a"), "Delete 1 record?"),
    (("collections", "drop", "rows"), "Drop rows with 1 record, 1 chunk?"),
    (("memory", "forget", "--all", "--user", "anna"), "Forget 1 fact of anna?"),
]


@pytest.mark.parametrize(("arguments", "question"), ASKING)
def test_ctrl_c_ends_a_command_while_it_asks(
    filled: Cli, arguments: tuple[str, ...], question: str
) -> None:
    with terminal(filled.folder, *arguments) as screen:
        screen.until(question)
        screen.keys(CTRL_C)
        screen.until("interrupted")
        assert screen.code() == 130


@pytest.mark.parametrize(("arguments", "question"), ASKING[1:])
def test_no_answer_is_a_no(filled: Cli, arguments: tuple[str, ...], question: str) -> None:
    before = filled("collections", "list").stdout
    assert before == filled("collections").stdout
    with terminal(filled.folder, *arguments) as screen:
        screen.until(question)
        screen.keys(ENTER)
        assert screen.code() in (1, 3)
        assert " was kept" in screen.text or " was deleted" in screen.text
    assert filled("collections", "list").stdout == before
    assert "prefers tables" in filled("memory", "list", "--user", "anna").stdout
