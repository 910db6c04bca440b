"""The command `pincite`, also as `python -m pincite`."""

from __future__ import annotations

# The module `signal` takes a millisecond more, for the names of all signals.
import _signal  # type: ignore[import-not-found]
from typing import NoReturn


def program() -> NoReturn:
    """Run the command, and end the process. An interrupt ends it at once while it imports its
    modules."""
    raised = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    if raised:  # a job in the background of a shell ignores interrupts
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from pincite.surfaces.cli import app

    if raised:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    app.program()


if __name__ == "__main__":
    program()
