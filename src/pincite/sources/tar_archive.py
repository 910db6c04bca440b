"""Tar files, packed in any way that the standard library can unpack.

A packed tar can only be read from its beginning, so it is read once, in order, and the members
that may become documents are kept in memory: files within the limits, none that is binary.
"""

from __future__ import annotations

import lzma
import tarfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.errors import SourceError
from pincite.sources.entries import Entry, Skipped, SourceLimits
from pincite.sources.kinds import reject_name
from pincite.sources.members import tidy, unsafe

if TYPE_CHECKING:
    from pathlib import Path

_DAMAGE = (OSError, EOFError, ValueError, tarfile.TarError, zlib.error, lzma.LZMAError)


@dataclass(frozen=True, slots=True)
class TarMembers:
    """Members in memory."""

    comment: str
    listing: tuple[Entry | Skipped, ...]
    content: dict[str, bytes]

    def read(self, name: str) -> bytes:
        """Look it up."""
        try:
            return self.content[name]
        except KeyError as error:
            raise SourceError(f"{name} is not in the archive.") from error

    def close(self) -> None:
        """Forget the contents."""
        self.content.clear()


def open_tar(place: Path, limits: SourceLimits) -> TarMembers:
    """Raises SourceError where this is no tar file. One that is damaged further on gives what
    comes before."""
    listing: list[Entry | Skipped] = []
    content: dict[str, bytes] = {}
    try:
        archive = tarfile.open(place, mode="r|*")  # noqa: SIM115  # closed by `with` below
    except _DAMAGE as error:
        raise SourceError(f"{place} cannot be opened as a tar file: {error}.") from error
    with archive:
        total = 0
        try:
            for member in archive:
                total += member.size
                if total > limits.max_total_bytes:
                    listing.append(Skipped(place.name, "oversize", _rest(limits)))
                    break
                if not member.isdir():
                    listing.append(_take(archive, member, content, limits))
        except _DAMAGE as error:
            listing.append(Skipped(place.name, "unreadable", f"damaged: {error}"))
        comment = archive.pax_headers.get("comment", "")
    return TarMembers(comment, tuple(listing), content)


def _take(
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    content: dict[str, bytes],
    limits: SourceLimits,
) -> Entry | Skipped:
    name = tidy(member.name)
    if unsafe(member.name):
        return Skipped(member.name, "outside", "the member's name leads out of the archive")
    if member.issym() or member.islnk():
        return Skipped(name, "link")
    if not member.isreg():
        return Skipped(name, "special")
    rejected = reject_name(name, member.size, limits)
    if rejected:
        return rejected
    if name in content:
        return Skipped(name, "unreadable", "the archive holds this name twice")
    opened = archive.extractfile(member)
    raw = opened.read() if opened else b""
    if len(raw) != member.size:
        return Skipped(name, "unreadable", "the archive ends inside this member")
    content[name] = raw
    return Entry(name, member.size, zlib.crc32(raw))


def _rest(limits: SourceLimits) -> str:
    return f"unpacks to more than {limits.max_total_bytes:,} bytes; the rest was not read"
