"""Select the environment variables for a child process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

#: Addresses of databases contain passwords.
_SECRET: Final = ("KEY", "TOKEN", "SECRET", "PASSWORD", "PGPASS", "DATABASE", "DSN")


def without_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables except those that may hold a key or a password."""
    return {name: value for name, value in environ.items() if not _may_be_secret(name)}


def _may_be_secret(name: str) -> bool:
    return any(word in name.upper() for word in _SECRET)
