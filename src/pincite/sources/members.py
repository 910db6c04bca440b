"""The common interface of zip and tar archives: a listing, and bytes by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from pincite.support.valid_text import valid_text

if TYPE_CHECKING:
    from pathlib import Path

    from pincite.sources.entries import Entry, Skipped

ZIP_SUFFIXES = (".whl", ".zip")
TAR_SUFFIXES = (
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst",
)  # fmt: skip
_DRIVE = re.compile(r"[A-Za-z]:")


def is_archive(place: Path) -> bool:
    """Return whether a place is an archive, by name only: its content is not read."""
    return place.name.lower().endswith((*ZIP_SUFFIXES, *TAR_SUFFIXES)) and place.is_file()


class Members(Protocol):
    """The regular members of an archive, under their names in it."""

    @property
    def comment(self) -> str:
        """Return the archive's comment: `git archive` writes the commit here. Often empty."""

    @property
    def listing(self) -> tuple[Entry | Skipped, ...]:
        """Return the members in no particular order; each readable name once."""

    def read(self, name: str) -> bytes:
        """Return the bytes of a member. Raises SourceError."""

    def close(self) -> None:
        """Close the file."""


def unsafe(name: str) -> bool:
    """Return whether this member's name leads out of the archive, or is no valid path. No member is
    written to disk, so a name may begin with a backslash, or like an address."""
    parts = name.replace("\\", "/").split("/")
    return (
        set(parts) <= {"", "."}
        or name.startswith("/")
        or ".." in parts
        or _DRIVE.fullmatch(parts[0]) is not None
        or "\0" in name
    )


def tidy(name: str) -> str:
    """Normalise `./a//b` to `a/b`; lone surrogates, which cannot be encoded, are replaced."""
    parts = (part for part in name.split("/") if part not in ("", "."))
    return valid_text("/".join(parts))
