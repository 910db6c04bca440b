"""The cache of questions rewritten by language models, in SQLite: (model, prompt, question) ->
text.

Questions are stored only as hashes. The models' texts are readable, so only the user may read the
file.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from hashlib import blake2b
from pathlib import Path
from typing import Final

from pincite.support.databases.cache_file import TextCache

Key = tuple[str, str, str]

_MARK: Final = 0x50494E51
_BUSY_S: Final = 0.5  # the longest wait of a search
_MOST: Final = 10_000  # texts of up to _CHARS each; the oldest are removed first
_CHARS: Final = 10_000  # the default limit of 400 tokens is a fifth of it


class Wordings(MutableMapping[Key, str]):
    """Texts by model, prompt and question: in memory, and in the file if there is one. The
    mapping's length and deletions concern the memory; the file keeps the `most` that were stored
    last."""

    def __init__(self, path: Path | None, most: int = _MOST) -> None:
        """Prepare the cache. The file is opened at its first use."""
        self.path = path
        given = ("the cache of rephrasings", _MARK, "wordings", "text", most, _BUSY_S)
        self._file = None if path is None else TextCache(path, *given)
        self._memory: dict[Key, str] = {}

    def __getitem__(self, key: Key) -> str:
        if key not in self._memory:
            text = self._read(key)
            if text is None:
                raise KeyError(key)
            self._memory[key] = text
        return self._memory[key]

    def __setitem__(self, key: Key, text: str) -> None:
        self._memory[key] = text
        if self._file is not None and len(text) <= _CHARS:
            self._file.put({_hash(key): text})

    def __delitem__(self, key: Key) -> None:
        del self._memory[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._memory)

    def __len__(self) -> int:
        return len(self._memory)

    def kept(self) -> int:
        """Return the number of texts in the file, without creating it. Raises as `forget`."""
        return self._file.kept() if self._file is not None else 0

    def forget(self) -> int | None:
        """Erase everything; return the number of texts in the file, or None if that failed because
        the file may be in use. Raises StoreError for a damaged file or that of another program,
        IndexTooNew for that of a newer version."""
        self._memory.clear()
        return self._file.forget() if self._file is not None else 0

    def _read(self, key: Key) -> str | None:
        hashed = _hash(key)
        text = self._file.get([hashed]).get(hashed) if self._file is not None else None
        return text if isinstance(text, str) and len(text) <= _CHARS else None


def wordings_beside(cache: Path | None) -> Wordings:
    """Return the cache beside the cache of vectors; in memory only if there is no such path."""
    return Wordings(cache.with_name("wordings.db") if cache else None)


def _hash(key: Key) -> bytes:
    """Return 16 bytes that identify a question under one model and one prompt."""
    digest = blake2b(digest_size=16)
    for part in key:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.digest()
