"""Archives to list."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

METADATA = "Metadata-Version: 2.1\nName: Some-Package\nVersion: 1.2.3\n\nName: not this\n"


def zipped(place: Path, files: dict[str, str], comment: bytes = b"") -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        archive.comment = comment
    return place


def tarred(place: Path, files: dict[str, str], mode: str = "w:gz") -> Path:
    with tarfile.open(place, mode) as archive:  # type: ignore[call-overload]
        for name, text in files.items():
            add(archive, name, text)
    return place


def add(
    archive: tarfile.TarFile, name: str, text: str = "x", kind: bytes = tarfile.REGTYPE
) -> None:
    member = tarfile.TarInfo(name)
    member.type = kind
    member.linkname = "a.md" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
    raw = text.encode() if kind == tarfile.REGTYPE else b""
    member.size = len(raw)
    archive.addfile(member, io.BytesIO(raw))
