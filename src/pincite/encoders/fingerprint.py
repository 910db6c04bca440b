"""Require the models that a collection was made with."""

from __future__ import annotations

from pincite.errors import FingerprintMismatch


def require_fingerprint(
    collection: str, what: str, stored: str, ours: str, flags: str = "", instead: str = ""
) -> None:
    """Raise FingerprintMismatch if the collection was made with another model. The hint has the
    command that fixes it with `flags`, and the alternative `instead`."""
    if stored != ours:
        raise FingerprintMismatch(
            f"collection {collection!r} was made with the {what} {stored}, but the current one"
            f" is {ours}",
            hint=f"pincite collections rebuild {collection}{flags}{instead}",
        )
