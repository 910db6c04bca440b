"""Collections with models of providers: indexed, searched, refused, mended; from a shell."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from pincite.providers.llm.note_cache import NoteCache
from pincite.testing.contract_server import ContractServer
from tests.surfaces.cli.models.in_process import run, said
from tests.surfaces.conftest import KEY, Cli


@pytest.fixture
def shop(server: ContractServer, cli: Cli) -> Cli:
    """A folder with two documents, and providers at the server."""
    server.heal()
    server.record.clear()
    cli.write("docs/gate.md", "# Gates\n\nThe brown turnstile rotates when it is pushed.\n")
    cli.write("docs/bread.md", "# Bread\n\nFlour and water make a dough that rises overnight.\n")
    cli.write("src/gate.py", "def rotate(turnstile: str) -> str:\n    return turnstile[::-1]\n")
    cli.write(
        "pincite.toml",
        "".join(
            f'[providers.{vendor}]\nurl = "{server.url(vendor)}"\ntries = 1\n'
            for vendor in ("voyage", "openai", "cohere", "llamacpp")
        ),
    )
    return cli


def test_a_model_is_kept_in_the_collection_and_embeds_its_queries(
    server: ContractServer, shop: Cli
) -> None:
    run(shop, "index", "docs", "--model", "voyage:voyage-4@256")
    kinds = [body["input_type"] for body in server.record.bodies]
    assert set(kinds) == {"document"}
    assert sum(len(body["input"]) for body in server.record.bodies) == 2
    server.record.clear()
    found = run(shop, "search", "what rotates when pushed", "--json", "--all")
    assert '"rung": "api-model"' in found
    assert [body["input_type"] for body in server.record.bodies] == ["query"]
    assert server.record.bodies[0]["output_dimension"] == 256
    assert "dense   voyage/voyage-4@256, opened as voyage:voyage-4@256" in run(shop, "status")
    before = server.record.requests
    run(shop, "index")
    assert server.record.requests == before  # nothing has changed


def test_several_models_answer_one_search(server: ContractServer, shop: Cli) -> None:
    run(shop, "index", "docs", "-c", "docs", "--model", "voyage:voyage-context-3")
    run(shop, "index", "src", "-c", "code", "--model", "cohere:embed-v4.0")
    run(shop, "index", "docs", "-c", "local", "--model", f"llamacpp:{server.url('llamacpp')}")
    server.record.clear()
    found = run(shop, "search", "turnstile rotate", "--json", "--all")
    assert '"rung": "api-model+server-model"' in found
    assert sorted(server.record.paths) == [
        "/cohere/v2/embed",
        "/llamacpp/v1/embeddings",
        "/voyage/v1/contextualizedembeddings",
    ]
    assert '"warnings": []' in found


def test_a_changed_document_is_sent_to_a_contextual_model_as_a_whole(
    server: ContractServer, shop: Cli
) -> None:
    sections = [f"## Part {n}\n\n" + f"word{n} and some more text. " * 60 for n in range(6)]
    shop.write("docs/long.md", "# Long\n\n" + "\n\n".join(sections))
    run(shop, "index", "docs", "--model", "voyage:voyage-context-3")
    sent = [inner for body in server.record.bodies for inner in body["inputs"]]
    (before,) = (inner for inner in sent if len(inner) > 3)
    assert sum("docs" in chunk or "long.md" in chunk for chunk in before) == 1
    sections[3] = "## Part 3\n\nchanged. " * 20
    shop.write("docs/long.md", "# Long\n\n" + "\n\n".join(sections))
    server.record.clear()
    run(shop, "index")
    (body,) = server.record.bodies
    ((*after,),) = body["inputs"]
    assert after[0] == before[0]
    assert after[-1] == before[-1]
    assert after != before


def test_another_model_is_refused_with_the_command_that_mends_it(
    server: ContractServer, shop: Cli
) -> None:
    run(shop, "index", "docs", "--model", "voyage:voyage-4")
    run(shop, "index", "docs", "--model", "openai:text-embedding-3-small", code=1)
    mends = "pincite collections rebuild main --model openai:text-embedding-3-small"
    assert mends in said()
    run(shop, *mends.split()[1:])
    found = run(shop, "search", "turnstile", "--json")
    assert '"rung": "api-model"' in found
    assert "openai/text-embedding-3-small@1536" in run(shop, "status")


def test_a_proxy_that_cannot_be_used_leaves_keywords_and_is_named(
    server: ContractServer, shop: Cli
) -> None:
    run(shop, "index", "docs", "--model", "voyage:voyage-4")
    shop.write("pincite.toml", '[providers.voyage]\nurl = "http://model.example:9"\n')
    for name, value in (("ALL_PROXY", "socks5://127.0.0.1:9"), ("NO_PROXY", "[::1")):
        variables: Any = {name: value}
        found = run(shop, "search", "turnstile", "--json", **variables)
        assert "gate.md" in found
        assert '"dense_unavailable"' in found
        assert f"keywords only: {name} " in found


def test_a_model_of_the_same_name_by_another_owner_is_another_model(
    server: ContractServer, shop: Cli
) -> None:
    model = f"tei:{server.url('tei')}#%s/e5-small-v2"
    run(shop, "index", "docs", "--model", model % "intfloat")
    run(shop, "index", "docs", "--model", model % "somebody", code=1)
    assert "tei/somebody/e5-small-v2@" in said()


def test_a_collection_configured_for_another_model_is_not_searched_with_it(shop: Cli) -> None:
    run(shop, "index", "docs", "--model", "voyage:voyage-4")
    config = shop.folder / "pincite.toml"
    before = config.read_text()
    shop.write(
        "pincite.toml", before + '[collections.main]\ndense = "openai:text-embedding-3-small"\n'
    )
    run(shop, "search", "turnstile", code=1)
    assert "pincite collections rebuild main" in said()
    run(shop, "collections", "rebuild", "main")
    run(shop, "search", "turnstile")


def test_a_rebuild_with_a_provider_that_fails_removes_nothing(
    server: ContractServer, shop: Cli
) -> None:
    rebuild = ("collections", "rebuild", "main", "--model", "openai:text-embedding-3-small")
    run(shop, "index", "docs", "--lexical")
    for cached in (False, True):
        if cached:
            run(shop, *rebuild)
        found = run(shop, "search", "turnstile", "--json")
        assert "gate.md" in found
        server.fail("401", times=9)
        run(shop, *rebuild, code=1)
        server.heal()
        assert "gate.md" in run(shop, "search", "turnstile", "--json")
        assert "unfinished" not in said()


def test_a_server_may_move(server: ContractServer, shop: Cli) -> None:
    run(shop, "index", "docs", "--model", f"llamacpp:{server.url('llamacpp')}")
    with ContractServer() as other:
        moved = f"llamacpp:{other.url('llamacpp')}#embeddinggemma-300M-Q8_0.gguf"
        shop.write("pincite.toml", f'[collections.main]\ndense = "{moved}"\n')
        server.fail("500", times=9)
        found = run(shop, "search", "turnstile rotates", "--json")
        assert '"rung": "server-model"' in found
        assert other.record.requests == 1
    found = run(shop, "search", "turnstile", "--json", PINCITE_CACHE=str(shop.folder / "no.db"))
    assert "gate.md" in found
    assert '"dense_unavailable"' in found  # it is down where it is now


def test_doctor_says_that_a_server_has_another_model(server: ContractServer, shop: Cli) -> None:
    run(shop, "index", "docs", "--model", f"llamacpp:{server.url('llamacpp')}#another.gguf")
    found = run(shop, "doctor", code=3)
    assert "lists other models: embeddinggemma-300M-Q8_0.gguf" in found
    run(shop, "index", "docs", "-c", "b", "--model", f"llamacpp:{server.url('llamacpp')}")
    assert "collection b as indexed; llamacpp/" in run(shop, "doctor", code=3)


def test_new_collections_get_the_configured_model(server: ContractServer, shop: Cli) -> None:
    before = (shop.folder / "pincite.toml").read_text()
    more = '[models]\ndense = "voyage:voyage-4"\n[collections.code]\ndense = "cohere:embed-v4.0"\n'
    shop.write("pincite.toml", before + more)
    run(shop, "index", "docs")
    run(shop, "index", "src", "-c", "code")
    listed = run(shop, "collections")
    assert "voyage:voyage-4;" in listed
    assert "cohere:embed-v4.0;" in listed


def test_a_provider_that_is_down_costs_meaning_and_says_so(
    server: ContractServer, shop: Cli
) -> None:
    run(shop, "index", "docs", "--model", "voyage:voyage-4")
    server.fail("503", times=9)
    found = run(shop, "search", "turnstile", "--json")
    assert '"rung": "lexical"' in found
    assert "dense_unavailable" in found
    assert "gate.md" in found


def test_the_configured_reranker_judges_searches(server: ContractServer, shop: Cli) -> None:
    before = (shop.folder / "pincite.toml").read_text()
    shop.write("pincite.toml", before + '[models]\nrerank = "cohere:rerank-v3.5"\n')
    run(shop, "index", "docs", "--lexical")
    server.record.clear()
    found = run(shop, "search", "what rotates when pushed", "--json", "--all")
    assert server.record.paths == ["/cohere/v2/rerank"]
    assert '"name": "reranked"' in found
    server.fail("503", times=9)
    found = run(shop, "search", "what rotates when pushed", "--json", "--all")
    assert "rerank_unavailable" in found
    server.heal()
    assert "ok      rerank cohere:rerank-v3.5: for searches; probability scores" in run(
        shop, "doctor"
    )


def test_a_models_folder_that_cannot_be_written_costs_only_the_reranker(shop: Cli) -> None:
    before = (shop.folder / "pincite.toml").read_text()
    shop.write("pincite.toml", before + '[models]\nrerank = "local:owner/name"\n')
    models = shop.write("no-folder", "a file")
    run(shop, "index", "docs", "--lexical")
    found = run(
        shop,
        *("search", "turnstile", "--json", "--all"),
        PINCITE_MODELS=str(models / "models"),
        PINCITE_OFFLINE="0",
    )
    assert "rerank_unavailable" in found
    assert "cannot be written to" in found
    assert "gate.md" in found


def test_a_missing_key_is_said_where_it_is_needed(shop: Cli) -> None:
    run(shop, "index", "docs", "--model", "voyage:voyage-4", code=1, VOYAGE_API_KEY="")
    assert "export VOYAGE_API_KEY" in said()
    run(shop, "index", "docs", "--model", "voyage:voyage-4")
    found = run(shop, "search", "turnstile", "--json", VOYAGE_API_KEY="")
    assert "dense_unavailable" in found


def test_keys_come_from_files_too(shop: Cli) -> None:
    file = shop.write("key.txt", KEY + "\n")
    run(
        shop,
        "embed",
        "x",
        "--model",
        "voyage:voyage-4",
        VOYAGE_API_KEY="",
        VOYAGE_API_KEY_FILE=str(file),
    )
    run(
        shop,
        *("embed", "x", "--model", "voyage:voyage-4"),
        VOYAGE_API_KEY="",
        VOYAGE_API_KEY_FILE="/nowhere/key",
        code=2,
    )
    assert "cannot be read" in said()


def test_a_run_that_fails_leaves_what_was_there(server: ContractServer, shop: Cli) -> None:
    run(shop, "index", "docs", "--model", "voyage:voyage-4")
    shop.write("docs/new.md", "# New\n\nSomething about cranes.\n")
    server.fail("401", times=9)
    run(shop, "index", code=1)
    assert "check the key in VOYAGE_API_KEY" in said()
    server.heal()
    assert "gate.md" in run(shop, "search", "turnstile", "--json")
    run(shop, "index")
    assert "new.md" in run(shop, "search", "cranes", "--json")


def test_embed_prints_vectors_and_nothing_is_paid_for_twice(
    server: ContractServer, shop: Cli
) -> None:
    first = run(shop, "embed", "one", "two", "--model", "openai:text-embedding-3-small@256")
    assert '"dimensions": 256' in first
    again = run(shop, "embed", "one", "two", "--model", "openai:text-embedding-3-small@256")
    assert first == again
    assert server.record.requests == 1
    assert "openai/text-embedding-3-small@256: 2" in run(shop, "cache", "status")
    run(shop, "cache", "clear")
    assert "2 vectors" in said()
    assert "openai" not in run(shop, "cache", "status")


def test_clearing_the_cache_deletes_descriptions_of_pictures_too(
    server: ContractServer, shop: Cli
) -> None:
    notes = NoteCache(shop.folder / "image-notes.db")
    notes.put({b"k" * 16: "The passport of Ada.", b"l" * 16: "A cat."})
    assert f"{notes.path}: 2 descriptions of pictures" in run(shop, "cache", "status")
    assert json.loads(run(shop, "cache", "status", "--json"))["image_notes"] == 2
    run(shop, "cache", "clear")
    assert "2 descriptions of pictures" in said()
    assert b"Ada" not in notes.path.read_bytes()
    assert "image-notes.db" not in run(shop, "cache", "status")
    run(shop, "cache", "clear")
    assert "deleted: 0 vectors\n" in said()


def test_a_cache_that_was_switched_off_is_shown_and_erased(
    server: ContractServer, shop: Cli
) -> None:
    run(shop, "embed", "one", "--model", "openai:text-embedding-3-small@256")
    notes = NoteCache(shop.folder / "image-notes.db")
    notes.put({b"k" * 16: "The passport of Ada."})
    before = (shop.folder / "pincite.toml").read_text()
    shop.write("pincite.toml", f"{before}\n[cache]\nlimit_mb = 0\n")
    status = run(shop, "cache", "status")
    assert "limit_mb is 0, but older content is there" in status
    assert f"{notes.path}: 1 descriptions of pictures" in status
    assert json.loads(run(shop, "cache", "status", "--json"))["image_notes"] == 1
    run(shop, "cache", "clear")
    assert "deleted: 1 vectors, 1 descriptions of pictures" in said()
    assert b"Ada" not in notes.path.read_bytes()
    assert run(shop, "cache", "status") == "the cache is off: cache.limit_mb is 0\n"
    assert run(shop, "cache", "status", "--json") == "null\n"
    run(shop, "cache", "clear")
    assert "deleted: 0 vectors\n" in said()


def test_clearing_a_cache_in_use_fails_and_says_what_is_left(
    server: ContractServer, shop: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.providers.llm.note_cache._BUSY_S", 0.01)
    notes = NoteCache(shop.folder / "image-notes.db")
    notes.put({b"k" * 16: "The passport of Ada."})
    with closing(sqlite3.connect(notes.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        run(shop, "cache", "clear", code=1)
        other.execute("ROLLBACK")
    assert "not erased: descriptions of pictures" in said()
    assert notes.kept() == 1


def test_a_file_that_is_no_cache_is_named_and_stays_and_the_others_are_erased(shop: Cli) -> None:
    precious = shop.folder / "precious.txt"
    precious.write_text("what I never want to lose")
    notes = NoteCache(shop.folder / "image-notes.db")
    notes.put({b"k" * 16: "The passport of Ada."})
    for command in ("status", "clear"):
        done = shop("cache", command, code=1, PINCITE_CACHE=str(precious))
        assert f"{precious} is a file of another program" in done.stderr
    assert precious.read_text() == "what I never want to lose"
    assert notes.kept() == 0


def test_doctor_names_what_works_and_what_would_mend_the_rest(
    server: ContractServer, shop: Cli
) -> None:
    run(shop, "index", "docs", "--model", "openai:text-embedding-3-small")
    before = (shop.folder / "pincite.toml").read_text()
    shop.write("pincite.toml", before + '[models]\ndense = "voyage:voyage-9000"\n')
    found = run(shop, "doctor", code=3)
    assert "failed  dense  voyage:voyage-9000" in found
    assert "voyage-9000 is not supported" in found
    assert "ok      dense  openai:text-embedding-3-small: collection main" in found
    server.record.clear()
    run(shop, "doctor", "--offline")
    assert server.record.requests == 0


def test_an_unknown_provider_lists_the_known_ones(cli: Cli) -> None:
    run(cli, "embed", "x", "--model", "nobody:x", code=2)
    assert "voyage" in said()
    assert "openai" in said()
