"""`pincite trust` for a `.pinciteignore`, and what a run says without it."""

from __future__ import annotations

import shlex
from functools import partial

import pytest

from tests.sources.helpers import git
from tests.surfaces.conftest import Cli

CONFIG = '[[source]]\npath = "."\nfile_types = { "*.pem" = "text" }\n'


@pytest.fixture
def checkout(cli: Cli) -> Cli:
    git(cli.folder, "init", "--quiet")
    cli.write("README.md", "# Server\n\nIt serves walruses.\n")
    cli.write("local.pem", "the wombat key\n")
    cli.write("secrets.json", '{"dingo": "the dingo key"}\n')
    cli.write(".gitignore", "*.pem\nsecrets.json\n.pincite/\n")
    cli.write(".pinciteignore", "!local.pem\n!secrets.json\n")
    cli.write("pincite.toml", CONFIG)
    return cli


@pytest.mark.parametrize("named", [[], ["."]])
def test_a_foreign_checkout_brings_no_ignored_file_into_the_index(
    checkout: Cli, named: list[str]
) -> None:
    state = str(checkout.folder / ".pincite-state")
    pincite = partial(checkout, PINCITE_TRUST="0", XDG_STATE_HOME=state)
    said = pincite("index", *named, "--lexical").stderr
    assert "2 untrusted" in said
    command = said.partition("read it, then: ")[2].splitlines()[0]
    assert command == f"pincite trust {checkout.folder / '.pinciteignore'}"
    assert command in pincite("status").stdout
    pincite("search", "wombat dingo key", code=3)

    shown = pincite(*shlex.split(command)[1:])
    assert shown.stdout == "!local.pem\n!secrets.json\n"
    assert "is trusted until it changes; then: pincite index" in shown.stderr
    said = pincite("index", *named).stderr
    assert "2 new" in said
    assert "untrusted" not in said
    assert str(checkout.folder / ".pinciteignore") in pincite("trust", "--list").stdout
    pincite("search", "wombat dingo key")
    pincite("trust", ".pinciteignore", "--revoke")
    assert "2 removed" in pincite("index", *named).stderr


def test_an_ignore_file_that_includes_nothing_needs_no_trust(checkout: Cli) -> None:
    checkout.write(".pinciteignore", "old/\n")
    assert "needs no trust" in checkout("trust", ".pinciteignore", code=3).stderr
    (checkout.folder / ".pinciteignore").unlink()
    assert "check the path" in checkout("trust", ".pinciteignore", code=2).stderr
