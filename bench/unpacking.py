"""Unpack archives that benchmarks measure, with each version of Python 3.11."""

from __future__ import annotations

import tarfile
from collections.abc import Sequence
from pathlib import Path


def extract(
    archive: tarfile.TarFile, folder: Path, members: Sequence[tarfile.TarInfo] | None = None
) -> None:
    """Write the members, by default all, below the folder. Raises `tarfile.TarError` for one that
    would be outside of it, is a device, or is a link where Python cannot check links (before
    3.11.4)."""
    checked = archive.getmembers() if members is None else members
    if hasattr(tarfile, "data_filter"):
        archive.extraction_filter = tarfile.data_filter
    else:
        require_plain(checked, folder)
    archive.extractall(folder, checked)


def require_plain(members: Sequence[tarfile.TarInfo], folder: Path) -> None:
    """Raise `tarfile.ReadError` for a member that is no file or folder below the folder."""
    root = folder.resolve()
    for member in members:
        if not (member.isfile() or member.isdir()):
            raise tarfile.ReadError(
                f"{member.name} is a link or device; unpack it with Python 3.11.4 or newer"
            )
        if not (root / member.name).resolve().is_relative_to(root):
            raise tarfile.ReadError(f"{member.name} would be outside of {folder}; remove it")
