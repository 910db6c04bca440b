"""Tenants of one collection, asked at random: `bench.storage.tenants`, with fewer cases."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from bench.storage.tenants import Case, Kind, Library, cases, chunks, fill, leak, opened

from pincite.model import EvidencePack, Notice, Scope
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
COUNTS: dict[Kind, int] = {"edge": 120, "sqlite": 120, "chroma": 120, "qdrant": 40}
NORTH = Case(Scope(tags={"institution": "north", "mode": "exam"}), "oral exam", "vector")


@pytest.mark.parametrize("kind", COUNTS)
def test_no_tenant_sees_anything_of_another_on_any_store(kind: Kind, tmp_path: Path) -> None:
    async def ask() -> Counter[str]:
        found: Counter[str] = Counter()
        async with opened(kind, tmp_path) as store:
            library = await fill(store, chunks())
            for case in cases(COUNTS[kind], seed=sum(map(ord, kind))):
                came, wrong = await leak(case, library)
                assert wrong == "", case
                found[came] += 1
        return found

    found = asyncio.run(ask())
    assert found["refused"] == sum(
        not case.complete for case in cases(COUNTS[kind], seed=sum(map(ord, kind)))
    )
    assert found["shown"] > found["empty"]


class Leaking(Library):
    """A library with a fault: what `spoil` makes of a pack."""

    fault = ""

    async def ask(self, case: Case) -> EvidencePack:
        if self.fault == "tags":
            return await super().ask(NORTH)
        pack = await super().ask(case)
        match self.fault:
            case "passage":
                return await super().ask(NORTH)
            case "closest":
                other = await super().ask(NORTH)
                return replace(pack, closest=other.evidence or other.closest)
            case "count":
                return replace(pack, plan=replace(pack.plan, counts={"main": 99}))
            case "notice":
                return replace(pack, warnings=(Notice("nothing_in_scope", "try mark7x0x0"),))
        return pack


@pytest.mark.parametrize("fault", ["passage", "closest", "count", "notice", "tags"])
def test_a_leak_of_each_kind_is_found(fault: str) -> None:
    south = replace(NORTH, scope=Scope(tags={"institution": "south", "mode": "open"}))
    asked = replace(NORTH, scope=Scope(tags={"mode": "exam"})) if fault == "tags" else south

    async def ask(spoilt: str) -> str:
        made = await fill(MemoryStore(), chunks())
        library = Leaking(made.index, made.deps)
        library.fault = spoilt
        _, wrong = await leak(asked, library)
        return wrong

    assert asyncio.run(ask("")) == ""
    assert asyncio.run(ask(fault)) != ""
