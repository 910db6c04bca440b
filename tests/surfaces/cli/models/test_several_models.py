"""One collection with several models: indexed, searched, moved to another; from a shell."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import Any

import pytest

from pincite.engine import AsyncPincite
from pincite.engine.searcher import Searcher
from pincite.maintenance.reembed import ReembedOptions
from pincite.model import EvidencePack, Scope
from pincite.settings.load import Settings, load_settings
from pincite.testing.contract_server import ContractServer
from tests.environment import clean_environment
from tests.surfaces.cli.models.embedding import wait_until_embedded
from tests.surfaces.cli.models.in_process import KEYS, run, said
from tests.surfaces.cli.models.two_models import (
    OPENAI,
    VOYAGE,
    WITH_OPENAI,
    configure,
    paths,
    search,
    start,
)
from tests.surfaces.cli.models.two_models import shop as shop
from tests.surfaces.conftest import Cli


def test_a_new_model_gets_a_collection_beside_and_one_search_asks_both(
    server: ContractServer, shop: Cli
) -> None:
    run(shop, "index", "-c", "docs", "--model", OPENAI, code=1)
    assert f"pincite index -c docs --beside --model {OPENAI}" in said()
    assert f"pincite reembed docs --to {OPENAI}" in said()
    shop.write("docs/1.md", "# Page 1\n\nThe turnstile was changed and rotates.\n")
    shop.write("docs/new.md", "# New\n\nA turnstile of brass rotates.\n")
    run(shop, "index", "-c", "docs", "--model", OPENAI, "--beside")
    server.record.clear()
    pack = search(shop, "-c", "docs")
    assert sorted(server.record.paths) == ["/openai/v1/embeddings", "/voyage/v1/embeddings"]
    assert paths(pack, "docs") == ["0.md", "2.md", "3.md", "4.md"]
    assert paths(pack, WITH_OPENAI) == ["1.md", "new.md"]
    assert pack["plan"]["counts"] == {"docs": 4, WITH_OPENAI: 2}
    assert pack["warnings"] == []
    folder, old = str(shop.folder / "docs"), ("-c", WITH_OPENAI)
    run(shop, "ls", f"{folder}/0.md", *old, code=3)
    run(shop, "get", "./docs/0.md", *old, code=2)
    run(shop, "multi-get", f"{folder}/0.md", *old, code=3)
    before = server.record.requests
    run(shop, "index", "-c", "docs")  # goes on with the newer model, and nothing has changed
    assert server.record.requests == before
    assert "a part of docs" in run(shop, "collections")
    run(shop, "index", "docs", "-c", WITH_OPENAI, code=2)
    assert "is a member of the collection 'docs'" in said()
    run(shop, "collections", "drop", "docs", "--yes")
    assert run(shop, "collections") == ""


def test_the_way_back_to_keyword_search_is_named_and_leads_there(shop: Cli) -> None:
    run(shop, "index", "-c", "docs", "--lexical", code=1)
    assert said().strip().endswith("try: pincite collections rebuild docs --lexical")
    run(shop, "collections", "rebuild", "docs", "--lexical")
    run(shop, "index", "-c", "docs", "--lexical")
    assert search(shop)["warnings"] == []


def test_when_the_configured_model_changes_new_documents_go_beside(
    server: ContractServer, shop: Cli
) -> None:
    """W14: no migration; old documents stay searchable."""
    configure(shop, server, f'[collections.docs]\ndense = "{OPENAI}"\nbeside = true\n')
    assert len(search(shop)["evidence"]) == 5
    shop.write("docs/new.md", "# New\n\nA turnstile of brass rotates.\n")
    run(shop, "index", "-c", "docs")
    pack = search(shop)
    assert paths(pack, WITH_OPENAI) == ["new.md"]
    assert len(paths(pack, "docs")) == 5


def test_a_first_collection_may_have_the_name_of_its_model(
    server: ContractServer, shop: Cli
) -> None:
    """W1."""
    configure(shop, server, f'[models]\ndense = "{OPENAI}"\n[collections.chunks]\nbeside = true\n')
    run(shop, "index", "docs", "-c", "chunks")
    assert "chunks__text_embedding_3_small_256: 5 documents" in run(shop, "collections")
    assert len(search(shop, "-c", "chunks")["evidence"]) == 5
    configure(shop, server, f'[models]\ndense = "{VOYAGE}"\n[collections.chunks]\nbeside = true\n')
    shop.write("docs/new.md", "# New\n\nA turnstile of brass rotates.\n")
    run(shop, "index", "-c", "chunks")
    assert "chunks__voyage_4_256: 1 document," in run(shop, "collections")
    run(shop, "collections", "rebuild", "chunks", "--model", VOYAGE)
    assert "chunks__voyage_4_256: 6 documents" in run(shop, "collections")
    assert "chunks__text" not in run(shop, "collections")


def test_a_member_that_fails_is_left_out_and_named(server: ContractServer, shop: Cli) -> None:
    """W6."""
    shop.write("docs/new.md", "# New\n\nA turnstile of brass rotates.\n")
    run(shop, "index", "-c", "docs", "--model", OPENAI, "--beside")
    pack = search(shop, "--by", "vector", "--preset", "multi-model")
    assert {e["collection"] for e in pack["evidence"]} == {"docs", WITH_OPENAI}
    assert pack["plan"]["fusion"] == "rrf, across rrf"
    words = ("search", "turnstile", "--all", "--json")
    found = run(shop, *words, "--by", "vector", VOYAGE_API_KEY="")
    pack = json.loads(found)
    assert {e["collection"] for e in pack["evidence"]} == {WITH_OPENAI}
    (warning,) = pack["warnings"]
    assert warning["code"] == "collection_failed"
    assert warning["message"].startswith("docs was left out")
    found = run(shop, *words, VOYAGE_API_KEY="")
    assert {e["collection"] for e in json.loads(found)["evidence"]} == {"docs", WITH_OPENAI}


def test_by_word_no_model_is_asked_and_by_meaning_no_word_counts(
    server: ContractServer, shop: Cli
) -> None:
    """W5."""
    pack = search(shop, "--by", "keyword")
    assert server.record.requests == 0
    assert pack["plan"]["rung"] == "lexical"
    assert pack["warnings"] == []
    signals = {signal["name"] for e in pack["evidence"] for signal in e["signals"]}
    assert "dense" not in signals
    pack = search(shop, "--by", "vector")
    signals = {signal["name"] for e in pack["evidence"] for signal in e["signals"]}
    assert "sparse" not in signals
    run(shop, "index", "docs", "-c", "words", "--lexical")
    run(shop, "search", "turnstile", "-c", "words", "--by", "vector", code=2)
    assert "no dense vectors" in said()


def test_a_collection_is_searched_to_a_depth_and_with_a_weight_of_its_own(
    server: ContractServer, shop: Cli
) -> None:
    """X3."""
    shop.write("more/x.md", "# Turnstile\n\nThe turnstile rotates rotates.\n")
    run(shop, "index", "more", "-c", "more", "--lexical")
    configure(shop, server, "[collections.docs]\ndepth = 2\n[collections.more]\nweight = 0.001\n")
    pack = search(shop)
    assert pack["plan"]["counts"]["docs"] <= 4  # two of each side
    assert pack["evidence"][-1]["collection"] == "more"
    configure(shop, server, "[collections.more]\nweight = 100.0\n")
    pack = search(shop)
    assert pack["plan"]["counts"]["docs"] == 5
    assert pack["evidence"][0]["collection"] == "more"


def test_what_is_kept_comes_back_when_the_new_one_is_dropped(
    server: ContractServer, shop: Cli
) -> None:
    run(shop, "reembed", "docs", "--to", OPENAI, "--keep")
    assert "docs: kept, not searched" in said()
    assert ", replaced" in run(shop, "collections")
    assert paths(search(shop), "docs") == []
    run(shop, "collections", "drop", WITH_OPENAI, "--yes")
    assert len(paths(search(shop), "docs")) == 5


def test_a_lexical_collection_gets_a_model_without_its_files(
    server: ContractServer, shop: Cli
) -> None:
    run(shop, "index", "docs", "-c", "words", "--lexical")
    for number in range(5):
        (shop.folder / f"docs/{number}.md").unlink()
    run(shop, "reembed", "words", "--to", OPENAI)
    asked = ("search", "turnstile", "-c", "words", "--by", "vector", "--all", "--json", "-n", "12")
    pack = json.loads(run(shop, *asked, code=3))
    found = {one["collection"] for one in pack["omitted"]}  # their files are gone
    assert (len(pack["omitted"]), found) == (5, {"words__text_embedding_3_small_256"})
    run(shop, "reembed", "nothing", "--to", OPENAI, code=2)
    assert "no collection is named 'nothing'; known collections: docs, words" in said()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_reembedding_that_is_killed_goes_on_and_searches_stay_right(
    server: ContractServer, shop: Cli, sent: signal.Signals, code: int
) -> None:
    before = search(shop)
    server.record.clear()
    command = ("reembed", "docs", "--to", OPENAI)
    running = start(shop, *command, "--rate", "2")
    wait_until_embedded(server, 2)
    during = search(shop)
    running.send_signal(sent)
    _, error = running.communicate(timeout=600)
    assert running.returncode == code, error.decode()
    after = search(shop)
    for pack in (during, after):
        assert pack["evidence"] == before["evidence"]
    advice = f"try: {WITH_OPENAI} is not complete: pincite reembed docs --to {OPENAI}"
    assert advice in run(shop, "status")
    run(shop, "search", "turnstile", "-c", WITH_OPENAI, code=2)
    assert "is not complete yet" in said()
    run(shop, *command)
    assert f"docs now uses {OPENAI}: 5 documents, 5 chunks" in said()
    assert "; docs: dropped" in said()
    pack = search(shop)
    assert len(paths(pack, WITH_OPENAI)) == 5
    requests = server.record.requests
    run(shop, "index", "-c", "docs")
    assert server.record.requests == requests  # nothing is to be done


def settings_of(cli: Cli) -> Settings:
    environ = clean_environment() | KEYS
    return load_settings(environ | {"PINCITE_CACHE": str(cli.folder / "cache.db")}, cli.folder)


def test_a_client_that_stays_finds_what_took_the_place_of_the_old(
    server: ContractServer, shop: Cli
) -> None:
    async def check() -> None:
        scope = Scope(collections=("docs",))
        async with AsyncPincite(settings_of(shop)) as engine:
            first = await engine.search("turnstile rotates", scope=scope)
            assert {e.collection for e in first.evidence} == {"docs"}
            async with AsyncPincite(settings_of(shop)) as other:
                done = await other.reembed("docs", OPENAI)
            assert done.collection == WITH_OPENAI
            pack = await engine.search("turnstile rotates", scope=scope)
            assert {e.collection for e in pack.evidence} == {WITH_OPENAI}
            assert pack.warnings == ()
            checked = await engine.verify(first)  # what was cited from the old one still holds
            assert {item.status for item in checked} == {"fresh"}

    asyncio.run(check())


def test_a_collection_that_takes_the_name_of_a_known_one_is_not_searched_while_it_is_filled(
    server: ContractServer, shop: Cli
) -> None:
    async def check() -> None:
        settings = settings_of(shop)
        async with AsyncPincite(settings) as engine, AsyncPincite(settings) as other:
            await other.reembed("docs", OPENAI)
            known = await engine.search("turnstile rotates")
            assert {e.collection for e in known.evidence} == {WITH_OPENAI}
            await other.reembed("docs", VOYAGE)
            slow = ReembedOptions(rate=1)
            filling = asyncio.create_task(other.reembed("docs", OPENAI, options=slow))
            while not any(  # noqa: ASYNC110 - nothing tells of it
                info.spec.pending for info in await engine.collections()
            ):
                await asyncio.sleep(0.01)
            pack = await engine.search("turnstile rotates")
            assert not filling.done()
            assert len(pack.evidence) == 5
            assert WITH_OPENAI not in {e.collection for e in pack.evidence}
            assert pack.warnings == ()
            await filling

    asyncio.run(check())


def test_a_search_of_a_dropped_collection_is_repeated_after_a_reopen(
    server: ContractServer, shop: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching = Searcher._here_or_in_daemon

    async def check() -> None:
        settings = settings_of(shop)
        async with AsyncPincite(settings) as engine, AsyncPincite(settings) as other:

            async def overtaken(self: Searcher, *rest: Any) -> EvidencePack:
                if not dropped:
                    await other.reembed("docs", OPENAI)
                    dropped.append("docs")
                    engine.reopen()
                return await searching(self, *rest)

            dropped: list[str] = []
            monkeypatch.setattr(Searcher, "_here_or_in_daemon", overtaken)
            pack = await engine.search("turnstile rotates")
            assert {e.collection for e in pack.evidence} == {WITH_OPENAI}
            assert pack.warnings == ()

    asyncio.run(check())


def test_every_search_while_models_change_sees_each_document_once(
    server: ContractServer, shop: Cli
) -> None:
    async def change(engine: AsyncPincite) -> None:
        for number in range(6):
            await engine.reembed("docs", (OPENAI, VOYAGE)[number % 2])

    async def check() -> None:
        seen: list[str] = []
        settings = settings_of(shop)
        async with AsyncPincite(settings) as engine, AsyncPincite(settings) as other:
            changing = asyncio.create_task(change(other))
            while not changing.done():
                pack = await engine.search("turnstile rotates")
                assert sorted(e.path for e in pack.evidence) == [f"{n}.md" for n in range(5)]
                assert pack.warnings == ()
                (collection,) = {e.collection for e in pack.evidence}
                seen.append(collection)
            await changing
        assert len(seen) > 6
        assert len(set(seen)) > 1

    asyncio.run(check())
