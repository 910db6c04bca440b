"""Zip files and wheels."""

from __future__ import annotations

import io
import lzma
import stat
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.errors import SourceError
from pincite.sources.entries import Entry, Skipped, SourceLimits
from pincite.sources.kinds import reject_member
from pincite.sources.members import tidy, unsafe

if TYPE_CHECKING:
    from pathlib import Path

_ENCRYPTED = 0x1
_UTF_8 = 0x800  # the flag of a name in UTF-8; others are decoded as code page 437
_DIRECTORY_BYTES = 40_000_000  # 200 for each of 200,000 members; a member takes 600 in memory


class _Packed(io.FileIO):
    """A zip file that limits the size of its directory, which `zipfile` reads in one piece."""

    opened = False

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes. Raises BadZipFile for a directory above the limit."""
        if not self.opened and size is not None and size > _DIRECTORY_BYTES:
            raise zipfile.BadZipFile(f"its directory is larger than {_DIRECTORY_BYTES:,} bytes")
        found = super().read(size)
        return found or b""


@dataclass(frozen=True, slots=True)
class ZipMembers:
    """Members of a zip file. Each is unpacked when it is read."""

    packed: _Packed
    archive: zipfile.ZipFile
    comment: str
    listing: tuple[Entry | Skipped, ...]
    by_name: dict[str, zipfile.ZipInfo]
    limits: SourceLimits

    def read(self, name: str) -> bytes:
        """Return the bytes of a member. At most the limit is unpacked, whatever size the member
        claims. Raises SourceError."""
        limit = self.limits.most_bytes(name)
        try:
            with self.archive.open(self.by_name[name]) as member:
                raw = member.read(limit + 1)
        except (OSError, EOFError, RuntimeError, ValueError, NotImplementedError, KeyError,
                MemoryError, zipfile.BadZipFile, zlib.error, lzma.LZMAError) as error:  # fmt: skip
            raise SourceError(f"{name} cannot be unpacked: {error}.") from error
        if len(raw) > limit:
            raise SourceError(f"{name} unpacks to more than the limit of {limit:,} bytes.")
        return raw

    def close(self) -> None:
        """Close the archive."""
        self.archive.close()
        self.packed.close()


def open_zip(place: Path, limits: SourceLimits, file_types: tuple[str, ...] = ()) -> ZipMembers:
    """Open a zip file. Raises SourceError for another file type. `file_types` are those of
    `reject_member`."""
    try:
        packed = _Packed(place)
        try:
            archive = zipfile.ZipFile(packed)
        except BaseException:
            packed.close()
            raise
        packed.opened = True
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise SourceError(f"{place} cannot be opened as a zip file: {error}.") from error
    listing: list[Entry | Skipped] = []
    by_name: dict[str, zipfile.ZipInfo] = {}
    total = 0
    for info in archive.infolist():
        if info.is_dir():
            continue
        named = _name_of(info)
        name = tidy(named)
        found = _judge(info, named, limits, file_types)
        if isinstance(found, Entry):
            total += info.file_size
            if name in by_name:
                found = Skipped(name, "unreadable", "the archive contains this name twice")
            elif total > limits.max_total_bytes:
                found = Skipped(name, "oversize", "the archive unpacks to more than the limit")
            else:
                by_name[name] = info
        listing.append(found)
        if len(listing) >= limits.max_members:
            rest = f"contains more than {limits.max_members:,} files; the rest was not read"
            listing.append(Skipped(place.name, "oversize", rest, of_archive=True))
            break
    comment = archive.comment.decode("ascii", "replace")
    return ZipMembers(packed, archive, comment, tuple(listing), by_name, limits)


def _name_of(info: zipfile.ZipInfo) -> str:
    """Return the name of a member. macOS and older Java write UTF-8 without saying so."""
    if info.flag_bits & _UTF_8 or info.filename.isascii():
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _judge(
    info: zipfile.ZipInfo, named: str, limits: SourceLimits, file_types: tuple[str, ...]
) -> Entry | Skipped:
    mode, name = info.external_attr >> 16, tidy(named)
    if unsafe(named):
        return Skipped(named, "outside", "the member's name is a path outside of the archive")
    if mode and stat.S_ISLNK(mode):
        return Skipped(name, "link")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return Skipped(name, "special")
    if info.flag_bits & _ENCRYPTED:
        return Skipped(name, "unreadable", "the member is encrypted")
    rejected = reject_member(name, info.file_size, limits, file_types)
    if rejected:
        return rejected
    if info.file_size > 100_000 and info.file_size > limits.max_ratio * info.compress_size:
        return Skipped(name, "oversize", f"unpacks to more than {limits.max_ratio} times its size")
    return Entry(name, info.file_size, info.CRC)
