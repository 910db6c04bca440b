"""A folder of pages, an index on any store, and models that know words."""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import ChunkerConfig
from pincite.collection.members import all_members, members, next_serial
from pincite.collection.union import UnionIndex
from pincite.index.local import LocalIndex
from pincite.ingest import ingest
from pincite.ingestion.dense_model import Dense, collection_name
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.report import IngestReport
from pincite.ingestion.weigh import weigh_others
from pincite.maintenance.reembed import Reembedded, Reembedding, ReembedOptions
from pincite.maintenance.reembed.fill import Work, fill
from pincite.maintenance.reembed.target import make_target
from pincite.model import Attributes, AttributeType, CollectionSpec, Ranking
from pincite.ports import Index, SearchRequest, Store
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.sources import Selection, SourceLimits, open_source
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant.connection import Connection, open_client
from pincite.stores.qdrant.store import QdrantStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.sqlite.store import SqliteStore
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from tests.quick_folder import quick_folder
from tests.stores.qdrant_http import recording_server

STORES = ("memory", "sqlite", "edge", "qdrant")
SMALL, LARGE = HashingEncoder(16), HashingEncoder(24)
WORDS = "turnstile rotates brown dough rises overnight crane lifts key secret".split()


@asynccontextmanager
async def opened_store(kind: str) -> AsyncIterator[Store]:
    """An empty store of that kind, closed at the end."""
    with quick_folder() as folder:
        if kind == "qdrant":
            with recording_server() as recorder:
                client = open_client(recorder.url, None, grpc_port=None, timeout_s=30)
                store: Store = QdrantStore(Connection(client, recorder.url))
                yield store
                await store.close()
                assert recorder.wrong == []
            return
        made: dict[str, Callable[[], Store]] = {
            "memory": MemoryStore,
            "sqlite": lambda: SqliteStore(folder / "points.db"),
            "edge": lambda: EdgeStore(folder / "edge"),
        }
        store = made[kind]()
        yield store
        await store.close()


@dataclass
class Shelf:
    """Pages in `folder`, in a base called `docs`."""

    folder: Path
    store: Store
    index: LocalIndex = field(init=False)
    clock: Iterator[int] = field(default_factory=lambda: itertools.count(1_000_000_000, 1000))

    def __post_init__(self) -> None:
        self.index = LocalIndex(self.store, SqliteCatalog(":memory:"))

    def write(self, path: str, text: str) -> None:
        """A page that was written long ago."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        stamp = next(self.clock)
        os.utime(place, ns=(stamp, stamp))

    async def add(
        self,
        encoder: HashingEncoder,
        attributes: Attributes | None = None,
        selection: Selection = Selection(),
    ) -> IngestReport:
        """Bring the base up to date with the selected files of the folder; new documents get this
        model, all documents these attributes, which are keywords."""
        given = attributes or {}
        infos = await self.index.collections()
        held = members(infos, "docs")
        there = [info.spec for info in held if info.spec.dense == encoder.fingerprint]
        spec = there[0] if there else await self._member(encoder)
        others = [info.spec for info in held if info.spec.name != spec.name]
        together = UnionIndex(self.index, spec.name, others)
        if given.keys() - spec.attributes.keys():
            kinds: dict[str, AttributeType] = dict.fromkeys(given, "keyword")
            spec = replace(spec, attributes={**spec.attributes, **kinds})
            await together.create(spec)
        deps = IngestDeps(together, Bm25Encoder(), encoder, made_with=together.made_with)
        with open_source(
            self.folder, name="acme", limits=SourceLimits(), selection=selection
        ) as opened:
            opened.source = replace(opened.source, attributes=given)
            report = await ingest(opened, selection, spec, deps)
        await weigh_others(together, others, deps.sparse)
        return report

    async def _member(self, encoder: HashingEncoder) -> CollectionSpec:
        infos = await self.index.collections()
        spec = CollectionSpec(
            collection_name("docs", named(encoder), infos),
            Bm25Encoder().fingerprint,
            ChunkerConfig().fingerprint,
            encoder.fingerprint,
            encoder.dimensions,
            model=named(encoder).name,
            base="docs",
            serial=next_serial(all_members(infos, "docs")),
        )
        await self.index.create(spec)
        return spec

    async def reembed(
        self,
        encoder: HashingEncoder,
        options: ReembedOptions = ReembedOptions(),
        progress: Callable[[Reembedding], None] = lambda _: None,
        index: Index | None = None,
        batch_chunks: int = 3,
    ) -> Reembedded:
        """As `pincite.maintenance.reembed.reembed`, without settings."""
        spec = await make_target(self.index, "docs", named(encoder), encoder)
        work = Work(index or self.index, spec, encoder, Bm25Encoder(), batch_chunks, progress)
        return await fill(work, options)

    async def seen(self) -> list[str]:
        """The members that are searched."""
        return [one.spec.name for one in members(await self.index.collections(), "docs")]

    async def paths(self, name: str) -> list[str]:
        """The documents of a member."""
        return [record.path for record in await self.index.documents(name)]

    async def answers(self, name: str, encoder: HashingEncoder) -> list[Ranking]:
        """What a member says to some questions, calculated exactly."""
        found: list[Ranking] = []
        for text in ("turnstile rotates", "dough overnight crane", "secret key", "none of it"):
            request = SearchRequest(
                dense=encoder.vector(text), sparse=Bm25Encoder().encode_query(text), exact=True
            )
            found += await self.index.search(name, request)
        return [replace(ranking, collection="") for ranking in found]


def named(encoder: HashingEncoder) -> Dense:
    """The model as one that a provider has."""
    return Dense(encoder, f"fake:hashing-{encoder.dimensions}")


def page(number: int) -> str:
    """A page of several chunks."""
    words = [WORDS[(number * step) % len(WORDS)] for step in range(1, 8)]
    parts = [f"## Part {n}\n\n" + f"{word} {number} " * 40 for n, word in enumerate(words)]
    return f"# Page {number}\n\n" + "\n\n".join(parts)
