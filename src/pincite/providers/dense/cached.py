"""An encoder that sends to its model only the texts that are not in the cache."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from pincite.model import Matrix, Vector
from pincite.ports import DenseEncoder, GroupedEncoder
from pincite.providers.dense.vector_cache import VectorCache, key_of
from pincite.providers.registry import HostedEncoder


@runtime_checkable
class TakingEncoder(Protocol):
    """An encoder that can pass on the vectors of each request as they arrive."""

    async def embed_taking(
        self, texts: Sequence[str], take: Callable[[int, Matrix], None]
    ) -> Matrix:
        """Embed as `embed_documents` does. `take` is called once for each request, with the
        position of the first row and rows of shape (texts, dimensions)."""


class CachedEncoder:
    """A `HostedEncoder` in front of another one. Equal texts are sent once. Texts are sent in
    batches that keep the model busy. The vectors of each request are cached as they arrive, so a
    failed run loses none of them."""

    def __init__(self, encoder: HostedEncoder, cache: VectorCache) -> None:
        self.encoder = encoder
        self._cache = cache
        self.name = encoder.name
        self.fingerprint = encoder.fingerprint
        self.dimensions = encoder.dimensions
        self.languages = encoder.languages
        self.batch_items = encoder.batch_items

    async def embed_query(self, text: str) -> Vector:
        key = key_of(self.fingerprint, "query", [text])
        found = await self._get([key])
        if key in found:
            known: Vector = found[key][0]
            return known
        vector = await self.encoder.embed_query(text)
        await self._put({key: vector[None, :]})
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        keys = [key_of(self.fingerprint, "document", [text]) for text in texts]
        found = await self._get(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        unknown = list(missing)
        for start in range(0, len(unknown), self.batch_items):
            some = unknown[start : start + self.batch_items]
            found |= await self._made(some, [missing[key] for key in some])
        if not keys:
            return np.empty((0, self.dimensions), dtype=np.float32)
        matrix: Matrix = np.concatenate([found[key] for key in keys]).astype(np.float32)
        return matrix

    async def _made(self, keys: Sequence[bytes], texts: Sequence[str]) -> dict[bytes, Matrix]:
        """Embed texts and cache the vectors. A `TakingEncoder` caches those of each request at
        once, also if another request fails."""
        if not isinstance(self.encoder, TakingEncoder):
            rows = await self.encoder.embed_documents(texts)
            made = {key: row[None, :] for key, row in zip(keys, rows, strict=True)}
            await self._put(made)
            return made
        made = {}
        writing: list[asyncio.Task[None]] = []

        def take(start: int, rows: Matrix) -> None:
            part = {keys[start + n]: row[None, :].copy() for n, row in enumerate(rows)}
            made.update(part)
            writing.append(asyncio.create_task(self._put(part)))

        try:
            await self.encoder.embed_taking(texts, take)
        finally:
            await asyncio.gather(*writing)
        return made

    async def close(self) -> None:
        """Close the encoder; the cache stays open for others."""
        await self.encoder.close()

    async def _get(self, keys: Sequence[bytes]) -> dict[bytes, Matrix]:
        return await asyncio.to_thread(self._cache.get, keys, self.dimensions)

    async def _put(self, vectors: dict[bytes, Matrix]) -> None:
        await asyncio.to_thread(self._cache.put, self.fingerprint, vectors)


class CachedGroupedEncoder(CachedEncoder):
    """The same for contextual models: a document is cached as a whole or not at all."""

    def __init__(self, encoder: HostedEncoder, grouped: GroupedEncoder, cache: VectorCache) -> None:
        super().__init__(encoder, cache)
        self._grouped = grouped

    async def embed_grouped(self, documents: Sequence[Sequence[str]]) -> tuple[Matrix, ...]:
        """See `GroupedEncoder.embed_grouped`."""
        keys = [key_of(self.fingerprint, "grouped", chunks) for chunks in documents]
        found = await self._get(keys)
        for key, chunks in zip(keys, documents, strict=True):
            if key in found and len(found[key]) != len(chunks):
                del found[key]
        missing = {k: chunks for k, chunks in zip(keys, documents, strict=True) if k not in found}
        if missing:
            made = await self._grouped.embed_grouped(list(missing.values()))
            new = dict(zip(missing, made, strict=True))
            await self._put({key: matrix for key, matrix in new.items() if len(matrix)})
            found |= new
        return tuple(found[key] for key in keys)


def cached(encoder: HostedEncoder, cache: VectorCache | None) -> HostedEncoder:
    """Return the encoder with the cache in front of it, or unchanged if there is no cache."""
    if cache is None:
        return encoder
    if isinstance(encoder, GroupedEncoder):
        return CachedGroupedEncoder(encoder, encoder, cache)
    return CachedEncoder(encoder, cache)


def uncached(encoder: DenseEncoder) -> DenseEncoder:
    """Return the encoder that a cached encoder wraps, or the same one if it has no cache."""
    return encoder.encoder if isinstance(encoder, CachedEncoder) else encoder
