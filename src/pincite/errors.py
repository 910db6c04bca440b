"""The errors that callers may see. Adapters translate their vendor's errors into these, once.

    PinciteError
    ├── UsageError            a bad option, path or query: something that cannot be
    │   └── ConfigError       a setting or profile that is unknown or contradicts itself
    ├── SourceError           a file, folder, checkout or archive could not be read
    ├── IndexUnavailable      no index, no owner process, or it does not answer
    │   ├── IndexNotFound     nothing has been indexed here
    │   └── IndexTooNew       written by a newer version of Pincite
    ├── FingerprintMismatch   the index was made with another encoder, analyser or chunker
    ├── StoreError            the engine refused or lost something
    │   └── DiskFull          not enough free space to write safely
    ├── InvalidPoint          a vector or payload that the engine must never see
    └── ModelUnavailable      weights that cannot be had or do not match their checksum

Every message says what failed, on what, and what to do next; `hint` is the next command to run.
"""

from __future__ import annotations


class PinciteError(Exception):
    """Base of all errors that Pincite raises on purpose. `hint` is a command or an action."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  try: {self.hint}" if self.hint else self.message


class UsageError(PinciteError):
    """A bad option, path or query."""


class ConfigError(UsageError):
    """An unknown or contradictory setting."""


class SourceError(PinciteError):
    """A source that could not be read."""


class IndexUnavailable(PinciteError):
    """The index does not answer."""


class IndexNotFound(IndexUnavailable):
    """Nothing has been indexed here."""


class IndexTooNew(IndexUnavailable):
    """The index was written by a newer version."""


class FingerprintMismatch(PinciteError):
    """The index was made by other encoders than the ones in use."""


class StoreError(PinciteError):
    """The engine refused an operation."""


class DiskFull(StoreError):
    """Not enough free space to write safely."""


class InvalidPoint(PinciteError):
    """A point that must not reach the engine."""


class ModelUnavailable(PinciteError):
    """Weights that cannot be had, or that are not what they should be."""
