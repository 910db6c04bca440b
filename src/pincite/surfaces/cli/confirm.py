"""Ask the user questions on a terminal."""

from __future__ import annotations

import signal
import sys

import click


def agreed(question: str, *, unasked: str, hint: str) -> bool:
    """Return the answer to a yes-or-no question; an empty answer is a no. Raises UsageError with
    `unasked` and `hint` if input is not interactive."""
    from pincite.errors import UsageError

    if not sys.stdin.isatty():
        raise UsageError(unasked, hint=hint)
    return confirmed(question)


def confirmed(question: str) -> bool:
    """Return the answer to a yes-or-no question. Ctrl-C raises Abort, as nothing was done yet."""
    try:
        return answer(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        raise click.Abort from None


def answer(prompt: str) -> str:
    """Return a line from stdin, "" at its end. Ctrl-C raises KeyboardInterrupt at once, even if an
    event loop is running, which would otherwise wait for the line."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, before)
