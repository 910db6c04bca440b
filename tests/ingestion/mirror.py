"""A folder of sources and an index of it, in every kind of store."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import ChunkerConfig
from pincite.deps import Deps
from pincite.index.local import LocalIndex
from pincite.ingest import ingest
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.report import IngestReport
from pincite.model import CollectionSpec, EvidencePack, Question
from pincite.ports import Searchable, SearchRequest, Store
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.search import search
from pincite.sources import Selection, SourceLimits, open_source
from pincite.stores.chroma.database import Database, open_client
from pincite.stores.chroma.store import ChromaStore
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant.connection import Connection
from pincite.stores.qdrant.connection import open_client as open_qdrant
from pincite.stores.qdrant.store import QdrantStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.sqlite.store import SqliteStore
from pincite.testing.points import DENSE
from pincite.trace import Trace
from tests.index.fragile import Crash, Fragile, Fuse
from tests.stores.qdrant_http import recording_server

Make = Callable[[], Store]
QUESTIONS = ("alpha", "how does beta follow gamma", "zeta zeta epsilon delta a b c")


@contextmanager
def memory(_: Path) -> Iterator[Make]:
    store = MemoryStore()
    yield lambda: store


@contextmanager
def edge(folder: Path) -> Iterator[Make]:
    yield lambda: EdgeStore(folder / "collections")


@contextmanager
def sqlite(folder: Path) -> Iterator[Make]:
    yield lambda: SqliteStore(folder / "points.db")


@contextmanager
def chroma(folder: Path) -> Iterator[Make]:
    yield lambda: ChromaStore(Database(open_client("", folder / "chroma"), "a folder"))


@contextmanager
def qdrant(_: Path) -> Iterator[Make]:
    with recording_server() as recorder:

        def make() -> Store:
            client = open_qdrant(recorder.url, None, grpc_port=None, timeout_s=30)
            return QdrantStore(Connection(client, recorder.url))

        yield make
        assert recorder.wrong == []


@dataclass
class Mirror:
    """A folder of sources and an index of it, in some store."""

    source: Path
    place: Path
    make: Make
    clock: int = 1_000_000_000
    #: Are packs compared, too? Qdrant's client has cosines from products of whole matrices, in
    #: which the last digits depend on the place of a row. A server calculates each by itself.
    packs: bool = True
    stack: ExitStack = field(default_factory=ExitStack)

    def change(self, what: str, name: str, how: Any) -> None:
        """Write, rename or delete a file."""
        path = self.source / f"{name}.md"
        if what == "write":
            path.write_text(f"# {name}\n\n" + "\n\n".join(how))
            self.clock += 1_000
            os.utime(path, ns=(self.clock, self.clock))  # long ago: not racy
        elif what == "rename" and path.exists():
            path.rename(self.source / f"{how}.md")
        elif what == "delete":
            path.unlink(missing_ok=True)

    async def run(self, calls: int | None = None, *, optimise: bool = False) -> IngestReport | None:
        """Index, until so many calls of store and catalog have been made; then there is no
        report. `optimise` waits for what would go on in the background."""
        store, catalog = self.make(), SqliteCatalog(self.place / "catalog.db")
        fuse = Fuse(10**9 if calls is None else calls)
        fragile: tuple[Any, Any] = (Fragile(store, fuse), Fragile(catalog, fuse))
        try:
            with suppress(Crash):
                report = await self._index(LocalIndex(*fragile))
                if optimise:
                    await store.optimise("main")
                return report
            return None
        finally:
            await store.close()
            await catalog.close()

    async def _index(self, index: LocalIndex) -> IngestReport:
        await index.open()
        sparse = Bm25Encoder()
        infos = await index.collections()
        spec = infos[0].spec if infos else None
        if spec is None:
            made_with = (sparse.fingerprint, ChunkerConfig().fingerprint, DENSE.fingerprint)
            spec = CollectionSpec("main", *made_with, DENSE.dimensions)
            await index.create(spec)
        limits, selection = SourceLimits(), Selection()
        with open_source(self.source, name="acme", limits=limits, selection=selection) as opened:
            deps = IngestDeps(index, sparse, DENSE)
            return await ingest(opened, selection, spec, deps)

    async def seen(self) -> tuple[object, ...]:
        """Everything: specs, records, and points with payload and vectors."""
        store, catalog = self.make(), SqliteCatalog(self.place / "catalog.db")
        index = LocalIndex(store, catalog)
        await index.open()
        try:
            (info,) = await index.collections()
            points = await store.export("main", None, 100_000)
            return (
                (info.spec, info.documents, info.chunks, info.tokens, info.lost),
                await index.documents("main"),
                await store.revisions("main"),
                await index.page("main", None, 100_000),
                [(revision, point.chunk, point.sparse) for revision, point in points],
                [None if p.dense is None else p.dense.round(5).tolist() for _, p in points],
                [msgspec.json.encode(one) for one in await self._answers(index, info.spec)],
            )
        finally:
            await store.close()
            await catalog.close()

    async def _answers(
        self, index: LocalIndex, spec: CollectionSpec
    ) -> list[tuple[object, EvidencePack | None]]:
        """What searches show, and the scores behind it."""
        searchable = Searchable(spec, index, Bm25Encoder(), DENSE)
        deps = Deps((searchable,), informative_terms("english"), lambda _: "english")
        found: list[tuple[object, EvidencePack | None]] = []
        for text in QUESTIONS:
            sparse = Bm25Encoder().encode_query(text)
            rankings = await index.search("main", SearchRequest(DENSE.vector(text), sparse))
            scores = [hit for ranking in rankings[1:] for hit in ranking.hits]
            pack = None
            if self.packs:
                ticks = itertools.count()
                trace = Trace(lambda: float(next(ticks)))  # noqa: B023  # used up before the next
                pack = await search(Question(text), deps, Profile(), trace)
            found.append((scores, pack))
        return found
