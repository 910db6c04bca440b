"""The cache of notes by vision models about pictures, in SQLite: key -> note.

It contains pictures only as hashes. Notes are readable, so only the user may read the file.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Final

from pincite.support.databases.cache_file import TextCache

_MARK: Final = 0x50494E49
_BUSY_S: Final = 10.0
_MOST: Final = 50_000  # notes of up to a kilobyte each; the oldest are removed first


def note_key(image: str, fingerprint: str, prompt: str) -> bytes:
    """Return 16 bytes that identify a picture, by its hash, under one model and one prompt."""
    joined = f"{image}\0{fingerprint}\0{prompt}"
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class NoteCache(TextCache):
    """A file of notes by `note_key`."""

    def __init__(self, path: Path, most: int = _MOST) -> None:
        super().__init__(path, "the cache of descriptions", _MARK, "notes", "note", most, _BUSY_S)


def notes_beside(cache: Path) -> NoteCache:
    """Return the cache of notes that is beside the cache of vectors."""
    return NoteCache(cache.with_name("image-notes.db"))
