"""Uploaded files: kept in a folder for each space, named by their content, never by a client.

    FOLDER/SPACE/ab/abcdef...      the bytes, under their SHA-256

A file is written beside its place and moved there when it is whole, so that what has the name has
the content.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeVar

from pincite.errors import NotFound, UsageError, WorkspaceUnavailable
from pincite.support.capabilities import BINARY, CLOSE_ON_EXEC, sync_path
from pincite.workspace.checks import is_hash, is_id

T = TypeVar("T")
_PIECE: Final = 1 << 20
_STALE_S: Final = 24 * 3600.0  # an upload that takes longer than a day has ended


class TooMuch(UsageError):
    """More bytes than a file may have."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The SHA-256 of a file's bytes in hex, and their number."""

    content_hash: str
    size: int


class FileStore(Protocol):
    """Files of spaces by their content. Raises WorkspaceUnavailable where they are out of reach."""

    async def put(self, space_id: str, pieces: AsyncIterator[bytes], most: int) -> Stored:
        """Keep a file that comes in pieces. Raises TooMuch behind `most` bytes; nothing of it
        stays."""

    async def read(self, space_id: str, content_hash: str) -> bytes:
        """Raises NotFound."""

    def pieces(self, space_id: str, content_hash: str) -> AsyncIterator[bytes]:
        """The same a piece at a time; NotFound comes with the first."""

    async def copy(self, from_space: str, to_space: str, content_hash: str) -> None:
        """Keep a file of one space in another one, too. Raises NotFound."""

    async def older_than(self, age_s: float) -> tuple[tuple[str, str], ...]:
        """(space, hash) of files that were put, or put again, at least so many seconds ago."""

    async def delete(self, space_id: str, content_hash: str) -> None:
        """Also where it is gone already."""


class FolderFiles:
    """A `FileStore` in a folder, which only its owner may read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, space_id: str, pieces: AsyncIterator[bytes], most: int) -> Stored:
        """Keep a file; see `FileStore`."""
        writing = self._new(space_id)
        digest, size = hashlib.sha256(), 0
        try:
            await _done(writing.open)
            async for piece in pieces:
                size += len(piece)
                if size > most:
                    raise TooMuch(f"the file has more than {most:,} bytes")
                digest.update(piece)
                await _done(writing.write, piece)
            stored = Stored(digest.hexdigest(), size)
            await _done(writing.settle, self._path(space_id, stored.content_hash))
        finally:
            writing.close()
        return stored

    async def read(self, space_id: str, content_hash: str) -> bytes:
        """The bytes of a file; see `FileStore`."""
        return await _done(_read, self._path(space_id, content_hash))

    async def pieces(self, space_id: str, content_hash: str) -> AsyncIterator[bytes]:
        """The bytes of a file, a piece at a time; see `FileStore`."""
        path, start = self._path(space_id, content_hash), 0
        while piece := await _done(_piece, path, start):
            yield piece
            start += len(piece)

    async def copy(self, from_space: str, to_space: str, content_hash: str) -> None:
        """Copy a file; see `FileStore`."""
        source = self._path(from_space, content_hash)
        target = self._path(to_space, content_hash)
        await _done(_copy, source, self._new(to_space), target)

    async def older_than(self, age_s: float) -> tuple[tuple[str, str], ...]:
        """What has been there for so long; see `FileStore`."""
        return await _done(_older, self._folder, time.time() - age_s)

    async def delete(self, space_id: str, content_hash: str) -> None:
        """Remove a file; see `FileStore`."""
        await _done(_remove, self._path(space_id, content_hash))

    def _new(self, space_id: str) -> _Writing:
        return _Writing(self._of(space_id) / f".{secrets.token_hex(8)}.part")

    def _of(self, space_id: str) -> Path:
        if not is_id(space_id):
            raise UsageError(f"{space_id!r} is no id of a space")
        return self._folder / space_id

    def _path(self, space_id: str, content_hash: str) -> Path:
        if not is_hash(content_hash):
            raise UsageError(f"{content_hash!r} is no SHA-256")
        return self._of(space_id) / content_hash[:2] / content_hash


@dataclass(slots=True)
class _Writing:
    """A file that is being written beside its place, which goes unless it has got its name."""

    part: Path
    handle: int | None = None

    def open(self) -> None:
        self.handle = _create(self.part)

    def write(self, piece: bytes) -> None:
        assert self.handle is not None
        left = memoryview(piece)
        while left:
            left = left[os.write(self.handle, left) :]

    def settle(self, target: Path) -> None:
        assert self.handle is not None
        os.fsync(self.handle)
        target.parent.mkdir(0o700, exist_ok=True)
        self.part.replace(target)
        sync_path(target.parent)

    def close(self) -> None:
        if self.handle is not None:
            os.close(self.handle)
            with suppress(OSError):
                self.part.unlink(missing_ok=True)


async def _done(work: Callable[..., T], *given: object) -> T:
    """Work on files, in a thread, which whoever is cancelled waits for. Raises WorkspaceUnavailable
    where the disk does not do it."""
    working = asyncio.ensure_future(asyncio.to_thread(work, *given))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise
    except OSError as error:
        raise WorkspaceUnavailable(
            f"uploaded files are out of reach: {error.strerror or error}",
            hint="look at the disk and the rights of the folder of files",
        ) from error


def _create(path: Path) -> int:
    for folder in (*reversed(path.parent.parents), path.parent):
        if not folder.exists():  # `parents=True` would let everybody read those above
            folder.mkdir(0o700, exist_ok=True)
    _tidy(path.parent)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC | BINARY, 0o600)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound("the file is gone") from None


def _piece(path: Path, start: int) -> bytes:
    try:
        with path.open("rb") as given:
            given.seek(start)
            return given.read(_PIECE)
    except FileNotFoundError:
        raise NotFound("the file is gone") from None


def _copy(source: Path, writing: _Writing, target: Path) -> None:
    try:
        with source.open("rb") as given:
            writing.open()
            while piece := given.read(_PIECE):
                writing.write(piece)
        writing.settle(target)
    except FileNotFoundError:
        raise NotFound("the file is gone") from None
    finally:
        writing.close()


def _older(folder: Path, before: float) -> tuple[tuple[str, str], ...]:
    found = []
    for path in sorted(folder.glob("*/??/*")):
        space, content_hash = path.parts[-3], path.name
        if not (is_id(space) and is_hash(content_hash)):
            continue
        with suppress(FileNotFoundError):
            if path.stat().st_mtime <= before:
                found.append((space, content_hash))
    return tuple(found)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def _tidy(folder: Path) -> None:
    """Remove what uploads that were cut off have left."""
    for part in folder.glob(".*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _STALE_S:
                part.unlink()
