"""Interrupts of processes that tests start."""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """What a shell starts in the background ignores SIGINT, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
