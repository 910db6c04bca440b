"""Prepare types for msgspec in one thread at a time (a crash of msgspec 0.22).

At the first use of a type, msgspec collects information on each class in it, and stores it with the
class before it is complete. A second thread would read past its end: the process dies with a
segmentation fault (msgspec 0.22). A type that was prepared once is safe in all threads.
"""

from __future__ import annotations

import os
import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_preparing = threading.RLock()
_prepared: set[Any] = set()


def ready(kind: T) -> T:
    """Return the type, prepared for decoders and for `msgspec.convert`. Raises TypeError for a type
    that msgspec does not support."""
    if kind not in _prepared:
        with _preparing:
            msgspec.msgpack.Decoder(kind)
            _prepared.add(kind)
    return kind


def _renew() -> None:
    global _preparing
    _preparing = threading.RLock()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    # A child would keep a class that another thread has half prepared, so a fork waits for it.
    os.register_at_fork(
        before=lambda: _preparing.acquire(),
        after_in_parent=lambda: _preparing.release(),
        after_in_child=_renew,
    )
