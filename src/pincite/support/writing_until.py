"""Limit the time in which the current work may write: after that, another worker may have the same
work.

A worker whose process or machine stalled does not notice it. So writers check the limit here just
before they write.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Seconds of the monotonic clock, read at each check: a lease is renewed while the work goes on.
_UNTIL: ContextVar[Callable[[], float] | None] = ContextVar("writing_until", default=None)


@contextmanager
def writing_until(moment: Callable[[], float]) -> Iterator[None]:
    """Let work that begins in this block write until `moment`, in seconds of `time.monotonic`."""
    before = _UNTIL.set(moment)
    try:
        yield
    finally:
        _UNTIL.reset(before)


def may_write() -> bool:
    """Return whether the current work may still write."""
    moment = _UNTIL.get()
    return moment is None or time.monotonic() < moment()
