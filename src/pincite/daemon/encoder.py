"""The encoder that the daemon keeps warm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pincite.errors import UsageError
from pincite.model import Matrix, Vector
from pincite.ports import Index
from pincite.providers.bundled.known_models import ALL_MINILM_L6_V2, KNOWN_MODELS

_MOST = 16  # documents that a question may bring


class Embedding(Protocol):
    """The daemon, or a client of it."""

    async def embed_query(self, fingerprint: str, text: str, models: str = "") -> Vector:
        """As `DenseEncoder.embed_query`; `models` is where the caller keeps its models. Raises
        ModelUnavailable for an encoder of another fingerprint."""


class Host(Index, Embedding, Protocol):
    """The daemon, as a search inside it sees it."""


def bundled_name(fingerprint: str, model: str = "") -> str:
    """Which of the bundled models has that fingerprint. Where it is none of theirs, as that
    of the `model` of a provider, it is the default one."""
    name = "" if model and not model.startswith("bundled:") else fingerprint.partition("/")[0]
    return name if name in KNOWN_MODELS else ALL_MINILM_L6_V2.name


@dataclass(frozen=True, slots=True)
class QueryEncoder:
    """The daemon's encoder as a `DenseEncoder` for queries of one collection. Its model makes no
    difference between questions and documents; many of these are for the process that indexes."""

    index: Embedding
    models: str
    fingerprint: str
    dimensions: int

    @property
    def languages(self) -> frozenset[str]:
        """As `DenseEncoder.languages`."""
        return frozenset(KNOWN_MODELS[bundled_name(self.fingerprint)].languages)

    async def embed_query(self, text: str) -> Vector:
        return await self.index.embed_query(self.fingerprint, text, self.models)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if len(texts) > _MOST:
            raise UsageError(f"{len(texts)} documents are for the process that indexes to embed")
        import numpy as np

        rows = [await self.embed_query(text) for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.dimensions), np.float32)
