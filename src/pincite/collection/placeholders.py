"""Stand-ins for parts that another program's collection does not have yet: model, sparse side,
connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pincite.encoders.by_name import CollectionEncoder
from pincite.errors import ModelUnavailable, UsageError
from pincite.model import (
    Chunk,
    DocumentRecord,
    Matrix,
    Ranking,
    SparseVector,
    Vector,
)
from pincite.ports import Readable, SearchRequest, Stored
from pincite.settings.sections.models import BUNDLED

if TYPE_CHECKING:
    from pincite.providers.registry import HostedEncoder


class LateReadable:
    """A `Readable` that connects at its first use, because importing the server's client takes
    longer than a search."""

    def __init__(self, connect: Callable[[], Readable]) -> None:
        self._connect = connect

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        return await self._connect().documents(collection, source)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        return await self._connect().search(collection, request)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        return await self._connect().load(collection, ids, vectors=vectors)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        return await self._connect().document(collection, source, path)

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        return await self._connect().chunk_ids(collection, documents)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        return await self._connect().page(collection, after, limit)


class NamedEncoder(CollectionEncoder):
    """The model that the configuration names. It cannot be verified that this model made the
    vectors; only their dimensions are compared, at each search."""

    async def opened(self) -> HostedEncoder:
        if self._encoder is None:
            self._encoder = await self._models.dense(self.name)
        return self._encoder


class MissingEncoder:
    """The bundled model if it was not fetched: each query raises ModelUnavailable."""

    fingerprint = BUNDLED
    dimensions = 0
    languages = frozenset({"english"})

    def __init__(self, error: ModelUnavailable) -> None:
        self._error = error

    async def embed_query(self, text: str) -> Vector:  # noqa: ARG002 - whatever it is
        raise ModelUnavailable(self._error.message, hint=self._error.hint)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        raise UsageError(f"{len(texts)} documents were given to the encoder of queries")


class NoSparse:
    """The sparse encoder of a collection without sparse vectors."""

    fingerprint = ""
    idf = False

    def encode_query(self, text: str) -> SparseVector:  # noqa: ARG002 - whatever it is
        return SparseVector((), ())

    def encode_document(
        self,
        text: str,  # noqa: ARG002 - whatever it is
        average_length: float,  # noqa: ARG002
    ) -> tuple[SparseVector, int]:
        return SparseVector((), ()), 0
