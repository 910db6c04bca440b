"""Output of commands: results on stdout, messages on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pincite.settings.terminal import terminal_settings
from pincite.support.terminal import Painted, control, sequences, visible

if TYPE_CHECKING:
    from pincite.model import Notice
    from pincite.settings.load import Settings


def say(message: str) -> None:
    """Print one message on stderr."""
    sys.stderr.write(f"{visible(message)}\n")


def show(*parts: str | Painted) -> None:
    """Print a result on stdout, with a newline. Control characters are escaped even into a pipe, as
    the output of `| head` is shown on a terminal, too."""
    colour = sys.stdout.isatty() and terminal_settings().colour
    with reader_may_leave():
        for part in parts:
            painted = part if isinstance(part, Painted) else Painted(part)
            control(sys.stdout, sequences(painted, colour=colour, links=False))
        sys.stdout.write("\n")


def show_now(text: str) -> None:
    """Print a line at once, for commands that go on until they are interrupted. Raises
    BrokenPipeError if nobody reads it any more."""
    sys.stdout.write(f"{visible(text)}\n")
    sys.stdout.flush()


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Discard output from now on if the reader of stdout has gone. The command goes on to its end
    and its exit code: `pincite eval gate ... | head -1` fails if the gate does."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def hand_over(raw: bytes, text: str) -> None:
    """Write data to stdout: the exact bytes, or on a terminal the text with a newline."""
    if sys.stdout.isatty():
        show(text)
        return
    with reader_may_leave():
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)


def say_notice(notice: Notice) -> None:
    """Print a warning."""
    say(f"warning: {notice.code}: {notice.message}")


def say_hidden(settings: Settings, preset: str | None) -> None:
    """Print a warning if settings of higher priority override all keys of the chosen preset."""
    from pincite.surfaces.preset_warning import hidden_preset

    if hidden := hidden_preset(settings, preset):
        say(hidden)
