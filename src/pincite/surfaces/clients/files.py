"""Read and atomically replace settings files of other programs."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pincite.errors import SourceError
from pincite.support.capabilities import USERS, open_to_read

#: The file of Claude Code also has the history of projects. 32 MB are parsed in some seconds.
_MOST_BYTES = 32_000_000
_BACKUP = ".pincite-backup"


@dataclass(frozen=True, slots=True)
class File:
    """A file with the content that was read. `place` is its path after resolving links, `raw` is
    None if the file does not exist."""

    path: Path
    place: Path
    raw: bytes | None

    @property
    def text(self) -> str:
        """Return the text, "" for a missing file. Raises SourceError if it is not UTF-8."""
        try:
            return (self.raw or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{self.path} is not valid UTF-8 at byte {error.start}: nothing was written",
                hint="convert the file to UTF-8",
            ) from error

    @property
    def backup(self) -> Path:
        """Return the path of its backup."""
        return self.place.with_name(self.place.name + _BACKUP)


def read(path: Path) -> File:
    """Read a file, which need not exist. Raises SourceError if it is not a regular file, cannot be
    read, or is too large."""
    try:
        place = path.resolve()
        handle = open_to_read(place, follow=True)
    except (FileNotFoundError, NotADirectoryError):
        return File(path, place, None)
    except (OSError, RuntimeError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"{path} cannot be read: {said}") from error
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise SourceError(f"{path} is not a regular file: nothing was written")
    with os.fdopen(handle, "rb") as opened:
        if status.st_size > _MOST_BYTES:
            raise SourceError(
                f"{path} has {status.st_size:,} bytes, which is too large for a settings file"
            )
        return File(path, place, opened.read())


def write(file: File, raw: bytes) -> None:
    """Replace the content of the file; its mode and owner stay. Raises SourceError, and leaves the
    file unchanged, also if it has changed since it was read."""
    _replace(file, file.place, raw, like=file.place)


def keep(file: File) -> None:
    """Store the content of the file in its backup. Raises SourceError."""
    if file.raw is not None:
        _replace(file, file.backup, file.raw, like=file.place)


def kept(file: File) -> bytes | None:
    """Return the content of the backup, None if there is none."""
    return read(file.backup).raw


def forget(file: File) -> None:
    """Delete the backup."""
    with suppress(OSError):
        file.backup.unlink()


def delete(file: File, *, below: Path | None = None) -> None:
    """Delete the file, and folders inside `below` that become empty. Raises SourceError."""
    _require_unchanged(file)
    try:
        file.place.unlink()
    except OSError as error:
        raise SourceError(f"{file.path} cannot be removed: {error.strerror}") from error
    folder = file.place.parent
    with suppress(OSError):  # stops at the first folder that is not empty
        while below is not None and folder != below and folder.is_relative_to(below):
            folder.rmdir()
            folder = folder.parent


def _replace(file: File, place: Path, raw: bytes, *, like: Path) -> None:
    _require_unchanged(file)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        status = like.stat() if like.exists() else None
        if status and not status.st_mode & 0o222:
            raise SourceError(
                f"{file.path} is read-only: nothing was written", hint=f"chmod u+w '{file.path}'"
            )
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
        made = Path(name)
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(raw)
                opened.flush()
                os.fsync(handle)
            made.chmod(stat.S_IMODE(status.st_mode) if status else 0o666 & ~_umask())
            if USERS and status and (status.st_uid, status.st_gid) != (os.getuid(), os.getgid()):
                os.chown(made, status.st_uid, status.st_gid)
            made.replace(place)
        except BaseException:
            made.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SourceError(
            f"{place} cannot be written: {error.strerror}", hint="nothing was changed"
        ) from error


def _require_unchanged(file: File) -> None:
    if read(file.path).raw != file.raw:
        raise SourceError(
            f"another program just changed {file.path}: nothing was written",
            hint="run the same command again",
        )


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
