"""The current folder, which may have been removed."""

from __future__ import annotations

from pathlib import Path

from pincite.errors import UsageError


def current_folder() -> Path:
    """Return the current folder. Raises UsageError if it is gone or cannot be read."""
    try:
        return Path.cwd()
    except OSError as error:
        raise UsageError(
            f"the current folder no longer exists or cannot be read: {error.strerror}",
            hint="cd to another one",
        ) from error
