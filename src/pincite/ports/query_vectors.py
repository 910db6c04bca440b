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
#: A cached vector is read in less, whatever is left of a time budget. # guess, unmeasured
_LEAST_S = 0.1


async def _as_document(encoder: DenseEncoder, text: str) -> Vector:
    with model_call("embeddings", encoder.fingerprint, 1):
        vector: Vector = (await encoder.embed_documents([text]))[0]
    return vector


class BudgetSpent(Unavailable):
    """A model returned no vector within the time budget of the search."""


class QueryVectors:
    """Embeds each text once with each model, however many collections use the model. The time limit
    `limit_s`, in seconds, holds for all texts together, so that time remains for keyword search if
    a model does not respond. A model can read how much of the limit is left, so as not to wait
    longer. `budget_ms` is what the time budget of the search has left, None for no budget. It ends
    the wait of texts that are `hurried`, but not before a cached vector can be read."""

    def __init__(self, *, shared: bool, limit_s: float, budget_ms: float | None = None) -> None:
        self._shared = shared
        self._limit_s = limit_s
        now_s = asyncio.get_running_loop().time()
        self._until_s = now_s + limit_s
        self._hurried_until_s = self._until_s
        if budget_ms is not None:
            self._hurried_until_s = min(self._until_s, now_s + max(_LEAST_S, budget_ms / 1000))
        self._tasks: dict[tuple[str, str], asyncio.Future[Vector]] = {}
        self._sparse: dict[tuple[str, str], SparseVector] = {}

    async def of(self, encoder: DenseEncoder, text: str, *, hurried: bool = False) -> Vector:
        """Return the vector of `encoder.embed_query`. Raises Unavailable if the time limit is
        reached, and BudgetSpent if a `hurried` text exceeds the budget. If one collection gives up,
        the request continues for the others."""
        if not self._shared:
            return await self._in_time(self._embedded(encoder, text), encoder, hurried=hurried)
        key = (encoder.fingerprint, text)
        if key not in self._tasks:
            self._tasks[key] = asyncio.ensure_future(self._embedded(encoder, text))
        return await self._in_time(asyncio.shield(self._tasks[key]), encoder, hurried=hurried)

    async def of_document(
        self, encoder: DenseEncoder, text: str, *, hurried: bool = False
    ) -> Vector:
        """Return the vector that the text would have as a document. Raises as `of`."""
        key = (f"document {encoder.fingerprint}", text)
        if key not in self._tasks:
            self._tasks[key] = asyncio.ensure_future(self._as_document(encoder, text))
        return await self._in_time(asyncio.shield(self._tasks[key]), encoder, hurried=hurried)

    async def _embedded(self, encoder: DenseEncoder, text: str) -> Vector:
        async with within(self._until_s - asyncio.get_running_loop().time()):
            return await embed_query(encoder, text)

    async def _as_document(self, encoder: DenseEncoder, text: str) -> Vector:
        async with within(self._until_s - asyncio.get_running_loop().time()):
            return await _as_document(encoder, text)

    async def _in_time(
        self, work: Awaitable[Vector], encoder: DenseEncoder, *, hurried: bool
    ) -> Vector:
        until_s = self._hurried_until_s if hurried else self._until_s
        try:
            async with asyncio.timeout_at(until_s):
                return await work
        except TimeoutError as error:
            if until_s < self._until_s:
                late = f"{encoder.fingerprint} returned no vector within the time budget"
                raise BudgetSpent(late, hint="increase budget_ms, or leave it out") from error
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
