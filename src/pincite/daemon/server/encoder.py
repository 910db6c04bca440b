"""The encoder that the daemon keeps loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from pincite.errors import ModelUnavailable, UsageError
from pincite.model import Matrix, Vector
from pincite.ports import DenseEncoder, Index
from pincite.providers.bundled.known_models import ALL_MINILM_L6_V2, KNOWN_MODELS

_MOST = 16  # documents of one request


class Embedding(Protocol):
    """The daemon, or a client of it."""

    async def embed_query(self, fingerprint: str, text: str, models: str = "") -> Vector:
        """Embed as `DenseEncoder.embed_query`; `models` is the folder of the caller's models.
        Raises ModelUnavailable for an encoder of another fingerprint."""


class Host(Index, Embedding, Protocol):
    """The daemon, as seen by a search inside it."""


def bundled_name(fingerprint: str, model: str = "") -> str:
    """Return the name of the bundled model with that fingerprint. If none has it, as for the
    `model` of a provider, return the default one."""
    name = "" if model and not model.startswith("bundled:") else fingerprint.partition("/")[0]
    return name if name in KNOWN_MODELS else ALL_MINILM_L6_V2.name


async def embed_as(encoder: DenseEncoder, fingerprint: str, text: str) -> Vector:
    """Embed the query with the encoder. Raises ModelUnavailable if it has another fingerprint."""
    if encoder.fingerprint != fingerprint:
        raise ModelUnavailable(
            f"the index was made with {fingerprint}, but the model here is {encoder.fingerprint}",
            hint="pincite collections rebuild NAME",
        )
    return await encoder.embed_query(text)


class QueryEncoder(msgspec.Struct, frozen=True):
    """The daemon's encoder as a `DenseEncoder` for queries of one collection. Its model makes no
    difference between questions and documents. A few documents can be embedded, too; the indexing
    process embeds larger numbers."""

    index: Embedding
    models: str
    fingerprint: str
    dimensions: int

    @property
    def languages(self) -> frozenset[str]:
        """See `DenseEncoder.languages`."""
        return frozenset(KNOWN_MODELS[bundled_name(self.fingerprint)].languages)

    async def embed_query(self, text: str) -> Vector:
        return await self.index.embed_query(self.fingerprint, text, self.models)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if len(texts) > _MOST:
            raise UsageError(f"{len(texts)} documents were given to the encoder of queries")
        import numpy as np

        rows = [await self.embed_query(text) for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.dimensions), np.float32)
