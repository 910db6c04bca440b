"""Store uploaded files in one folder for each space. The hash of the content is the name; names of
clients are not used.

    FOLDER/SPACE/ab/abcdef...      the bytes, under their SHA-256

A file is written beside its place and moved there when it is complete. So a file with a name has
the content of that name.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
import stat
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from pincite.errors import NotFound, WorkspaceUnavailable
from pincite.support.capabilities import BINARY, CLOSE_ON_EXEC, sync_path
from pincite.workspace.checks import is_hash, is_id
from pincite.workspace.files.file_store import (
    MARK,
    STALE_S,
    DamagedFile,
    Measure,
    Stored,
    checked,
    require_place,
    require_space,
)

T = TypeVar("T")
_PIECE: Final = 1 << 20


class FolderFiles:
    """A `FileStore` in a folder that only its owner can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, space_id: str, pieces: AsyncIterator[bytes], most: int) -> Stored:
        """Store a file; see `FileStore`."""
        writing = self._new(space_id)
        measure = Measure(most)
        try:
            await _done(writing.open)
            async for piece in pieces:
                await _done(writing.write, measure.take(piece))
            stored = measure.stored
            await _done(writing.settle, self._path(space_id, stored.content_hash))
        finally:
            writing.close()
        return stored

    async def read(self, space_id: str, content_hash: str) -> bytes:
        """Return the bytes of a file; see `FileStore`."""
        raw = await _done(_read, self._path(space_id, content_hash))
        if await asyncio.to_thread(_hash_of, raw) != content_hash:
            raise DamagedFile
        return raw

    async def pieces(self, space_id: str, content_hash: str) -> AsyncIterator[bytes]:
        """Yield the bytes of a file in pieces; see `FileStore`."""
        async with aclosing(self._raw(self._path(space_id, content_hash))) as raw:
            async for piece in checked(raw, content_hash):
                yield piece

    async def copy(self, from_space: str, to_space: str, content_hash: str) -> None:
        """Copy a file; see `FileStore`."""
        source = self._path(from_space, content_hash)
        target = self._path(to_space, content_hash)
        await _done(_copy, source, self._new(to_space), target)

    async def older_than(self, age_s: float) -> tuple[tuple[str, str], ...]:
        """Return files of at least that age; see `FileStore`."""
        return await _done(_older, self._folder, time.time() - age_s)

    async def delete(self, space_id: str, content_hash: str, age_s: float | None = None) -> None:
        """Remove a file; see `FileStore`."""
        before = None if age_s is None else time.time() - age_s
        await _done(_remove, self._path(space_id, content_hash), before)

    async def read_mark(self) -> str:
        """Return the mark of the folder; see `FileStore`."""
        try:
            return (await _done(_read, self._folder / MARK)).decode("utf-8", "replace")
        except NotFound:
            return ""

    async def mark(self, text: str) -> None:
        """Store the mark of the folder; see `FileStore`."""
        writing = _Writing(self._folder / f".{secrets.token_hex(8)}.part")
        await _done(_write, writing, text.encode(), self._folder / MARK)

    async def _raw(self, path: Path) -> AsyncGenerator[bytes, None]:
        start = 0
        while piece := await _done(_piece, path, start):
            yield piece
            start += len(piece)

    def _new(self, space_id: str) -> _Writing:
        return _Writing(self._of(space_id) / f".{secrets.token_hex(8)}.part")

    def _of(self, space_id: str) -> Path:
        return self._folder / require_space(space_id)

    def _path(self, space_id: str, content_hash: str) -> Path:
        return self._folder / require_place(space_id, content_hash)


@dataclass(slots=True)
class _Writing:
    """A file that is being written beside its place. It is removed unless it was moved to its
    name."""

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
    """Run work on files in a thread. A cancelled caller waits for its end. Raise
    WorkspaceUnavailable if the file system fails."""
    working = asyncio.ensure_future(asyncio.to_thread(work, *given))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise
    except OSError as error:
        raise WorkspaceUnavailable(
            f"uploaded files are out of reach: {error.strerror or error}",
            hint="check the disk and the permissions of the folder of files",
        ) from error


def _hash_of(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def _create(path: Path) -> int:
    for folder in (*reversed(path.parent.parents), path.parent):
        if not folder.exists():  # `parents=True` would let everybody read the folders above
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


def _write(writing: _Writing, raw: bytes, target: Path) -> None:
    try:
        writing.open()
        writing.write(raw)
        writing.settle(target)
    finally:
        writing.close()


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
            told = path.stat()
            if (
                stat.S_ISREG(told.st_mode) and told.st_mtime <= before
            ):  # reading a pipe would never end
                found.append((space, content_hash))
    return tuple(found)


def _remove(path: Path, before: float | None) -> None:
    with suppress(FileNotFoundError):
        if before is None or path.stat().st_mtime <= before:
            path.unlink()


def _tidy(folder: Path) -> None:
    """Remove the files of interrupted uploads."""
    for part in folder.glob(".*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > STALE_S:
                part.unlink()
