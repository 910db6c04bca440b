"""A table is put at the end of a TOML file and taken out from wherever it stands."""

from __future__ import annotations

import tomllib

import pytest

from pincite.surfaces.clients.jsonc import Malformed
from pincite.surfaces.clients.toml_table import parse, remove, set_value

PATH = ("mcp_servers", "pincite")
ENTRY = {"command": "/bin/pincite", "args": ["mcp", "--tag", 'a="b\\c"']}
TABLE = (
    '[mcp_servers.pincite]\ncommand = "/bin/pincite"\nargs = ["mcp", "--tag", "a=\\"b\\\\c\\""]\n'
)

FILES = [
    "",
    "a = 1\n",
    "a = 1",
    "# only a comment\n",
    'text = """\n[mcp_servers.pincite]\ncommand = "no"\n"""\n',
    "list = [\n[1, 2],\n[3],\n]\n",
    '[mcp_servers."a.b"]\ncommand = "x"\n\n# of the next\n[other]\nb = 2\n',
    "[[items]]\na = 1\n\n[[items]]\na = 2\n",
    'a = 1\r\n\r\n[b]\r\nc = "d"\r\n',
    'a = "\u2028[x]"\n',
]


@pytest.mark.parametrize("text", FILES)
def test_a_table_is_added_and_taken_out(text: str) -> None:
    changed = set_value(text, PATH, ENTRY)
    assert changed.startswith(text)
    assert changed.replace("\r\n", "\n").endswith(TABLE)
    before = tomllib.loads(text)
    servers = before.get("mcp_servers", {}) | {"pincite": ENTRY}
    assert tomllib.loads(changed) == before | {"mcp_servers": servers}
    assert set_value(changed, PATH, ENTRY) == changed
    assert tomllib.loads(remove(changed, PATH)) == before
    assert remove(text, PATH) == text


def test_a_table_in_the_middle_is_replaced_where_it_stands() -> None:
    old = '[mcp_servers.pincite]\ncommand = "old"\n\n[mcp_servers.pincite.env]\nA = "1"\n'
    text = f"# mine\n[a]\nb = 1\n\n{old}\n# of the next\n[c]\nd = 2 # two\n"
    changed = set_value(text, PATH, ENTRY)
    assert changed == f"# mine\n[a]\nb = 1\n\n{TABLE}\n# of the next\n[c]\nd = 2 # two\n"
    assert remove(text, PATH) == "# mine\n[a]\nb = 1\n\n# of the next\n[c]\nd = 2 # two\n"


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers]\npincite = { command = "x" }\n',
        'mcp_servers.pincite.command = "x"\n',
        '[mcp_servers]\npincite.command = "x"\n\n[mcp_servers.pincite.env]\nA = "1"\n',
    ],
)
def test_one_that_is_written_otherwise_is_not_touched(text: str) -> None:
    with pytest.raises(Malformed, match="not written as a table of its own"):
        set_value(text, PATH, ENTRY)
    with pytest.raises(Malformed, match="not written as a table of its own"):
        remove(text, PATH)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = 1\nb = \n", 2), ("[a\n", 1), ("a = 1\na = 2\n", 2), ("a = [" * 9_000, 1)],
)
def test_a_broken_file_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(Malformed) as raised:
        parse(text)
    assert raised.value.line == line
