"""The current folder, which may have been removed."""

from __future__ import annotations

from collections.abc import Iterable
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


def folder_for(paths: Iterable[str]) -> str | None:
    """Return the current folder for these paths, None if it is gone and no path needs it. Raises
    UsageError if a path begins with `./` or `../`, or is `.` or `..`."""
    try:
        return str(current_folder())
    except UsageError:
        if any(path in (".", "..") or path.startswith(("./", "../")) for path in paths):
            raise
        return None
