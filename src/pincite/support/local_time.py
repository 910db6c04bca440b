"""The time as users read it in states and records."""

from __future__ import annotations

from datetime import datetime


def local_now() -> str:
    """Return the current local time in ISO 8601, in whole seconds, with its offset from UTC."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
