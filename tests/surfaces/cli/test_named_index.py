"""Hints name commands for the index that the command line names."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pincite.errors import PinciteError
from pincite.surfaces.cli.app import Commands, app
from pincite.surfaces.cli.named_index import hint_for_named_index
from pincite.surfaces.cli.options import index_option
from tests.surfaces.conftest import Cli


def hint_of(hint: str, *arguments: str) -> str:
    """The hint of an error that a command of the group of `pincite` raises."""
    group = Commands("pincite", commands=dict(app.commands))

    @group.command("fail")
    @index_option
    def fail(index: Path | None) -> None:
        raise PinciteError("it failed", hint=hint)

    done = CliRunner().invoke(group, ["fail", *arguments])
    assert isinstance(done.exception, PinciteError)
    return done.exception.hint


@pytest.mark.parametrize(
    ("hint", "named"),
    [
        ("pincite index PATH", "pincite index --index 'a b' PATH"),
        ("pincite collections", "pincite collections --index 'a b'"),
        (
            "pincite collections rebuild main --lexical, or keep both: pincite index -c other",
            "pincite collections rebuild --index 'a b' main --lexical, or keep both:"
            " pincite index --index 'a b' -c other",
        ),
        (
            "pincite config show retrieve or pincite config show index",
            "pincite config show --index 'a b' retrieve or pincite config show --index 'a b' index",
        ),
        ("see `pincite status`", "see `pincite status --index 'a b'`"),
        ("pincite get it's, pincite.md:1", "pincite get --index 'a b' it's, pincite.md:1"),
        ("pincite replay   (lists searches)", "pincite replay --index 'a b'   (lists searches)"),
        ("pincite models fetch", "pincite models fetch"),  # it has no index
        ("pincite trust pincite.toml", "pincite trust pincite.toml"),
        ("in /work/tree: pincite index .", "in /work/tree: pincite index ."),
        ("pincite index --index other", "pincite index --index other"),
        ("rename the pincite index", "rename the pincite index"),
        ("pincite unknown", "pincite unknown"),
        ("", ""),
    ],
)
def test_the_commands_of_a_hint_name_the_index_of_the_command(hint: str, named: str) -> None:
    assert hint_of(hint, "--index", "a b") == named
    assert hint_of(hint) == hint


def test_without_a_command_a_hint_stays_as_it_is() -> None:
    assert hint_for_named_index("pincite status") == "pincite status"


def test_a_command_of_a_hint_is_read_by_pincite() -> None:
    hint = hint_of("pincite collections rebuild main --lexical", "--index", "a")
    words = hint.split()[1:]
    context = app.make_context("pincite", words)
    name, group, rest = app.resolve_command(context, words)
    assert name == "collections"
    assert isinstance(group, click.Group)
    command = group.commands[rest[0]]
    assert command.make_context("rebuild", rest[1:], parent=context).params["index"] == Path("a")


def test_an_index_of_another_model_is_rebuilt_where_it_is(cli: Cli) -> None:
    cli.write("docs/keys.md", "To rotate a key, call rotate_key.\n")
    cli("index", "docs", "--lexical", "--index", "other")
    done = cli("index", "docs", "--lexical", "--language", "german", "--index", "other", code=2)
    assert "pincite collections rebuild --index other main" in done.stderr
