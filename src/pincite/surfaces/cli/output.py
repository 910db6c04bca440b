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
    """Print a result on stdout, with a newline. Control characters are escaped in pipes, too,
    because their output may end on a terminal, as with `| head`."""
    colour = sys.stdout.isatty() and terminal_settings().colour
    with reader_may_leave():
        for part in parts:
            painted = part if isinstance(part, Painted) else Painted(part)
            control(sys.stdout, sequences(painted, colour=colour, links=False))
        sys.stdout.write("\n")


def show_now(text: str) -> None:
    """Print a line at once, for commands that run until they are interrupted. Raises
    BrokenPipeError if the reader of stdout has closed it."""
    sys.stdout.write(f"{visible(text)}\n")
    sys.stdout.flush()


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Within this, if the reader of stdout has closed it, discard all output from now on. The
    command continues, so that its exit code is right: `pincite eval gate ... | head -1` fails if
    the gate fails."""
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
