"""Collections of other programs, searched like those of the index: how deep, with which weight, and
with models that stay open."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pincite.engine import AsyncPincite
from pincite.settings.load import load_settings
from pincite.testing.contract_server import ContractServer
from tests.surfaces.cli.foreign_shop import provider, server, shop
from tests.surfaces.conftest import Cli

__all__ = ["provider", "server", "shop"]
pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


def test_a_model_stays_open_when_collections_are_looked_up_again(
    shop: Cli, provider: ContractServer
) -> None:
    """As agents do before each search."""

    async def check() -> None:
        environ = {"PINCITE_CACHE": str(shop.folder / "cache.db")}
        async with AsyncPincite(load_settings(environ, shop.folder)) as engine:
            for words in ("rotate a key", "rotate a key", "backups"):
                provider.record.clear()
                engine.reopen()
                pack = await engine.search(words)
                assert {one.collection for one in pack.evidence} <= {"wiki", "notes"}
                asked.append(provider.record.requests)

    asked: list[int] = []
    asyncio.run(check())
    first, again, other = asked
    assert first > 1
    assert (again, other) == (0, 1)  # a query's vector, and nothing to see what the model is


def test_one_is_searched_to_a_depth_and_with_a_weight_of_its_own(shop: Cli) -> None:
    path = shop.folder / "pincite.toml"
    usual = path.read_text()
    shop("index", "guide.md", "--lexical")

    def search(more: str) -> Any:
        path.write_text(usual.replace('qdrant = "wiki_v2"', f'qdrant = "wiki_v2"\n{more}'))
        return shop.json("search", "rotate a key", "--all")

    pack = search("depth = 1\nweight = 0.001")
    assert pack["plan"]["counts"] == {"main": 1, "notes": 3, "wiki": 1}
    order = [item["collection"] for item in pack["evidence"]]
    assert order.index("wiki") > order.index("notes")
    pack = search("weight = 100.0")
    assert pack["plan"]["counts"]["wiki"] == 3
    assert pack["evidence"][0]["collection"] == "wiki"
