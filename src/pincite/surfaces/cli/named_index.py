"""Hints of errors for the index folder that the command line names.

A hint names commands for the index that is found without `--index`. For a named one, the same
commands would change another index.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

import click

if TYPE_CHECKING:
    from pathlib import Path

    from pincite.errors import PinciteError

    Error = TypeVar("Error", bound=PinciteError)

_NAMED: Final = "pincite.index"
#: A command at the beginning of a hint, or of a part of it.
_COMMAND: Final = re.compile(r"(?:\A|`|[:;,] |\b(?:and|or|run|see) )pincite(?= )")
_WORD: Final = re.compile(r" ([a-z][a-z-]*)")
_ELSEWHERE: Final = "in "  # it names the folder of another index


def remember_index(context: click.Context, _: click.Parameter, index: Path | None) -> Path | None:
    """Keep the folder of `--index` for the hints of errors, and return it."""
    if index is not None:
        context.meta[_NAMED] = index
    return index


def for_named_index(error: Error) -> Error:
    """Return the error after its hint was adapted to the index that the command line names, see
    `hint_for_named_index`."""
    error.hint = hint_for_named_index(error.hint)
    return error


def hint_for_named_index(hint: str) -> str:
    """Return the hint with `--index` after the name of each command that takes it, if the running
    command has this option and the hint does not."""
    context = click.get_current_context(silent=True)
    index = context.meta.get(_NAMED) if context else None
    if context is None or index is None or "--index" in hint or hint.startswith(_ELSEWHERE):
        return hint
    import shlex  # a search without an error needs none

    option = f" --index {shlex.quote(str(index))}"
    pieces, at = [], 0
    for found in _COMMAND.finditer(hint):
        command, end = _command_at(hint, found.end(), context.find_root())
        if any("--index" in one.opts for one in command.params):
            pieces += [hint[at:end], option]
            at = end
    return "".join([*pieces, hint[at:]])


def _command_at(hint: str, at: int, root: click.Context) -> tuple[click.Command, int]:
    """Return the command that the words from this position name, and where its name ends."""
    command = root.command
    while isinstance(command, click.Group) and (word := _WORD.match(hint, at)):
        named = command.get_command(root, word[1])
        if named is None:
            break
        command, at = named, word.end()
    return command, at
