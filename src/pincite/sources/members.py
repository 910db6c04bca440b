"""What the two families of archives have in common: a listing, and bytes by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from pincite.sources.entries import Entry, Skipped

ZIP_SUFFIXES = (".whl", ".zip")
TAR_SUFFIXES = (
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst",
)  # fmt: skip


def is_archive(place: Path) -> bool:
    """By name only: content is not looked at."""
    return place.name.lower().endswith((*ZIP_SUFFIXES, *TAR_SUFFIXES)) and place.is_file()


class Members(Protocol):
    """The regular members of an archive, under the names that they have in it."""

    @property
    def comment(self) -> str:
        """The archive's comment: `git archive` writes the commit here. Often empty."""

    @property
    def listing(self) -> tuple[Entry | Skipped, ...]:
        """In no particular order; each readable name once."""

    def read(self, name: str) -> bytes:
        """Raises SourceError."""

    def close(self) -> None:
        """Let go of the file."""


def unsafe(name: str) -> bool:
    """Does this member's name lead out of the archive, or mean nothing as a path?"""
    parts = name.replace("\\", "/").split("/")
    return (
        not name
        or name.startswith(("/", "\\"))
        or ".." in parts
        or parts[0].endswith(":")
        or "\0" in name
    )


def tidy(name: str) -> str:
    """`./a//b` is `a/b`; lone surrogates, which no reader could write down, are replaced."""
    parts = (part for part in name.split("/") if part not in ("", "."))
    return "/".join(parts).encode("utf-8", "replace").decode("utf-8")
