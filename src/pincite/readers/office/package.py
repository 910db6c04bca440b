"""Open office files and EPUBs, which are zip files, and check them before any library does."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Final

from pincite.readers.extraction.result import refused

MOST_BYTES: Final = 500_000_000  # unpacked, all members together
_MOST_MEMBERS = 20_000  # guess, unmeasured: a slide deck of 1,000 slides has 4,000
_MOST_RATIO = 200  # unpacked to packed, as of archives
_FREE_BYTES = 10_000_000  # always allowed: sheets of equal rows are packed 100 times
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = 0x1
_DECLARATION: Final = "<!DOCTYPE"
_HEAD = 4096
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError),
    *(ValueError, NotImplementedError, RuntimeError, LookupError),
)


def open_package(raw: bytes, *, markup: bool = True) -> zipfile.ZipFile:
    """Return the opened archive; nothing is unpacked yet. With `markup`, XML members must not
    declare entities, because office programs never do. Raises SourceError for a file that needs a
    password, is not a zip file, or would unpack above a limit."""
    if raw.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in raw:
            raise refused("encrypted", "it needs a password")
        raise refused("failed", "it is an Office file of before 2007: save it in today's format")
    try:
        package = zipfile.ZipFile(io.BytesIO(raw))
        members = package.infolist()
    except _BROKEN as error:
        raise refused("failed", f"it cannot be opened as a zip file: {error}") from error
    if len(members) > _MOST_MEMBERS:
        raise refused("too_large", f"it has {len(members):,} parts")
    total = sum(member.file_size for member in members)
    if total > MOST_BYTES or total > max(_FREE_BYTES, _MOST_RATIO * len(raw)):
        raise refused("too_large", f"it unpacks to {total:,} bytes")
    if any(member.flag_bits & _ENCRYPTED for member in members):
        raise refused("encrypted", "it needs a password")
    if markup:
        for member in members:
            if member.filename.lower().endswith((".xml", ".rels", ".vml")):
                _reject_declarations(package, member)
    return package


def _reject_declarations(package: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    try:
        with package.open(member) as opened:
            head = opened.read(_HEAD)
    except _BROKEN as error:
        raise refused("failed", f"{member.filename} cannot be unpacked: {error}") from error
    for encoding in ("latin-1", "utf-16-le", "utf-16-be"):
        if _DECLARATION in head.decode(encoding, "replace").upper():
            raise refused("failed", f"{member.filename} declares entities, which is not read")


def read_member(package: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of a member; b"" if it does not exist. Raises SourceError."""
    try:
        return package.read(name)
    except KeyError:
        return b""
    except _BROKEN as error:
        raise refused("failed", f"{name} cannot be unpacked: {error}") from error
