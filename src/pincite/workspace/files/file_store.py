"""The port of uploaded files, and what its adapters share."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, Protocol

from pincite.errors import UsageError, WorkspaceUnavailable
from pincite.workspace.checks import is_hash, is_id

#: An upload in progress that is older than a day has failed.
STALE_S: Final = 24 * 3600.0
#: With this age `older_than` returns every file, whatever the clocks of a place say.
ANY_AGE_S: Final = -10.0 * 365 * 24 * 3600
MARK: Final = "database.id"  #: the name of a store's mark, in a folder or a bucket
File = tuple[str, str]  #: a space, and the hash of a file's content


class TooMuch(UsageError):
    """A file has more bytes than allowed."""


class DamagedFile(WorkspaceUnavailable):
    """The bytes of a file differ from the bytes that were stored."""

    def __init__(self) -> None:
        super().__init__(
            "an uploaded file no longer has its original content",
            hint="restore the file from a backup, or upload the document's content again",
        )


@dataclass(frozen=True, slots=True)
class Stored:
    """The SHA-256 of a file's bytes in hex, and their number."""

    content_hash: str
    size: int


class Measure:
    """Hash and count the pieces of a file as they pass, up to `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most, self._digest, self._size = most, hashlib.sha256(), 0

    def take(self, piece: bytes) -> bytes:
        """Count a piece and return it unchanged. Raise TooMuch."""
        self._size += len(piece)
        if self._size > self._most:
            raise TooMuch(f"the file has more than {self._most:,} bytes")
        self._digest.update(piece)
        return piece

    @property
    def stored(self) -> Stored:
        """Return the hash and the size of the pieces so far."""
        return Stored(self._digest.hexdigest(), self._size)


class FileStore(Protocol):
    """Files of spaces, by their content. Methods raise WorkspaceUnavailable if the store cannot be
    reached."""

    async def put(self, space_id: str, pieces: AsyncIterator[bytes], most: int) -> Stored:
        """Store a file that arrives in pieces. Raise TooMuch after `most` bytes and remove what was
        written."""

    async def read(self, space_id: str, content_hash: str) -> bytes:
        """Return the bytes of a file. Raise NotFound."""

    def pieces(self, space_id: str, content_hash: str) -> AsyncIterator[bytes]:
        """Yield the bytes of a file in pieces. Raise NotFound before the first piece."""

    async def copy(self, from_space: str, to_space: str, content_hash: str) -> None:
        """Copy a file of one space into another one. Raise NotFound."""

    async def older_than(self, age_s: float) -> tuple[tuple[str, str], ...]:
        """Return (space, hash) of files that were last stored at least `age_s` seconds ago."""

    async def delete(self, space_id: str, content_hash: str, age_s: float | None = None) -> None:
        """Delete a file; a missing one is no error. With `age_s` only a file of the age that
        `older_than` takes is deleted, so that a file that was stored again in the meantime
        stays."""

    async def read_mark(self) -> str:
        """Return the text of the last `mark`, empty if there was none."""

    async def mark(self, text: str) -> None:
        """Store a short text beside the files. It does not count as a file."""


def require_space(space_id: str) -> str:
    """Return the id, which becomes part of a path. Raise UsageError for a value that is no id."""
    if not is_id(space_id):
        raise UsageError(f"{space_id!r} is not the id of a space")
    return space_id


def require_place(space_id: str, content_hash: str) -> str:
    """Return `SPACE/ab/abcdef...`, the name of a file in a space. Raise UsageError for a value that
    is no id or no hash."""
    if not is_hash(content_hash):
        raise UsageError(f"{content_hash!r} is not a SHA-256")
    return f"{require_space(space_id)}/{content_hash[:2]}/{content_hash}"


async def checked(pieces: AsyncIterator[bytes], content_hash: str) -> AsyncIterator[bytes]:
    """Yield the pieces of a file; the last one only if the whole file has this hash. Raise
    DamagedFile otherwise, so that no reader takes the bytes for the file."""
    digest, held = hashlib.sha256(), b""
    async for piece in pieces:
        digest.update(piece)
        if held:
            yield held
        held = piece
    if digest.hexdigest() != content_hash:
        raise DamagedFile
    if held:
        yield held
