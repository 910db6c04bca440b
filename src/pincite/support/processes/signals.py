"""Handle signals that end a program, also where an event loop does not support them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence


def on_signals(names: Sequence[str], act: Callable[[], object]) -> None:
    """Call `act` in the running event loop when one of these signals arrives. Signals that the
    system does not have are left out."""
    loop = asyncio.get_running_loop()
    for name in names:
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, act)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(act))


def off_signal(name: str) -> None:
    """Remove the handler from the running event loop. The caller must restore the previous
    handler."""
    try:
        asyncio.get_running_loop().remove_signal_handler(getattr(signal, name))
    except NotImplementedError:
        return
