"""However an index came about, it is the one that a clean build makes: on every store, to the id,
the payload and the vectors of every point, and to the last bit of every score, even where runs were
cut off at some step."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import ChunkerConfig
from pincite.deps import Deps, informative_terms
from pincite.index.local import LocalIndex
from pincite.ingest import ingest
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.report import IngestReport
from pincite.model import CollectionSpec, EvidencePack, Question
from pincite.ports import Searchable, SearchRequest, Store
from pincite.profile import Profile
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
from tests.index.test_crash import Crash, Fragile, Fuse
from tests.places import quick_folder
from tests.stores.qdrant_http import recording_server

Make = Callable[[], Store]

QUESTIONS = ("alpha", "how does beta follow gamma", "zeta zeta epsilon delta a b c")
_NAMES = tuple("abcdef")
_WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta " * 40])
_CONTENT = st.lists(_WORDS, min_size=1, max_size=12)
_NAME = st.sampled_from(_NAMES)
_CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("write"), _NAME, _CONTENT),
        st.tuples(st.just("rename"), _NAME, _NAME),
        st.tuples(st.just("delete"), _NAME, st.just("")),
    ),
    min_size=1,
    max_size=6,
)
#: What happens before each run, and after how many calls of store and catalog it is cut off.
RUNS = st.lists(
    st.tuples(_CHANGES, st.none() | st.integers(min_value=4, max_value=80)), min_size=1, max_size=4
)


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


async def check(
    kind: Callable[[Path], AbstractContextManager[Make]],
    runs: list[tuple[list[tuple[str, str, Any]], int | None]],
) -> None:
    with ExitStack() as stack:
        folder = stack.enter_context(quick_folder())
        mirrors = []
        for name in ("grown", "clean"):
            place = folder / name
            place.mkdir()
            make = stack.enter_context(kind(place))
            mirrors.append(Mirror(folder / "source", place, make, packs=kind is not qdrant))
        grown, clean = mirrors
        grown.source.mkdir()
        grown.change("write", "a", ["alpha", "beta"])
        for changes, calls in runs:
            for what, name, how in changes:
                grown.change(what, name, how)
            await grown.run(calls)
        await grown.run()  # what was cut off is finished
        await clean.run()
        assert await grown.seen() == await clean.seen()


def of(examples: int) -> settings:
    return settings(
        max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )


@of(25)
@given(RUNS)
@example([([("write", "b", ["alpha"])], None), ([("delete", name, "") for name in "ab"], None)])
def test_an_index_in_memory_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(memory, runs))


@of(8)
@given(RUNS)
def test_an_index_in_the_engine_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(edge, runs))


@of(20)
@given(RUNS)
def test_an_index_in_sqlite_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(sqlite, runs))


@of(4)
@given(RUNS)
def test_an_index_in_chroma_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(chroma, runs))


@pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")
@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
@of(4)
@given(RUNS)
def test_an_index_on_a_qdrant_server_equals_a_clean_build(runs: Any) -> None:
    asyncio.run(check(qdrant, runs))
