"""Default values of settings."""

from __future__ import annotations

DEFAULT_COLLECTION = "main"

#: For how long to wait for others who write to the same collection.
WAIT_S = 600.0  # guess, unmeasured
