"""Collections of other programs, opened as `[collections.NAME]` says, and only read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from pincite.encoders import LazyEncoder
from pincite.errors import ConfigError, ModelUnavailable, PinciteError, StoreError, UsageError
from pincite.foreign_settings import ForeignSettings
from pincite.hosted import CollectionEncoder, Models, rung_of
from pincite.model import (
    Chunk,
    CollectionSpec,
    DocumentRecord,
    Matrix,
    Ranking,
    SparseVector,
    Vector,
)
from pincite.model_settings import BUNDLED
from pincite.owner.encoder import Embedding, QueryEncoder
from pincite.ports import (
    CollectionInfo,
    DenseEncoder,
    Readable,
    Searchable,
    SearchRequest,
    SparseEncoder,
    Stored,
)
from pincite.sparse_models import open_sparse
from pincite.stores.fields import Foreign
from pincite.stores.foreign_ids import PointIds

if TYPE_CHECKING:
    from pincite.providers.registry import HostedEncoder
    from pincite.settings import Settings
    from pincite.stores.qdrant.connection import Connection
    from pincite.stores.qdrant.foreign import ForeignCollection

T = TypeVar("T")

_LOOK_S: Final = 5.0  # what `pincite status` waits for a server
_ID = re.compile(r"#?([0-9a-f]{8,32})")


class ForeignCollections:
    """All that the settings name. Nothing is imported, opened or asked before it is needed, and a
    server that is away costs its own collections only."""

    def __init__(self, settings: Settings, models: Models) -> None:
        self._settings = settings
        self._named: Mapping[str, ForeignSettings] = settings.foreign
        self._models = models
        self._open: dict[str, ForeignCollection] = {}
        self._connections: list[Connection] = []

    def __bool__(self) -> bool:
        return bool(self._named)

    def refuse(self, name: str) -> None:
        """Raise UsageError for a collection that is only read."""
        if name in self._named:
            raise UsageError(
                f"{name} is {self._where(name)}, made by another program: it is only read",
                hint=f"another name, or take [collections.{name}] out of pincite.toml",
            )

    async def searchables(
        self, owner: Embedding, infos: Sequence[CollectionInfo]
    ) -> dict[str, Searchable]:
        """Each by its name, none asked yet. `owner` has the bundled model, `infos` are the
        collections of the index. Raises ConfigError for a name that one of these has, too."""
        for name in sorted(self._named.keys() & {info.spec.name for info in infos}):
            raise ConfigError(
                f"there are two collections {name!r}: one of the index, and {self._where(name)}",
                hint=f"give [collections.{name}] in pincite.toml another name",
            )
        return {name: await self._searchable(name, owner) for name in self._named}

    async def _searchable(self, name: str, owner: Embedding) -> Searchable:
        one = self._named[name]
        dense = self._dense(name, owner)
        sparse: SparseEncoder = _NoSparse()
        if one.sparse:
            sparse = await open_sparse(self._models, one.sparse_model, one.language)
        spec = self._spec(name)
        return Searchable(
            spec=replace(spec, dense=dense.fingerprint, sparse=sparse.fingerprint),
            index=_Late(partial(self._collection, name)),
            sparse=sparse,
            dense=dense,
            code=one.kind == "code",
            rung=rung_of(spec.model),
            kinds=frozenset((one.kind,)),
        )

    def known(self) -> tuple[CollectionInfo, ...]:
        """What there is, without asking anybody."""
        return tuple(self._info(name) for name in sorted(self._named))

    async def infos(self) -> tuple[CollectionInfo, ...]:
        """What there is, by name; `broken` says why one cannot be searched."""
        return tuple(await asyncio.gather(*(self._looked(name) for name in sorted(self._named))))

    async def _looked(self, name: str) -> CollectionInfo:
        info = self._info(name)
        try:
            async with asyncio.timeout(_LOOK_S):
                seen = await self._collection(name).look()
        except TimeoutError:
            return replace(info, broken=f"{name}: no answer within {_LOOK_S:g} s")
        except PinciteError as error:
            return replace(info, broken=error.message)
        spec = replace(info.spec, dimensions=seen.dimensions, idf=seen.idf)
        kinds = {self._named[name].kind: seen.points}
        return replace(info, spec=spec, chunks=seen.points, kinds=kinds)

    def _info(self, name: str) -> CollectionInfo:
        return CollectionInfo(self._spec(name), (), 0, 0, 0, foreign=self._where(name))

    def readable(self) -> Mapping[str, Readable]:
        """Each by its name, to read from."""
        return {name: _Late(partial(self._collection, name)) for name in self._named}

    async def find(self, prefix: str) -> tuple[str, Chunk] | None:
        """The point whose id begins with these hex digits, and its collection; where points have
        numbers all 32 are needed. Servers that do not answer have none."""
        if _ID.fullmatch(prefix) is None:
            return None
        for name, index in self.readable().items():
            try:
                if len(prefix) == 32:
                    chunks = [stored.chunk for stored in await index.load(name, [prefix])]
                else:
                    chunks = list(await index.page(name, prefix, 1))
            except (StoreError, UsageError):
                continue
            if chunks and chunks[0].id.startswith(prefix):
                return name, chunks[0]
        return None

    async def unless_theirs(self, locator: str, reading: Awaitable[T]) -> T:
        """What `reading` gives. Raises a better UsageError where it was asked to read from one of
        these."""
        try:
            return await reading
        except UsageError as error:
            raise await self._instead_of(error, locator) from error

    async def _instead_of(self, error: UsageError, locator: str) -> UsageError:
        name = locator.partition(":")[0].partition("@")[0]
        if asked := _ID.fullmatch(locator):
            tagged = [one for one in self._named if asked[1].startswith(PointIds(one).tag)]
            found = None if tagged else await self.find(asked[1])
            name = tagged[0] if tagged else found[0] if found else ""
        if name not in self._named:
            return error
        return UsageError(
            f"{locator} is of {name}, {self._where(name)}: its source is not indexed here",
            hint='its text is in the pack: pincite search "..." --json',
        )

    async def close(self) -> None:
        """Hang up on all servers."""
        self._open.clear()
        while self._connections:
            await self._connections.pop().close()

    def _where(self, name: str) -> str:
        return f"{self._named[name].qdrant} at {self._named[name].url}"

    def _collection(self, name: str) -> ForeignCollection:
        if name not in self._open:
            from pincite.stores.qdrant.connection import Connection, open_client
            from pincite.stores.qdrant.foreign import ForeignCollection

            one = self._named[name]
            key = self._settings.key_of(one)
            client = open_client(one.url, key, grpc_port=None, timeout_s=one.timeout_s)
            connection = Connection(client, one.url)
            self._connections.append(connection)
            spec = self._spec(name)
            foreign = Foreign(
                name=name,
                collection=one.qdrant,
                fields=one.field_map(name),
                vector=one.vector,
                sparse=one.sparse,
                dimensions=spec.dimensions,
                model=one.model,
            )
            self._open[name] = ForeignCollection(connection, foreign, spec)
        return self._open[name]

    def _spec(self, name: str) -> CollectionSpec:
        """What the settings say. The size of the bundled model is known, others are opened late."""
        one = self._named[name]
        bundled = self._bundled() if one.model == BUNDLED else None
        return CollectionSpec(
            name=name,
            sparse=one.sparse and one.sparse_model,
            chunker="",
            dense=one.model,
            dimensions=bundled.dimensions if isinstance(bundled, LazyEncoder) else 0,
            language=one.language,
            model="" if one.model == BUNDLED else one.model,
            sparse_model=one.sparse and one.sparse_model,
        )

    def _dense(self, name: str, owner: Embedding) -> DenseEncoder:
        if self._named[name].model != BUNDLED:
            return _NamedEncoder(self._models, self._spec(name))
        bundled = self._bundled()
        if isinstance(bundled, ModelUnavailable):
            return _Missing(bundled)
        models = str(self._settings.models)
        return QueryEncoder(owner, models, bundled.fingerprint, bundled.dimensions)

    def _bundled(self) -> LazyEncoder | ModelUnavailable:
        try:
            return LazyEncoder(self._settings.models)
        except ModelUnavailable as error:
            return error


class _Late:
    """A `Readable` that is connected to with its first use: importing the server's client takes
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

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        return await self._connect().page(collection, after, limit)


class _NamedEncoder(CollectionEncoder):
    """The model that the configuration names. Whether it is the one that the vectors were made with
    nobody can tell; their dimensions are compared with each search."""

    async def opened(self) -> HostedEncoder:
        if self._encoder is None:
            self._encoder = await self._models.dense(self.name)
        return self._encoder


class _Missing:
    """The bundled model where it has not been fetched: every use says so."""

    fingerprint = BUNDLED
    dimensions = 0
    languages = frozenset({"english"})

    def __init__(self, error: ModelUnavailable) -> None:
        self._error = error

    async def embed_query(self, text: str) -> Vector:  # noqa: ARG002 - whatever it is
        raise ModelUnavailable(self._error.message, hint=self._error.hint)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        raise UsageError(f"{len(texts)} documents are not for a search to embed")


class _NoSparse:
    """The sparse side of a collection without one."""

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
