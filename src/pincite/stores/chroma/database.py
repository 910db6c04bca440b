"""Chroma's client, with its errors translated, and the metadata of its collections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec

from pincite.errors import ConfigError, PinciteError, StoreError
from pincite.model import CollectionSpec
from pincite.support.decodable import ready
from pincite.support.fields import replace
from pincite.support.proxies import proxies_for

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

T = TypeVar("T")

_PAGE = 1_000
_STATE = "pincite"


class State(msgspec.Struct):
    """The metadata of a collection, replaced as a whole. `dimensions` is the size of its vectors, 0
    without any. Every change has a new `version`."""

    owner: str
    spec: CollectionSpec
    dimensions: int
    hidden: frozenset[str] = frozenset()
    version: str = ""


def open_client(url: str, path: Path | None, token: str | None = None) -> ClientAPI:
    """Open a client of a server, or of a folder if `path` is given. Raises ConfigError for an
    invalid address or a missing package, StoreError if the server does not answer."""
    try:
        import chromadb
        from chromadb.config import Settings

        from pincite.stores.chroma.direct import direct_settings
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "chromadb":
            raise
        raise ConfigError(
            "the package chromadb is not installed; the store chroma needs it",
            hint="pip install 'pincite[chroma]'",
        ) from error
    quiet = Settings(anonymized_telemetry=False)
    if path is not None:
        return chromadb.PersistentClient(path, settings=quiet)
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{url!r} is not the address of a Chroma server: use http://HOST:8000")
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 8000)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with proxies_for(url) as proxied:
            given = quiet if proxied else direct_settings()
            return chromadb.HttpClient(
                host=parts.hostname, port=port, ssl=secure, headers=headers, settings=given
            )
    except PinciteError:
        raise
    except Exception as error:
        raise StoreError(
            f"the Chroma server at {url} does not answer: {error}",
            hint="check that the server is running at the address of [store] in pincite.toml",
        ) from error


class Database:
    """A client that runs one call at a time in a thread."""

    def __init__(self, client: ClientAPI, where: str) -> None:
        self.client = client
        self.where = where
        self._lock = asyncio.Lock()

    async def ask(self, verb: str, call: Callable[[], T]) -> T:
        """Return the result of one call. Raises StoreError."""
        async with self._lock:
            try:
                return await asyncio.to_thread(call)
            except PinciteError:
                raise
            except Exception as error:
                said = str(error)[:300] or type(error).__name__
                raise StoreError(
                    f"{self.where} could not {verb}: {said}", hint="pincite status"
                ) from error

    async def close(self) -> None:
        """Close files and connections."""
        close = getattr(self.client, "close", None)  # since 1.4
        if close is not None:
            await self.ask("close", close)

    async def names(self) -> list[str]:
        """Return the names of all collections."""
        return [found.name for found in await self.ask("list", self.client.list_collections)]

    async def open(self, name: str) -> Collection:
        """Return a collection with its current metadata."""
        return await self.ask(
            f"open {name}", lambda: self.client.get_collection(name, embedding_function=None)
        )

    async def create(self, name: str, state: State) -> Collection:
        """Create a collection with cosine distance."""
        return await self.ask(
            f"create {name}",
            lambda: self.client.create_collection(
                name,
                configuration={"hnsw": {"space": "cosine", "ef_search": 200}},
                metadata=_to_metadata(state),
                embedding_function=None,
            ),
        )

    async def drop(self, name: str) -> None:
        """Delete a collection with its contents."""
        await self.ask(f"drop {name}", lambda: self.client.delete_collection(name))

    async def write_state(self, collection: Collection, state: State) -> State:
        """Replace the metadata. Returns them with their version."""
        fresh = replace(state, version=uuid4().hex)
        await self.ask(
            f"write to {collection.name}",
            lambda: collection.modify(metadata=_to_metadata(fresh)),
        )
        return fresh

    async def read_all(self, collection: Collection) -> list[tuple[str, Mapping[str, Any], str]]:
        """Return id, metadata and document of every record."""
        found: list[tuple[str, Mapping[str, Any], str]] = []
        while True:
            part: Any = await self.ask(
                f"read {collection.name}",
                partial(
                    collection.get,
                    limit=_PAGE,
                    offset=len(found),
                    include=["metadatas", "documents"],
                ),
            )
            found += zip(part["ids"], part["metadatas"], part["documents"], strict=True)
            if len(part["ids"]) < _PAGE:
                return found

    async def upsert(
        self,
        collection: Collection,
        keys: list[str],
        vectors: Any,
        metadatas: list[dict[str, Any]],
        documents: list[str],
    ) -> None:
        """Write records in as few calls as the server allows."""
        most = await self.ask("look", self.client.get_max_batch_size)
        for start in range(0, len(keys), most):
            part = slice(start, start + most)
            write = partial(
                collection.upsert,
                ids=keys[part],
                embeddings=vectors[part],
                metadatas=cast("Any", metadatas[part]),
                documents=documents[part],
            )
            await self.ask(f"write to {collection.name}", write)

    async def update(
        self, collection: Collection, metadatas: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Replace the metadata of records, by id, in as few calls as the server allows."""
        most = await self.ask("look", self.client.get_max_batch_size)
        keys = list(metadatas)
        for start in range(0, len(keys), most):
            some = keys[start : start + most]
            write = partial(
                collection.update, ids=some, metadatas=cast("Any", [metadatas[k] for k in some])
            )
            await self.ask(f"write to {collection.name}", write)

    async def delete(self, collection: Collection, keys: list[str]) -> None:
        """Delete records; unknown ids are ignored."""
        most = await self.ask("look", self.client.get_max_batch_size)
        for start in range(0, len(keys), most):
            some = keys[start : start + most]
            await self.ask(
                f"write to {collection.name}",
                lambda s=some: collection.delete(ids=s),  # type: ignore[misc]
            )


def state_of(collection: Collection) -> State | None:
    """Return the metadata of a collection, None if Pincite did not make it."""
    raw = (collection.metadata or {}).get(_STATE)
    return msgspec.json.decode(raw, type=ready(State)) if isinstance(raw, str) else None


def _to_metadata(state: State) -> dict[str, Any]:
    return {_STATE: msgspec.json.encode(state, order="deterministic").decode()}
