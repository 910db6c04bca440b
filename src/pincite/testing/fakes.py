"""Small deterministic fakes of models: their output depends on the text alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from hashlib import blake2b

import numpy as np

from pincite.errors import ModelUnavailable
from pincite.model import Matrix, SignalKind, SparseVector, Vector
from pincite.ports import Completion, Finish, Message, RerankScore

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\s*\S+\s*\Z|\s*\S+|\s+")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text.lower())


def _number(word: str, size: int) -> int:
    raw = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(raw, digest_size=8).digest(), "big") % size


class HashingEncoder:
    """A `DenseEncoder`: every word adds a direction of its own, so texts with the same words are
    close."""

    def __init__(self, dimensions: int = 16) -> None:
        self.fingerprint = f"hashing/{dimensions}"
        self.dimensions = dimensions
        self.languages: frozenset[str] = frozenset()

    def vector(self, text: str) -> Vector:
        """Return the vector of a text."""
        total = np.zeros(self.dimensions, dtype=np.float64)
        total[0] = 1e-3  # a text without words has a direction, too
        for word in words(text):
            state = np.random.default_rng(_number(word, 2**63))
            total += state.standard_normal(self.dimensions)
        vector: Vector = (total / np.linalg.norm(total)).astype(np.float32)
        return vector

    async def embed_query(self, text: str) -> Vector:
        return self.vector(text)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        rows = [self.vector(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)


class CountingEncoder:
    """A `SparseEncoder`: the weight of a word is its count, damped by the length."""

    fingerprint = "counting"
    idf = True

    def encode_query(self, text: str) -> SparseVector:
        return _sparse({word: float(count) for word, count in Counter(words(text)).items()})

    def encode_document(self, text: str, average_length: float) -> tuple[SparseVector, int]:
        found = words(text)
        norm = 0.5 + 0.5 * len(found) / average_length
        weights = {word: count / (count + norm) for word, count in Counter(found).items()}
        return _sparse(weights), len(found)


def _sparse(weights: dict[str, float]) -> SparseVector:
    by_id: dict[int, float] = {}
    for word, weight in weights.items():
        index = _number(word, 2**32)
        by_id[index] = by_id.get(index, 0.0) + weight
    indices = tuple(sorted(by_id))
    return SparseVector(indices, tuple(by_id[index] for index in indices))


class OverlapReranker:
    """A `Reranker`: the score is the share of the query's words that a document has."""

    fingerprint = "overlap"
    kind: SignalKind = "probability"
    listwise = False
    instructed = False

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",  # noqa: ARG002
    ) -> tuple[RerankScore, ...]:
        asked = set(words(query))
        scores = [
            RerankScore(index, len(asked & set(words(document))) / max(1, len(asked)))
            for index, document in enumerate(documents)
        ]
        scores.sort(key=lambda one: (-one.score, one.index))
        return tuple(scores[:top_n])


class FailingReranker:
    """A `Reranker` whose model is never available."""

    fingerprint = "failing"
    kind: SignalKind = "logit"
    listwise = False
    instructed = False

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        raise ModelUnavailable(
            f"this reranker always fails: {query!r}, {len(documents)} documents, top {top_n}"
            f" {instruction}"
        )


class ScriptedLLM:
    """An `LLM` that returns these answers in turn, then the last one again, and keeps the messages
    in `asked`."""

    fingerprint = "scripted"

    def __init__(self, *answers: str) -> None:
        self._answers = answers
        self.asked: list[tuple[Message, ...]] = []

    async def complete(
        self, messages: Sequence[Message], *, max_tokens: int | None = None
    ) -> Completion:
        answer = self._answers[min(len(self.asked), len(self._answers) - 1)]
        self.asked.append(tuple(messages))
        pieces = _PIECE.findall(answer)
        finish: Finish = "stop" if max_tokens is None or len(pieces) <= max_tokens else "length"
        return Completion("".join(pieces[:max_tokens]), finish)

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int | None = None,
        on_finish: Callable[[Finish], None] | None = None,
    ) -> AsyncIterator[str]:
        answer = await self.complete(messages, max_tokens=max_tokens)
        for piece in _PIECE.findall(answer.text):
            yield piece
        if on_finish is not None:
            on_finish(answer.finish)

    async def close(self) -> None:
        """Do nothing: nothing is open."""
