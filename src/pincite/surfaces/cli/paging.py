"""Show long results in a pager, like git."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Literal

from pincite.settings.terminal import terminal_settings
from pincite.support.terminal import Painted, control, sequences, visible
from pincite.surfaces.cli.output import reader_may_leave, say

When = Literal["auto", "always", "never"]


def show_result(
    parts: Sequence[str | Painted], colour: When = "auto", *, pager: bool = True
) -> None:
    """Show a result on stdout, with a newline. On a terminal, a result that does not fit opens in
    the pager; otherwise its locations are links. In a pipe, the text is plain, with colour only if
    `colour` is `always`."""
    known = terminal_settings()
    terminal = sys.stdout.isatty()
    painted = colour == "always" or (colour == "auto" and terminal and known.colour)
    if not terminal:
        with reader_may_leave():
            sys.stdout.write(f"{_text(parts, colour=painted)}\n")
        return
    columns, rows = shutil.get_terminal_size()
    if pager and known.pager and _rows(parts, columns) >= rows:
        text = _text(parts, colour=painted)
        if _paged(f"{text}\n", known.pager, known.variables, named=known.pager_named):
            return
    links = known.links and painted
    control(sys.stdout, f"{_text(parts, colour=painted, links=links)}\n")
    sys.stdout.flush()


def _text(parts: Sequence[str | Painted], *, colour: bool, links: bool = False) -> str:
    return "".join(
        sequences(part, colour=colour, links=links) if isinstance(part, Painted) else visible(part)
        for part in parts
    )


def _rows(parts: Sequence[str | Painted], columns: int) -> int:
    """Return the approximate number of terminal rows of the text."""
    text = "".join(part.text if isinstance(part, Painted) else part for part in parts)
    return sum(max(1, -(-len(line) // max(1, columns))) for line in text.split("\n"))


def _paged(text: str, command: str, variables: Mapping[str, str], *, named: bool) -> bool:
    """Show the text in the pager, and return whether the pager could be started. The command is
    split into words and run without a shell. `named`: the user has chosen it, so a failure is
    reported."""
    import shlex
    import signal
    import subprocess

    try:
        words = shlex.split(command)
        process = subprocess.Popen(words, stdin=subprocess.PIPE, env={**os.environ, **variables})
    except (OSError, ValueError, IndexError) as error:
        if named:
            why = error.strerror if isinstance(error, OSError) and error.strerror else error
            say(f"warning: the pager {command!r} cannot be started: {why}")
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pager handles it
    try:
        process.communicate(text.encode(errors="backslashreplace"))
    finally:
        signal.signal(signal.SIGINT, before)
    return True
