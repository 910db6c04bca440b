"""Tar files, with any compression that the standard library supports.

A compressed tar can only be read from its beginning, so it is read once, in order. Members that may
become documents are kept, in an anonymous file if they are large.
"""

from __future__ import annotations

import lzma
import tarfile
import tempfile
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, cast

from pincite.errors import SourceError
from pincite.sources.entries import Entry, Skipped, SourceLimits
from pincite.sources.kinds import reject_member
from pincite.sources.members import tidy, unsafe
from pincite.sources.unpacking import TooMuch, Unpacked

if TYPE_CHECKING:
    from pathlib import Path

_DAMAGE = (OSError, EOFError, ValueError, RecursionError, tarfile.TarError, zlib.error,
           lzma.LZMAError)  # fmt: skip
_KEPT_IN_MEMORY = 20_000_000  # bytes; the documents of most archives


@dataclass(frozen=True, slots=True)
class TarMembers:
    """Members of a tar. `places` has the start and the length of each member in `kept`."""

    comment: str
    listing: tuple[Entry | Skipped, ...]
    kept: IO[bytes]
    places: dict[str, tuple[int, int]]

    def read(self, name: str) -> bytes:
        """Return the kept bytes of a member. Raises SourceError."""
        try:
            begin, size = self.places[name]
        except KeyError as error:
            raise SourceError(f"{name} is not in the archive.") from error
        self.kept.seek(begin)
        return self.kept.read(size)

    def close(self) -> None:
        """Release the contents."""
        self.places.clear()
        self.kept.close()


def open_tar(place: Path, limits: SourceLimits, file_types: tuple[str, ...] = ()) -> TarMembers:
    """Open a tar file, and read its members. If it is damaged, the members before the damage are
    kept. `file_types` are those of `reject_member`. Raises SourceError for another file type, or if
    it unpacks to too many times its size."""
    try:
        unpacked = Unpacked(place, limits)
    except (SourceError, *_DAMAGE) as error:
        raise SourceError(f"{place} cannot be opened as a tar file: {error}.") from error
    kept = cast("IO[bytes]", tempfile.SpooledTemporaryFile(_KEPT_IN_MEMORY))  # noqa: SIM115
    try:
        return _read(place, unpacked, kept, limits, file_types)
    except BaseException:
        kept.close()
        raise
    finally:
        unpacked.close()


def _read(
    place: Path,
    unpacked: Unpacked,
    kept: IO[bytes],
    limits: SourceLimits,
    file_types: tuple[str, ...],
) -> TarMembers:
    listing: list[Entry | Skipped] = []
    places: dict[str, tuple[int, int]] = {}
    comment = ""
    try:
        archive = tarfile.open(fileobj=cast("IO[bytes]", unpacked), mode="r:")  # noqa: SIM115
    except TooMuch as error:
        raise _bomb(place, error) from error
    except _DAMAGE as error:
        raise SourceError(f"{place} cannot be opened as a tar file: {error}.") from error
    with archive:
        total = 0
        try:
            while member := archive.next():
                archive.members = []  # type: ignore[attr-defined]  # it would keep them all
                total += member.size
                rest = _rest(total, len(listing), limits)
                if rest:
                    listing.append(Skipped(place.name, "oversize", rest, of_archive=True))
                    break
                if not member.isdir():
                    rejected = reject_member(tidy(member.name), member.size, limits, file_types)
                    listing.append(_take(unpacked, member, kept, places, rejected))
                unpacked.begin_header()
        except TooMuch as error:
            raise _bomb(place, error) from error
        except _DAMAGE as error:
            damage = f"damaged: {error}"
            listing.append(Skipped(place.name, "unreadable", damage, of_archive=True))
        comment = archive.pax_headers.get("comment", "")
    return TarMembers(comment, tuple(listing), kept, places)


def _take(
    unpacked: Unpacked,
    member: tarfile.TarInfo,
    kept: IO[bytes],
    places: dict[str, tuple[int, int]],
    rejected: Skipped | None,
) -> Entry | Skipped:
    name = tidy(member.name)
    if unsafe(member.name):
        return Skipped(member.name, "outside", "the member's name is a path outside of the archive")
    if member.issym() or member.islnk():
        return Skipped(name, "link")
    if not member.isreg() or member.issparse():
        return Skipped(name, "special")
    if rejected:
        return rejected
    if name in places:
        return Skipped(name, "unreadable", "the archive contains this name twice")
    unpacked.seek(member.offset_data)
    raw = unpacked.take(member.size)
    if len(raw) != member.size:
        return Skipped(name, "unreadable", "the archive ends inside this member")
    places[name] = kept.tell(), len(raw)
    kept.write(raw)
    return Entry(name, member.size, zlib.crc32(raw))


def _bomb(place: Path, error: TooMuch) -> SourceError:
    return SourceError(
        f"{place} was not read: {error}.",
        hint="if you trust it, unpack it and index the folder",
    )


def _rest(total: int, members: int, limits: SourceLimits) -> str:
    if total > limits.max_total_bytes:
        return f"unpacks to more than {limits.max_total_bytes:,} bytes; the rest was not read"
    if members >= limits.max_members:
        return f"contains more than {limits.max_members:,} files; the rest was not read"
    return ""
