"""Embed the texts of one search pass, or of its probe, once for each model."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from pincite.errors import Unavailable
from pincite.model import SparseVector, Vector
from pincite.ports import DenseEncoder, SparseEncoder
from pincite.ports.tracing import embed_query, model_call
from pincite.support.concurrency import within

ENCODING_SHARE = 0.8  # of the time limit; keyword search has the rest; guess, unmeasured


async def _as_document(encoder: DenseEncoder, text: str) -> Vector:
    with model_call("embeddings", encoder.fingerprint, 1):
        vector: Vector = (await encoder.embed_documents([text]))[0]
    return vector


class QueryVectors:
    """Embeds each text once with each model, however many collections use the model. The time limit
    `limit_s`, in seconds, holds for all texts together, so that time remains for keyword search if
    a model does not respond. A model can read how much of the limit is left, so as not to wait
    longer."""

    def __init__(self, *, shared: bool, limit_s: float) -> None:
        self._shared = shared
        self._limit_s = limit_s
        self._until_s = asyncio.get_running_loop().time() + limit_s
        self._tasks: dict[tuple[str, str], asyncio.Future[Vector]] = {}
        self._sparse: dict[tuple[str, str], SparseVector] = {}

    async def of(self, encoder: DenseEncoder, text: str) -> Vector:
        """Return the vector of `encoder.embed_query`. Raises Unavailable if the time limit is
        reached. If one collection gives up, the request continues for the others."""
        if not self._shared:
            return await self._in_time(self._embedded(encoder, text), encoder)
        key = (encoder.fingerprint, text)
        if key not in self._tasks:
            self._tasks[key] = asyncio.ensure_future(self._embedded(encoder, text))
        return await self._in_time(asyncio.shield(self._tasks[key]), encoder)

    async def of_document(self, encoder: DenseEncoder, text: str) -> Vector:
        """Return the vector that the text would have as a document. Raises as `of`."""
        key = (f"document {encoder.fingerprint}", text)
        if key not in self._tasks:
            self._tasks[key] = asyncio.ensure_future(self._as_document(encoder, text))
        return await self._in_time(asyncio.shield(self._tasks[key]), encoder)

    async def _embedded(self, encoder: DenseEncoder, text: str) -> Vector:
        async with within(self._until_s - asyncio.get_running_loop().time()):
            return await embed_query(encoder, text)

    async def _as_document(self, encoder: DenseEncoder, text: str) -> Vector:
        async with within(self._until_s - asyncio.get_running_loop().time()):
            return await _as_document(encoder, text)

    async def _in_time(self, work: Awaitable[Vector], encoder: DenseEncoder) -> Vector:
        try:
            async with asyncio.timeout_at(self._until_s):
                return await work
        except TimeoutError as error:
            said = f"{encoder.fingerprint} returned no vector within {self._limit_s:g} s"
            hint = (
                "try the model with `pincite doctor`, or increase retrieve.timeout_s: four fifths"
                " of it are for vectors"
            )
            raise Unavailable(said, hint=hint) from error

    def sparse_of(self, encoder: SparseEncoder, text: str) -> SparseVector:
        """Return the sparse vector of `encoder.encode_query`."""
        key = (encoder.fingerprint, text)
        if key not in self._sparse:
            self._sparse[key] = encoder.encode_query(text)
        return self._sparse[key]

    def close(self) -> None:
        """Cancel all requests that are still running."""
        for task in self._tasks.values():
            task.cancel()
