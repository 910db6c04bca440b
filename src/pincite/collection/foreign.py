"""Collections of other programs, which `[collections.NAME]` configures and Pincite only reads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from pincite.collection.placeholders import LateReadable, MissingEncoder, NamedEncoder, NoSparse
from pincite.daemon.server.encoder import Embedding, QueryEncoder
from pincite.encoders.bundled import open_encoder
from pincite.encoders.by_name import Models, rung_of
from pincite.encoders.sparse import open_sparse
from pincite.errors import (
    ConfigError,
    ModelUnavailable,
    PinciteError,
    StoreError,
    TagsRequired,
    UsageError,
)
from pincite.model import Chunk, CollectionSpec
from pincite.ports import (
    CollectionInfo,
    DenseEncoder,
    Readable,
    Searchable,
    SparseEncoder,
)
from pincite.settings.sections.foreign import ForeignSettings
from pincite.settings.sections.models import BUNDLED
from pincite.stores.fields import Foreign
from pincite.stores.foreign_ids import PointIds
from pincite.support.arguments import require_kind
from pincite.support.fields import replace

if TYPE_CHECKING:
    from pincite.providers.bundled.minilm import MiniLmEncoder
    from pincite.settings.load import Settings
    from pincite.stores.qdrant.connection import Connection
    from pincite.stores.qdrant.foreign import ForeignCollection

T = TypeVar("T")

_LOOK_S: Final = 5.0  # seconds that `pincite status` waits for a server
_ID = re.compile(r"#?([0-9a-f]{8,32})")


class ForeignCollections:
    """The collections of other programs that the settings name. Nothing is imported, opened or
    requested before it is needed, and a server that does not answer affects only its own
    collections."""

    def __init__(self, settings: Settings, models: Models) -> None:
        self._settings = settings
        self._named: Mapping[str, ForeignSettings] = settings.foreign
        self._models = models
        self._open: dict[str, ForeignCollection] = {}
        self._connections: list[Connection] = []

    def __bool__(self) -> bool:
        return bool(self._named)

    def refuse(self, name: str) -> None:
        """Raise UsageError for a name that is not a text, and for the name of one of these
        collections. An empty name is the default."""
        require_kind("collection", name, str, "the name of a collection")
        name = name or self._settings.indexed_collection
        if name in self._named:
            raise UsageError(
                f"{name} is {self._where(name)}, made by another program: Pincite only reads it",
                hint=f"use another name, or remove [collections.{name}] from pincite.toml",
            )

    async def searchables(
        self, daemon: Embedding, infos: Sequence[CollectionInfo]
    ) -> dict[str, Searchable | PinciteError]:
        """Return each collection by its name, or the error why it cannot be searched; no request is
        sent. `daemon` has the bundled model, `infos` are the collections of the index. Raises
        ConfigError for a name that a collection of the index has, too."""
        taken = {name for info in infos for name in (info.spec.name, info.spec.public_name)}
        for name in sorted(self._named.keys() & taken):
            raise ConfigError(
                f"two collections are named {name!r}: one of the index, and {self._where(name)}",
                hint=f"rename [collections.{name}] in pincite.toml",
            )
        return {name: await self._searchable(name, daemon) for name in self._named}

    async def _searchable(self, name: str, daemon: Embedding) -> Searchable | PinciteError:
        one = self._named[name]
        sparse: SparseEncoder = NoSparse()
        try:
            dense = self._dense(name, daemon)
            if one.sparse:
                sparse = await open_sparse(self._models, one.sparse_model, one.language)
        except PinciteError as error:
            return error
        spec = self._spec(name)
        return Searchable(
            spec=replace(spec, dense=dense.fingerprint, sparse=sparse.fingerprint),
            index=LateReadable(partial(self._collection, name)),
            sparse=sparse,
            dense=dense,
            code=one.kind == "code",
            rung=rung_of(spec.model),
            kinds=frozenset((one.kind,)),
            foreign=True,
            store="qdrant",
            depth=one.depth,
            weight=one.weight,
        )

    def known(self) -> tuple[CollectionInfo, ...]:
        """Return the collections by name. No request is sent."""
        return tuple(self._info(name) for name in sorted(self._named))

    async def infos(self) -> tuple[CollectionInfo, ...]:
        """Return the collections by name, as their servers describe them; `broken` says why one
        cannot be searched."""
        return tuple(await asyncio.gather(*(self._looked(name) for name in sorted(self._named))))

    async def _looked(self, name: str) -> CollectionInfo:
        info = self._info(name)
        try:
            async with asyncio.timeout(_LOOK_S):
                seen = await self._collection(name).look()
        except TimeoutError:
            return replace(info, broken=f"the collection {name}: no answer within {_LOOK_S:g} s")
        except PinciteError as error:
            return replace(info, broken=error.message)
        spec = replace(info.spec, dimensions=seen.dimensions, idf=seen.idf)
        kinds = {self._named[name].kind: seen.points}
        return replace(info, spec=spec, chunks=seen.points, kinds=kinds)

    def _info(self, name: str) -> CollectionInfo:
        return CollectionInfo(self._spec(name), (), 0, 0, 0, foreign=self._where(name))

    def readable(self) -> Mapping[str, Readable]:
        """Return each collection by its name, for reading."""
        return {name: LateReadable(partial(self._collection, name)) for name in self._named}

    async def find(self, prefix: str) -> tuple[str, Chunk] | None:
        """Return the collection and the point whose id begins with these hex digits, None if there
        is none. All 32 digits are needed if ids are numbers. Servers that do not answer are
        skipped."""
        if _ID.fullmatch(prefix) is None:
            return None
        found = await asyncio.gather(
            *(self._first(name, index, prefix) for name, index in self.readable().items())
        )
        return next((one for one in found if one is not None), None)

    async def _first(self, name: str, index: Readable, prefix: str) -> tuple[str, Chunk] | None:
        try:
            async with asyncio.timeout(_LOOK_S):
                if len(prefix) == 32:
                    chunks = [stored.chunk for stored in await index.load(name, [prefix])]
                else:
                    chunks = list(await index.page(name, prefix, 1))
        except (StoreError, UsageError, TimeoutError):
            return None
        return (name, chunks[0]) if chunks and chunks[0].id.startswith(prefix) else None

    async def explain_misses(self, locator: str, reading: Awaitable[T]) -> T:
        """Return the result of `reading`. Raises a better UsageError if the locator names one of
        these collections."""
        try:
            return await reading
        except TagsRequired:
            raise
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
            hint='the evidence pack has its text: pincite search "..." --json',
        )

    async def close(self) -> None:
        """Close the connections to all servers."""
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
        """Return the spec that the settings describe. The size of the bundled model is known; other
        models are opened later."""
        one = self._named[name]
        size = 0
        if one.model == BUNDLED and not isinstance(bundled := self._bundled(), ModelUnavailable):
            size = bundled.dimensions
        return CollectionSpec(
            name=name,
            sparse=one.sparse and one.sparse_model,
            chunker="",
            dense=one.model,
            dimensions=size,
            language=one.language,
            model="" if one.model == BUNDLED else one.model,
            sparse_model=one.sparse and one.sparse_model,
        )

    def _dense(self, name: str, daemon: Embedding) -> DenseEncoder:
        if self._named[name].model != BUNDLED:
            return NamedEncoder(self._models, self._spec(name))
        bundled = self._bundled()
        if isinstance(bundled, ModelUnavailable):
            return MissingEncoder(bundled)
        models = str(self._settings.models)
        return QueryEncoder(daemon, models, bundled.fingerprint, bundled.dimensions)

    def _bundled(self) -> MiniLmEncoder | ModelUnavailable:
        try:
            return open_encoder(self._settings.models, load=False)
        except ModelUnavailable as error:
            return error
