"""An index without an owning process: its points are on a Qdrant server, everything else is in
PostgreSQL.

Any number of processes of any machines open it, without a daemon. A daemon can cache the list of
collections and their references, because it is the only writer; here they are read again. Writers
take turns (`database_leases`), and repairs are made only under a lease.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from pincite import version
from pincite.catalog.postgres import PostgresCatalog
from pincite.daemon.refresh.freshness import Condition, Freshness, Wish
from pincite.daemon.server.encoder import bundled_name, embed_as
from pincite.daemon.server.idle_memory import memory_mb
from pincite.daemon.wire import protocol
from pincite.errors import ConfigError
from pincite.index.database_leases import DatabaseLeases, Held
from pincite.index.folder import fresh_owner
from pincite.index.local import LocalIndex
from pincite.index.recovery import reconcile
from pincite.index.refs import Refs
from pincite.model import Chunk, CollectionSpec, Vector
from pincite.ports import DenseEncoder, Store
from pincite.stores.open_store import open_qdrant
from pincite.stores.settings import StoreSettings
from pincite.support.databases.postgres import Pool

if TYPE_CHECKING:
    from pincite.daemon.wire.messages import Answer, RemoteSearch
    from pincite.stores.qdrant.store import QdrantStore

P = ParamSpec("P")
T = TypeVar("T")
_Method = Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]

Check = Callable[[str], Coroutine[Any, Any, None]]
#: The methods of a store that need no lease: they read, tidy up or close. All others are guarded.
UNGUARDED: Final = frozenset(
    "search load vectors of_revision revisions staged page export flush optimise close".split()
)
_SPECS_S: Final = (
    1.0  # seconds for which a search reuses the state of a collection; guess, unmeasured
)


class SharedParts(LocalIndex):
    """A `LocalIndex` whose store and catalog have other writers, too."""

    def __init__(self, store: QdrantStore, catalog: PostgresCatalog, check: Check) -> None:
        guarded: Any = GuardedStore(store, check)
        super().__init__(guarded, catalog)
        self._server = store
        self._may = check
        self._refs = _FreshRefs(catalog)
        self._read_s = -_SPECS_S

    async def look_again(self, *, now: bool = False) -> None:
        """Read the list of collections, unless that was done a moment ago."""
        if not now and time.monotonic() - self._read_s < _SPECS_S:
            return
        specs = {spec.name: spec for spec in await self._catalog.specs()}
        for spec in specs.values():
            if self._specs.get(spec.name) != spec:
                await self._server.attach(spec)
        self._specs = specs
        self._read_s = time.monotonic()

    async def know(self, collection: str) -> None:
        """Read a collection that another process may just have made."""
        await self.look_again(now=collection not in self._specs)

    async def check(self) -> None:
        """Raise StoreError if the database or the server does not answer."""
        await self.look_again(now=True)
        for name in sorted(self._specs)[:1]:
            await self._store.staged(name)

    async def repair(self, base: str) -> None:
        """Complete or undo the unfinished change of the previous writer."""
        await self.look_again(now=True)
        for spec in tuple(self._specs.values()):
            if spec.public_name == base:
                await self._store.create(spec)
                self._lost[spec.name] = await reconcile(self._store, self._catalog, spec.name)

    async def settle(self, collection: str) -> None:
        await self._may(collection)  # the store forgets what this process has removed
        await super().settle(collection)

    async def _write(self, collection: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        async def looked() -> T:
            await self.look_again(now=True)
            return await work()

        return await super()._write(collection, looked)


class _FreshRefs(Refs):
    """References that are looked up each time, because others may have written."""

    async def apply(self, collection: str, chunks: Sequence[Chunk]) -> list[Chunk]:
        self.forget(collection)
        return await super().apply(collection, chunks)


class GuardedStore:
    """A store that refuses writes of a process that has lost its lease."""

    def __init__(self, store: Store, check: Check) -> None:
        self._store = store
        self._check = check

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name in UNGUARDED:
            return method

        async def checked(changed: str | CollectionSpec, *rest: object) -> Any:
            await self._check(changed if isinstance(changed, str) else changed.name)
            return await method(changed, *rest)

        return checked


def shared(method: _Method[P, T]) -> _Method[P, T]:
    """Return the method of `LocalIndex`, applied to the parts that are open in this loop."""
    called = method.__name__

    async def call(self: SharedIndex, /, *args: P.args, **kwargs: P.kwargs) -> T:
        parts = await self._parts()
        if args and isinstance(args[0], str):
            await parts.know(args[0])
        else:
            await parts.look_again()
        result: T = await getattr(parts, called)(*args, **kwargs)
        return result

    return call


class SharedIndex:
    """`protocol.ServedIndex` of a database and a Qdrant server. Nothing is connected before the
    first request."""

    def __init__(self, address: str, store: StoreSettings, key: str | None, models: Path) -> None:
        """`address` is that of the operator, `key` that of the Qdrant server."""
        self._pool = Pool(address)
        self._store = store
        self._key = key
        self._models = models
        self._held = Held()
        self.leases = DatabaseLeases(self._pool, self._held, self._repair)
        self._open: SharedParts | None = None
        self._place: tuple[int, asyncio.AbstractEventLoop] | None = None
        self._opening = asyncio.Lock()
        self._encoders: dict[str, asyncio.Future[DenseEncoder]] = {}

    collections = shared(LocalIndex.collections)
    sources = shared(LocalIndex.sources)
    create = shared(LocalIndex.create)
    drop = shared(LocalIndex.drop)
    reset = shared(LocalIndex.reset)
    put_source = shared(LocalIndex.put_source)
    forget = shared(LocalIndex.forget)
    documents = shared(LocalIndex.documents)
    documents_after = shared(LocalIndex.documents_after)
    replace = shared(LocalIndex.replace)
    touch = shared(LocalIndex.touch)
    remove = shared(LocalIndex.remove)
    search = shared(LocalIndex.search)
    load = shared(LocalIndex.load)
    document = shared(LocalIndex.document)
    chunk_ids = shared(LocalIndex.chunk_ids)
    embedded = shared(LocalIndex.embedded)
    page = shared(LocalIndex.page)
    weigh = shared(LocalIndex.weigh)
    settle = shared(LocalIndex.settle)

    def lease_of(self, collection: str) -> tuple[str, int] | None:
        """Return name and number of the lease under which this process writes to a collection."""
        return self._held.of(collection)

    async def _check(self, collection: str) -> None:
        if self._held.of(collection) is not None:
            async with self._pool.transaction() as connection:
                await self._held.guard(connection, collection)

    async def _repair(self, name: str) -> None:
        await (await self._parts()).repair(name)

    async def _parts(self) -> SharedParts:
        place = (os.getpid(), asyncio.get_running_loop())
        if place != self._place:
            self._open, self._place, self._opening = None, place, asyncio.Lock()
        async with self._opening:
            if self._open is None:
                owner = await self._settled()
                store: Any = open_qdrant(self._store, key=self._key, owner=owner).store
                catalog = PostgresCatalog(self._pool, self._held.guard)
                self._open = SharedParts(store, catalog, self._check)
            return self._open

    async def _settled(self) -> str:
        """Return the owner of the collections, on which all processes agree. Raises ConfigError if
        they use another place for their points."""
        async with self._pool.transaction() as connection:
            wanted = {"owner": fresh_owner(), "prefix": self._store.prefix}
            for name, value in wanted.items():
                await connection.execute(
                    "INSERT INTO pincite_index.settled VALUES (%s, %s) ON CONFLICT DO NOTHING",
                    (name, value),
                )
            found = await connection.execute("SELECT name, value FROM pincite_index.settled")
            known = dict(await found.fetchall())
        if known["prefix"] != self._store.prefix:
            raise ConfigError(
                f"[store] prefix is {self._store.prefix!r}, but the index in PostgreSQL has"
                f" {known['prefix']!r}",
                hint="set the same prefix on all machines",
                keys=("store.prefix",),
            )
        return str(known["owner"])

    async def hello(self) -> protocol.Identity:
        """See `Service.hello`. Answers for this process. Raises StoreError if a server cannot be
        reached."""
        await (await self._parts()).check()
        return protocol.Identity(
            protocol.PROTOCOL, version.VERSION, os.getpid(), 0.0, "", protocol.SHAPE
        )

    async def leave(self) -> None:
        """Do nothing: there is no other process to end."""

    async def embed_query(self, fingerprint: str, text: str, models: str = "") -> Vector:
        """See `Embedding.embed_query`. Runs in this process."""
        from pincite.encoders.bundled import open_encoder

        name = bundled_name(fingerprint)
        known = self._encoders.get(name)
        if known is None or (known.done() and known.exception()):
            folder = Path(models) if models else self._models
            loading = asyncio.to_thread(open_encoder, folder, name)
            known = self._encoders[name] = asyncio.ensure_future(loading)
        encoder = await asyncio.shield(known)
        return await embed_as(encoder, fingerprint, text)

    async def ask(self, asked: RemoteSearch) -> Answer:
        """See `Service.ask`. Not called, because searches of a store on a server run in the
        client."""
        from pincite.daemon.server.search_here import search_here

        return await search_here(asked, self)

    async def look(self, wish: Wish) -> Freshness:
        """See `Service.look`. Folders are not looked at: they belong to one machine, the index to
        several."""
        return Freshness(wish.auto)

    async def condition(self) -> Condition:
        """See `Service.condition`."""
        loaded = (
            ("encoder of queries",) if any(one.done() for one in self._encoders.values()) else ()
        )
        return Condition(memory_mb(), loaded)

    async def close(self) -> None:
        """Close the connections."""
        parts, self._open = self._open, None
        try:
            if parts is not None and self._place == (os.getpid(), asyncio.get_running_loop()):
                await parts.close()
        finally:
            await self._pool.close()
