"""Whatever happens to a checkout, a search shows nothing that is not there."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from pathlib import Path

import pytest

from pincite import AsyncPincite
from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import ChunkerConfig
from pincite.current_files.files import FilesOnDisk
from pincite.deps import Deps
from pincite.index.local import LocalIndex
from pincite.ingest import ingest
from pincite.ingestion.deps import IngestDeps
from pincite.model import CollectionSpec, EvidencePack, Question
from pincite.ports import Searchable
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.search import search
from pincite.sources import Selection, SourceLimits, open_source
from pincite.stages.context import ContextConfig
from pincite.stages.select import SelectConfig
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.current_files.world import World, shown_is_there

PROFILE = replace(
    Profile(),
    select=SelectConfig(results=6, on_none="keep"),
    context=ContextConfig("neighbours"),
)


class InProcess:
    """An index in memory over a world, searched with a look at its files."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sparse = Bm25Encoder()
        self.spec = CollectionSpec(
            "main", self.sparse.fingerprint, ChunkerConfig().fingerprint, average_length=20.0
        )
        self.index = LocalIndex(MemoryStore(), SqliteCatalog(":memory:"))
        self.files = FilesOnDisk(self.index.sources)

    async def renew(self) -> None:
        if self.spec.name not in [one.spec.name for one in await self.index.collections()]:
            await self.index.create(self.spec)
        limits, selection = SourceLimits(), Selection()
        with open_source(self.world.root, name="w", limits=limits, selection=selection) as opened:
            await ingest(opened, selection, self.spec, IngestDeps(self.index, self.sparse, None))

    async def ask(self, text: str) -> EvidencePack:
        one = Searchable(self.spec, self.index, self.sparse)
        known = informative_terms("english")
        deps = Deps([one], known, lambda _: "english", files=self.files)
        ticks = itertools.count()
        return await search(Question(text), deps, PROFILE, Trace(lambda: float(next(ticks))))


def test_after_each_of_500_steps_all_that_is_shown_is_in_its_file(tmp_path: Path) -> None:
    world = World(tmp_path / "world", seed=16)
    scene = InProcess(world)

    async def go() -> tuple[Counter[str], int]:
        await scene.renew()
        seen, lines = Counter[str](), 0
        for number in range(500):
            seen[world.step()] += 1
            if number % 20 == 19:
                await scene.renew()
                world.same_size()  # right after indexing
            pack = await scene.ask(world.question())
            lines += shown_is_there(pack, world.root)
            seen.update(one.truth for one in pack.evidence)
            seen.update(one.why for one in pack.omitted)
        return seen, lines

    seen, lines = asyncio.run(go())
    assert lines > 1000
    wanted = {"fresh", "moved", "stale", "deleted", "rebase", "go_back", "switch", "same_size"}
    assert wanted <= set(seen), seen


@pytest.mark.slow
def test_the_same_in_the_daemon_and_in_its_client(tmp_path: Path) -> None:
    world = World(tmp_path / "world", seed=7)

    async def go() -> Counter[str]:
        seen = Counter[str]()
        async with AsyncPincite(tmp_path / "index") as pincite:
            await pincite.index(world.root, name="w", lexical=True)
            for number in range(60):
                seen[world.step()] += 1
                if number % 20 == 19:
                    await pincite.index(lexical=True)
                    world.same_size()
                question = Question(world.question())
                trace = Trace(lambda: 0.0, detailed=number % 3 == 0)  # then the client searches
                pack = await pincite.ask(question, profile=PROFILE, trace=trace)
                shown_is_there(pack, world.root)
                seen.update(one.truth for one in pack.evidence)
                seen.update(one.why for one in pack.omitted)
            await pincite.stop()
        return seen

    assert {"fresh", "moved", "stale", "deleted"} <= set(asyncio.run(go()))
