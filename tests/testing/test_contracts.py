"""The suites that users get, on the fakes that users get and on the encoder that comes along."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from pincite.errors import ModelUnavailable
from pincite.ports import DenseEncoder, Reranker, SparseEncoder
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.testing.encoders import CountingContract, DenseEncoderContract
from pincite.testing.fakes import (
    CountingEncoder,
    FailingReranker,
    HashingEncoder,
    OverlapReranker,
)
from pincite.testing.rerankers import RerankerContract


class TestHashingEncoder(DenseEncoderContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[DenseEncoder]:
        yield HashingEncoder()


class TestCountingEncoder(CountingContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[SparseEncoder]:
        yield CountingEncoder()


class TestBm25Encoder(CountingContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[SparseEncoder]:
        yield Bm25Encoder("english")


class TestOverlapReranker(RerankerContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Reranker]:
        yield OverlapReranker()


def test_the_failing_reranker_fails_as_a_provider_does() -> None:
    with pytest.raises(ModelUnavailable):
        asyncio.run(FailingReranker().rerank("fox", ["fox"]))
