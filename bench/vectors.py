"""The product's dense encoder with its document vectors kept on disk, so that reruns are quick."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from bench.frame import SkippedError
from pincite.encoders.bundled import MODEL, open_encoder
from pincite.errors import ModelUnavailable
from pincite.model import Matrix, SparseVector, Vector
from pincite.ports import DenseEncoder, SparseEncoder
from pincite.providers.bundled import cache
from pincite.providers.bundled.fetch import fetch
from pincite.providers.bundled.minilm import MiniLmEncoder

_STEP = 256


class CachedEncoder:
    """A `DenseEncoder` that asks another one only for texts that it has not seen.

    Vectors are kept by (fingerprint, text), which is sound because a vector is a function of its
    text alone. Queries are kept in memory only.
    """

    def __init__(self, encoder: DenseEncoder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._encoder = encoder
        self._queries: dict[str, Vector] = {}
        self._db = sqlite3.connect(folder / "vectors.db", isolation_level=None)
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")
        self.fingerprint = encoder.fingerprint
        self.dimensions = encoder.dimensions
        self.languages = encoder.languages

    async def embed_query(self, text: str) -> Vector:
        """As `DenseEncoder.embed_query`."""
        known = self._queries.get(text)
        if known is None:
            known = self._queries[text] = await self._encoder.embed_query(text)
        return known

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """As `DenseEncoder.embed_documents`."""
        rows: list[Vector] = []
        for start in range(0, len(texts), _STEP):
            rows += await self._step(texts[start : start + _STEP])
        return np.stack(rows) if rows else np.empty((0, self.dimensions), np.float32)

    async def _step(self, texts: Sequence[str]) -> list[Vector]:
        keys = [self._key(text) for text in texts]
        marks = ",".join("?" * len(keys))
        found = {
            key: np.frombuffer(raw, np.float32)
            for key, raw in self._db.execute(
                f"SELECT key, vector FROM vectors WHERE key IN ({marks})",
                keys,
            )
        }
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            fresh = await self._encoder.embed_documents(tuple(missing.values()))
            found |= dict(zip(missing, fresh, strict=True))
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
                [(key, found[key].tobytes()) for key in missing],
            )
        return [found[key] for key in keys]

    def _key(self, text: str) -> bytes:
        digest = blake2b(self.fingerprint.encode(), digest_size=16)
        digest.update(b"\0" + text.encode(errors="surrogatepass"))
        return digest.digest()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def open_product_encoder(models: Path) -> MiniLmEncoder:
    """The encoder that comes with Pincite, fetched if need be. Raises SkippedError."""
    try:
        if cache.find(MODEL, models) is None:
            fetch(MODEL, models)
        return open_encoder(models)
    except ModelUnavailable as error:
        raise SkippedError(f"{error.message}: run {error.hint}") from error


class NoWords:
    """Stands in for the lexical side where only the dense one is measured: no query has a term."""

    idf = True

    def __init__(self, encoder: SparseEncoder) -> None:
        self._encoder = encoder
        self.fingerprint = encoder.fingerprint

    def encode_query(self, text: str) -> SparseVector:  # noqa: ARG002
        """Nothing to search for."""
        return SparseVector((), ())

    def encode_document(self, text: str, average_length: float) -> tuple[SparseVector, int]:
        """As the real one."""
        return self._encoder.encode_document(text, average_length)
