"""Default values of settings."""

from __future__ import annotations

DEFAULT_COLLECTION = "main"

#: Seconds to wait for other writers of the same collection.
WAIT_S = 600.0  # guess, unmeasured
